import { once } from "node:events";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { noLimits } from "../../http/rate-limits/rate-limits.ts";
import { mediaPages } from "./alert-files.ts";
import { type SentFile, sharedFiles } from "./shared-files.ts";

const size = 200_000;

/** Files of 200 kB, whose ids begin with f. Notes each read. */
function open(maxBytes = 3 * size) {
  const reads: string[] = [];
  const read = async (id: string) => {
    reads.push(id);
    await sleep(1);
    return id.startsWith("f") ? { mime: "image/png" as const, bytes: Buffer.alloc(size, id) } : null;
  };
  const files = sharedFiles(read, maxBytes);
  return { reads, open: (id: string) => files(id) as Promise<SentFile<string>> };
}

async function lengthOf({ body }: SentFile<string>): Promise<number> {
  let length = 0;
  for await (const chunk of body) length += chunk.length;
  return length;
}

test("a file is read once for all who are sent it at the same time, in chunks of one memory, and again later", async () => {
  const { reads, open: openFile } = open();
  const sent = await Promise.all([openFile("f1"), openFile("f1")]);
  const late = await openFile("f1");
  const [one, two] = await Promise.all(sent.map(async ({ body }) => (await once(body, "data"))[0] as Buffer));
  expect(one?.length).toBeLessThan(size);
  expect(one?.buffer).toBe(two?.buffer);
  for (const { body } of sent) body.destroy();
  expect([await lengthOf(late), late.size]).toEqual([size, size]);
  expect(reads).toEqual(["f1"]);
  expect(await lengthOf(await openFile("f1"))).toBe(size);
  expect(reads).toEqual(["f1", "f1"]);
});

test("a file that /media sends to two clients at once is read once, and neither gets it as one chunk", async () => {
  let reads = 0;
  const read = async () => {
    reads += 1;
    return { mime: "image/png" as const, bytes: Buffer.alloc(size) };
  };
  const show = mediaPages(read, noLimits)["GET /media"];
  const caller = { authorization: undefined, cookie: undefined, origin: undefined, host: undefined, address: "" };
  const request = { path: "/media", query: new URLSearchParams({ id: "f1" }), form: new URLSearchParams(), caller };
  const bodies = [await show?.(request), await show?.(request)].map((reply) => reply?.file?.body as Readable);
  const [chunk] = await once(bodies[0] as Readable, "data");
  expect([reads, chunk.length < size]).toEqual([1, true]);
});

test("when the files that are being sent have too many bytes, the answers that began first end", async () => {
  const { open: openFile } = open();
  const [first, again, second, third] = [await openFile("f1"), await openFile("f1"), await openFile("f2"), await openFile("f3")];
  const fourth = await openFile("f4");
  await sleep(1);
  expect([first, again, second, third, fourth].map(({ body }) => body.destroyed)).toEqual([true, true, false, false, false]);
  expect(await lengthOf(second)).toBe(size);
  await openFile("f5"); // the second one has left
  expect(third.body.destroyed).toBe(false);
});

test("an unknown file, and one that cannot be read, leave nothing behind", async () => {
  const { reads, open: openFile } = open();
  expect([await openFile("x"), await openFile("x")]).toEqual([null, null]);
  expect(reads).toEqual(["x", "x"]);
  const broken = sharedFiles(() => Promise.reject(new Error("away")), size);
  for (const _ of [1, 2]) await expect(broken("f1")).rejects.toThrow("away");
});
