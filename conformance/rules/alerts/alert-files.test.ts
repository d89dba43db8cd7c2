import { afterEach, describe, expect, test } from "vitest";
import type { components } from "../../../generated/api.d.ts";
import { expectFaults, expectNow, expectProblem, problemOf } from "../../suite/client/api.ts";
import { send, sendUnchecked } from "../../suite/client/http-client.ts";
import { change, freshQueue } from "../../suite/client/overlay/alert-controls.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { type Media, media, pngChunk, pngOf, smallestFile, wavOf } from "../../suite/values/media.ts";
import { endAsNotRun } from "../../suite/values/running.ts";
import { keyOf, target } from "../../suite/values/target.ts";

type AlertFile = components["schemas"]["AlertFile"];
type Sent = { name?: string; type?: string; key?: string; chunked?: boolean };

const path = "/api/v1/alert-files";
const largest = 10 * 1_048_576;
/** What a streamer has room for: so many files, and so many bytes in all of them. */
const room = { files: 200, bytes: 200 * 1_048_576 };
const wav = Buffer.from(smallestFile, "latin1");

const uploaded: { id: string; key: string | undefined }[] = [];

async function upload(body: Uint8Array, { name = "a.wav", type = "audio/wav", key, chunked = false }: Sent = {}): Promise<Reply> {
  const headers = { "Content-Type": type };
  const reply = await send({ method: "POST", path: `${path}?name=${encodeURIComponent(name)}`, headers, body, key, chunked });
  if (reply.status === 201) uploaded.push({ id: fileOf(reply).id, key });
  if (target().foreign && reply.status === 409) await expectRoom(body.length, reply, key);
  return reply;
}

/** Ends the rule as "not run" where a streamer of someone else has no room for so many bytes: the answer is right then. */
async function expectRoom(bytes: number, reply: Reply, key?: string): Promise<void> {
  if (problemOf(reply).code !== "alert_files_full") return;
  const files = await listed(key);
  const sum = files.reduce((total, { size }) => total + size, bytes);
  if (files.length >= room.files || sum > room.bytes) endAsNotRun("the streamer has no room for another alert file");
}

const fileOf = ({ body }: Reply): AlertFile => (body as { data: AlertFile }).data;
const remove = (id: string, key?: string): Promise<Reply> => send({ method: "DELETE", path: `${path}/${id}`, key });
async function listed(key?: string): Promise<AlertFile[]> {
  const { status, body } = await send({ path, key });
  expect(status).toBe(200);
  return (body as { data: AlertFile[] }).data;
}

const idsOf = async (key?: string): Promise<string[]> => (await listed(key)).map(({ id }) => id);

/** Others may upload files meanwhile: a rule looks for the name of its own. */
const namesOf = async (): Promise<string[]> => (await listed()).map(({ name }) => name);

afterEach(async () => {
  for (const { id, key } of uploaded.splice(0)) await remove(id, key);
});

