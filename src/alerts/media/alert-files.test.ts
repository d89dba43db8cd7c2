import { beforeAll, expect, test } from "vitest";
import { maxFileBytes } from "../../http/contract/published.ts";
import { noLimits } from "../../http/rate-limits/rate-limits.ts";
import { saveSettings } from "../queue/controls.ts";
import { useOverlayFixture } from "../testing.ts";
import { type AlertFiles, mediaPages, openAlertFiles } from "./alert-files.ts";
import { gif, png, wav } from "./testing-files.ts";

const fixture = useOverlayFixture();
let files: AlertFiles;

beforeAll(() => {
  files = openAlertFiles(fixture.knex);
});

async function add(streamerId: string, bytes = png(), name = "a.png"): Promise<string> {
  const added = await files.add(streamerId, { name, bytes });
  if ("refused" in added) throw new Error(added.refused);
  return added.id;
}

test("an uploaded file is listed with its type and size, and read by its id alone", async () => {
  const streamerId = await fixture.newStreamer();
  const id = await add(streamerId, png(8, 4), "หมา.svg");
  expect(await files.list(streamerId)).toEqual([
    {
      ...{ id, kind: "image", mime: "image/png", name: "หมา.svg", size: png(8, 4).length, width: 8, height: 4 },
      ...{ createdAt: expect.any(Date), isUsed: false },
    },
  ]);
  expect(await files.read(id)).toEqual({ mime: "image/png", bytes: png(8, 4) });
  expect(id).toMatch(/^[A-Za-z0-9_-]{43}$/);
});

test("the same file that is uploaded again has another id, and nobody else lists or deletes it", async () => {
  const [streamerId, stranger] = [await fixture.newStreamer(), await fixture.newStreamer()];
  const [one, two] = [await add(streamerId), await add(streamerId)];
  expect(one).not.toBe(two);
  expect(await files.list(stranger)).toEqual([]);
  expect(await files.remove(stranger, one)).toBe("unknown");
  expect(await files.read(one)).not.toBeNull();
});

test("a file of 10 MiB and one byte is refused, whatever it is", async () =>
  expect(await files.add(await fixture.newStreamer(), { name: "a", bytes: Buffer.alloc(maxFileBytes + 1) })).toEqual({
    refused: "too_large",
  }));

test("200 MiB in all are room for 20 files of 10 MiB, of concurrent uploads as well", { timeout: 60_000 }, async () => {
  const streamerId = await fixture.newStreamer();
  await fixture.knex.raw(
    `insert into alert_files (id, streamer_id, kind, mime, name, bytes)
     select 'filler ' || n, ?, 'image', 'image/png', 'x', decode(repeat('00', ?), 'hex') from generate_series(1, 19) n`,
    [streamerId, maxFileBytes],
  );
  const large = gif(2, 2, { frames: 1 });
  const filler = maxFileBytes - large.length + 1;
  await fixture.knex.raw(
    "insert into alert_files (id, streamer_id, kind, mime, name, bytes) values ('last', ?, 'image', 'image/png', 'x', decode(repeat('00', ?), 'hex'))",
    [streamerId, filler - large.length - 1],
  );
  const added = await Promise.all(Array.from({ length: 4 }, () => files.add(streamerId, { name: "a", bytes: large })));
  expect(added.filter((one) => "id" in one)).toHaveLength(2);
  expect(added.filter((one) => "refused" in one && one.refused === "no_room")).toHaveLength(2);
});

test("a variation names only images and sounds of its own streamer, each in its place", async () => {
  const [streamerId, stranger] = [await fixture.newStreamer(), await fixture.newStreamer()];
  const [image, sound, foreign] = [await add(streamerId), await add(streamerId, wav()), await add(stranger)];
  const save = async (members: object) => {
    const saved = await saveSettings(fixture.knex, streamerId, { variations: [{ name: "v", from: 0, ...members }] });
    return saved && "unknownFile" in saved ? saved.unknownFile : null;
  };
  expect(await save({ image, sound })).toBeNull();
  expect(await save({ image: sound })).toBe("/variations/0/image must be the id of an uploaded image.");
  expect(await save({ sound: image })).toBe("/variations/0/sound must be the id of an uploaded sound.");
  expect(await save({ image: foreign })).toBe("/variations/0/image must be the id of an uploaded image.");
  expect((await files.list(streamerId)).map(({ isUsed }) => isUsed)).toEqual([true, true]); // what was refused has changed nothing
});

test("a file that a variation uses is not deleted; when none uses it any more, it is", async () => {
  const streamerId = await fixture.newStreamer();
  const [image, sound] = [await add(streamerId), await add(streamerId, wav())];
  await saveSettings(fixture.knex, streamerId, { variations: [{ name: "v", from: 0, image, sound }] });
  expect((await files.list(streamerId)).map(({ isUsed }) => isUsed)).toEqual([true, true]);
  expect([await files.remove(streamerId, image), await files.remove(streamerId, sound)]).toEqual(["in_use", "in_use"]);
  await saveSettings(fixture.knex, streamerId, { variations: [{ name: "v", from: 0, sound }] });
  expect([await files.remove(streamerId, image), await files.remove(streamerId, image)]).toEqual(["removed", "unknown"]);
  expect(await files.read(image)).toBeNull();
});

test("a file is served without any rights: nosniff, a sandbox, no other type than its own", async () => {
  const id = await add(await fixture.newStreamer(), png(), "evil.html");
  const caller = { authorization: undefined, cookie: undefined, origin: undefined, host: undefined, address: "" };
  const show = mediaPages(files.read, noLimits)["GET /media"];
  const { status, file } =
    (await show?.({ path: "/media", query: new URLSearchParams({ id }), form: new URLSearchParams(), caller })) ?? {};
  expect([status, file?.type]).toEqual([200, "image/png"]);
  expect(file?.headers).toMatchObject({
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "private, max-age=31536000, immutable",
  });
  for (const unknown of ["", "x", "A".repeat(43), `${id}x`, "' or 1=1 --"])
    await expect(
      show?.({ path: "/media", query: new URLSearchParams({ id: unknown }), form: new URLSearchParams(), caller }),
    ).rejects.toThrow("no such file");
});