describe("files for alerts", () => {
  test("an uploaded file is answered 201 with what it is by its content, and listed in the same way", async () => {
    const name = " แมว\u00a0🐈 e\u0301.png ";
    const reply = await upload(pngOf(8, 4), { name, type: "image/png" });
    const expected = { kind: "image", mime: "image/png", name, size: pngOf(8, 4).length, width: 8, height: 4, used: false };
    expect([reply.status, fileOf(reply)]).toMatchObject([201, expected]);
    expect(await listed()).toContainEqual(fileOf(reply));
  });

  test("an uploaded file is served at /media byte by byte to whoever knows its id, with nosniff and a policy of its own", async () => {
    const { id } = fileOf(await upload(wav));
    const { status, headers, text } = await sendUnchecked({ path: `/media?id=${id}`, key: null });
    expect([status, text]).toEqual([200, smallestFile]);
    expect(headers).toMatchObject({
      "content-type": "audio/wav",
      "x-content-type-options": "nosniff",
    });
    // A file that is opened by itself runs nothing, whatever a browser takes it for.
    expect(headers["content-security-policy"]).toMatch(/\bsandbox\b|default-src 'none'|script-src 'none'/);
  });

  test.each(["image/png", "video/webm", "application/octet-stream", "AUDIO/OGG"])(
    "an uploaded file is what its content says although it was sent as %s",
    async (type) => expect(fileOf(await upload(wav, { type, name: "a.png" }))).toMatchObject({ kind: "sound", mime: "audio/wav" }),
  );

  test.each(media)("an uploaded file of the type $type is found by its content, under another name and type", async (one) => {
    const { type: mime, kind, width, height, bytes } = one;
    for (const type of ["application/octet-stream", kind === "image" ? "audio/wav" : "image/png"]) {
      const reply = await upload(bytes, { type, name: "holiday.svg" });
      expect([reply.status, fileOf(reply)]).toMatchObject([201, { kind, mime, width, height, size: bytes.length, name: "holiday.svg" }]);
      const { headers } = await sendUnchecked({ path: `/media?id=${fileOf(reply).id}`, key: null });
      expect(headers["content-type"]).toBe(mime);
    }
  });

  test("an uploaded file that is sent again is another file with another id", async () => {
    const [one, two] = [fileOf(await upload(wav)), fileOf(await upload(wav))];
    expect(one.id).not.toBe(two.id);
    expect(await idsOf()).toEqual(expect.arrayContaining([one.id, two.id]));
  });

  test("an uploaded file belongs to its streamer: another one neither lists nor deletes it", async (context) => {
    const { id } = fileOf(await upload(wav));
    const other = keyOf(context, "other");
    expect(await idsOf(other)).not.toContain(id);
    expectProblem(await remove(id, other), 404, "file_not_found");
    expect(await idsOf()).toContain(id);
  });

  test("an uploaded file is deleted once, and is not served any more", async () => {
    const { id } = fileOf(await upload(wav));
    expect((await remove(id)).status).toBe(204);
    expectProblem(await remove(id), 404, "file_not_found");
    expect((await sendUnchecked({ path: `/media?id=${id}`, key: null })).status).toBe(404);
  });

  test("uploaded files are listed newest first", async () => {
    const ids: string[] = [];
    for (const { bytes, type } of media.slice(0, 4)) {
      const reply = await upload(bytes, { type });
      expectNow(fileOf(reply).createdAt, reply);
      ids.push(fileOf(reply).id);
    }
    expect((await idsOf()).filter((id) => ids.includes(id))).toEqual(ids.toReversed());
  });

  test.each(["image", "sound"] as const)(
    "an uploaded file that a variation names as its %s is used, and can be deleted only when none names it any more",
    async (member) => {
      await freshQueue();
      const { bytes, type } = media.find(({ kind }) => kind === member) as Media;
      const [{ id }, unused] = [fileOf(await upload(bytes, { type })), fileOf(await upload(bytes, { type }))];
      const isUsed = async (): Promise<boolean | undefined> => (await listed()).find((file) => file.id === id)?.used;
      const others = { name: "small", from: 0, to: 1 };
      await change({ variations: [others, { name: "big", from: 500, [member]: id }] });
      expect(await isUsed()).toBe(true);
      expectProblem(await remove(id), 409, "file_in_use");
      expect((await remove(unused.id)).status).toBe(204);
      await change({ variations: [others] });
      expect(await isUsed()).toBe(false);
      expect((await remove(id)).status).toBe(204);
    },
  );

  test("a variation names an uploaded file of its own streamer and of the right kind, else it is refused with unknown_file", async (context) => {
    await freshQueue();
    const [image, sound] = (["image", "sound"] as const).map((kind) => media.find((one) => one.kind === kind) as Media);
    const idOf = async ({ bytes, type }: Media, key?: string) => fileOf(await upload(bytes, { type, key })).id;
    const [ownImage, ownSound] = [await idOf(image as Media), await idOf(sound as Media)];
    const theirs = await idOf(image as Media, keyOf(context, "other"));
    for (const members of [{ image: ownSound }, { sound: ownImage }, { image: theirs }])
      expectProblem(await change({ variations: [{ name: "a", from: 0, ...members }] }), 422, "unknown_file");
    expect((await change({ variations: [{ name: "a", from: 0, image: ownImage, sound: ownSound }] })).status).toBe(200);
    await change({ variations: [] });
  });
});

const bytesOf = (wanted: string): Buffer => media.find(({ type }) => type === wanted)?.bytes ?? Buffer.alloc(0);
const [jpeg, m4a] = [bytesOf("image/jpeg"), bytesOf("audio/mp4")];

/** The JPEG of one pixel, whose frame says that it has so many. */
function jpegOf(width: number, height: number): Buffer {
  const bytes = Buffer.from(jpeg);
  const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]));
  bytes.writeUInt16BE(height, frame + 5);
  bytes.writeUInt16BE(width, frame + 7);
  return bytes;
}

describe("refused files", () => {
  const text = (content: string): Buffer => Buffer.from(content);
  test.each([
    ["SVG", text('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ["HTML", text("<!doctype html><script>alert(1)</script>")],
    ["a ZIP archive", text(`PK\x05\x06${"\0".repeat(18)}`)],
    ["text", text("hello")],
    ["a picture of a phone in HEIC", text("\0\0\0\x18ftypheic\0\0\0\0mif1heic")],
  ])("a file is refused with unsupported_media_type when its content is %s, whatever type is sent", async (_, body) => {
    const name = crypto.randomUUID();
    for (const type of ["image/png", "application/octet-stream"])
      expectProblem(await upload(body, { type, name }), 415, "unsupported_media_type");
    expect(await namesOf()).not.toContain(name);
  });

  const withComment = Buffer.concat([
    pngOf(1, 1).subarray(0, 33),
    pngChunk("tEXt", text("Comment\0<script>alert(1)</script>")),
    pngOf(1, 1).subarray(33),
  ]);
  test.each([
    ["is empty", Buffer.alloc(0), "too_short"],
    ["ends early", pngOf(8, 8).subarray(0, -5), "invalid_format"],
    ["has another file behind its end", pngOf(8, 8, `PK\x05\x06${"\0".repeat(18)}`), "invalid_format"],
    ["has a script in a comment", withComment, "invalid_format"],
    ["is a small file of many pixels", pngOf(8_192, 8_192), "out_of_range"],
    ["is a JPEG that ends early", jpeg.subarray(0, -3), "invalid_format"],
    ["is a JPEG with another file behind its end", Buffer.concat([jpeg, Buffer.from(`PK\x05\x06${"\0".repeat(18)}`)]), "invalid_format"],
    ["is a JPEG of 65,535 × 65,535 pixels", jpegOf(65_535, 65_535), "out_of_range"],
    ["is an M4A that ends early", m4a.subarray(0, -3), "invalid_format"],
    ["is an M4A with another file behind its end", Buffer.concat([m4a, Buffer.from(`PK\x05\x06${"\0".repeat(18)}`)]), "invalid_format"],
  ])("a file is refused with validation_failed for the whole body when it %s, and nothing is stored", async (_, body, code) => {
    const name = crypto.randomUUID();
    expectFaults(await upload(body, { type: "image/png", name }), ` ${code}`);
    expect(await namesOf()).not.toContain(name);
  });

  test("a file is refused with payload_too_large when it has a byte more than 10 MiB, whether its length is declared or not", async () => {
    for (const chunked of [false, true]) expectProblem(await upload(wavOf(largest + 2), { chunked }), 413, "payload_too_large");
    const { status, headers } = await upload(wavOf(largest));
    expect([status, headers["content-type"]]).toEqual([201, expect.stringContaining("application/json")]);
  });

  test("a file is refused with alert_files_full when the streamer has 200 files, until one is deleted", {
    timeout: 120_000,
  }, async (context) => {
    if (target().foreign) context.skip("not run: it fills all the room that a streamer has");
    const key = keyOf(context, "other");
    for (let count = (await idsOf(key)).length; count < room.files; count += 1) expect((await upload(wav, { key })).status).toBe(201);
    expectProblem(await upload(wav, { key }), 409, "alert_files_full");
    expect(await idsOf(key)).toHaveLength(room.files);
    await remove(uploaded.pop()?.id ?? "", key);
    expect((await upload(wav, { key })).status).toBe(201);
  });
});

test("the name of a file is required, and has 1 to 100 code points", async () => {
  expect(fileOf(await upload(wav, { name: "🐈".repeat(100) })).name).toBe("🐈".repeat(100));
  expectFaults(await upload(wav, { name: "🐈".repeat(101) }), "name too_long");
  expectFaults(await upload(wav, { name: "" }), "name too_short");
  const unnamed = await send({ method: "POST", path, headers: { "Content-Type": "audio/wav" }, body: wav });
  expectFaults(unnamed, "name required");
});

test("faults of the query are answered only after the file has been found to be of a size that is taken", async () => {
  const headers = { "Content-Type": "audio/wav" };
  const reply = await send({ method: "POST", path: `${path}?colour=red`, headers, body: Buffer.alloc(largest + 1) });
  expectProblem(reply, 413, "payload_too_large");
});

test("every alert file is listed once, and none of another streamer", async (context) => {
  const [own, others] = [await idsOf(), await idsOf(keyOf(context, "other"))];
  expect(new Set([...own, ...others]).size).toBe(own.length + others.length);
});

test.each(["x", "A".repeat(43), "01932f6e-8a00-7000-8000-3f1e5a7c9b21", "%00", "..%2F..%2Fmedia"])(
  "the id %s names no alert file: file_not_found",
  async (id) => expectProblem(await remove(id), 404, "file_not_found"),
);
