import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import malformed from "../../cases/malformed.json" with { type: "json" };
import {
  create,
  createRaw,
  expectFaults,
  expectProblem,
  faultsOf,
  keyWithoutDonations,
  list,
  listAll,
  problemOf,
  recorded,
} from "../../suite/client/api.ts";
import { holds, holdsForAll } from "../../suite/client/holds.ts";
import { send } from "../../suite/client/http-client.ts";
import { broken, mutations, mutationsBut, severalMutations } from "../../suite/client/mutations.ts";
import { type Body, donation, donations, freshIdentifier } from "../../suite/values/donations.ts";
import { type Holder, keyOf } from "../../suite/values/target.ts";
import { text } from "../../suite/values/text.ts";

const valid = JSON.stringify(donation());
const limit = 65_536;
const mark = "\ufeff";

/** A valid body of exactly `size` bytes. */
const padded = (size: number): string => valid + " ".repeat(size - Buffer.byteLength(valid));

/** A body with `depth` nested levels; the body itself is the first. */
const nested = (depth: number): string => `{"donatorName":"a","amount":1,"x":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;

test.each(malformed)("a body is refused with malformed_json: $description", async ({ json }) =>
  expectProblem(await createRaw(json), 400, "malformed_json"),
);

test.each([
  ["a lone continuation byte", [0x80]],
  ["an overlong slash", [0xc0, 0xaf]],
  ["an encoded surrogate", [0xed, 0xa0, 0x80]],
  ["a truncated Thai letter", [0xe0, 0xb8]],
  ["a code point above U+10FFFF", [0xf4, 0x90, 0x80, 0x80]],
  ["the byte FF", [0xff]],
  ["TIS-620 Thai", [0xca, 0xc1, 0xaa, 0xd2, 0xc2]],
])("a body of invalid UTF-8 is refused with malformed_json: %s", async (_, bytes) =>
  expectProblem(
    await createRaw(Buffer.concat([Buffer.from('{"amount":1,"donatorName":"a'), Buffer.from(bytes), Buffer.from('"}')])),
    400,
    "malformed_json",
  ),
);

/** JSON of letters that have two bytes in UTF-16 and four in UTF-32. */
const zoe = '{"donatorName":"Zoé","amount":1}';
const utf16 = Buffer.from(zoe, "utf16le");
const utf32 = Buffer.concat([...zoe].map((letter) => Buffer.from([letter.charCodeAt(0), 0, 0, 0])));

test.each([
  ["Latin-1", Buffer.from(zoe, "latin1")],
  ["UTF-16LE", utf16],
  ["UTF-16BE", Buffer.from(utf16).swap16()],
  ["UTF-16LE with a byte order mark", Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])],
  ["UTF-16BE with a byte order mark", Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]).swap16()],
  ["UTF-32LE", utf32],
  ["UTF-32BE", Buffer.from(utf32).swap32()],
  ["UTF-32LE with a byte order mark", Buffer.concat([Buffer.from([0xff, 0xfe, 0, 0]), utf32])],
  ["UTF-32BE with a byte order mark", Buffer.concat([Buffer.from([0xff, 0xfe, 0, 0]), utf32]).swap32()],
])("a body that is encoded in %s is refused with malformed_json: JSON is UTF-8 (RFC 8259 8.1)", async (_, bytes) =>
  expectProblem(await createRaw(bytes), 400, "malformed_json"),
);

test("a message is read whole wherever its bytes are cut, with and without Content-Length", async () => {
  const message = "ก😀é";
  const others = JSON.stringify(donation()).slice(1);
  const pieces = [message, "\\u0e01\\ud83d\\ude00\\u00e9"].flatMap((written) => {
    const [start, body] = [`{"message":"`, `{"message":"${written}",${others}`];
    const cuts = Array.from({ length: Buffer.byteLength(written) - 1 }, (_, at) => start.length + at + 1);
    return cuts.flatMap((cut) => [true, false].map((chunked) => ({ body, chunked, cut })));
  });
  await holdsForAll(pieces, async ({ body, chunked, cut }) =>
    expect(recorded(await createRaw(body, { chunked, cuts: [cut], pauseMs: 50 })).message).toBe(message),
  );
});

test.each([
  ...["[]", `[${valid}]`, `"x"`, "1", "true", "null"],
  ...['["สมชาย",20]', '["สมชาย",20,"THB","","x","k",true,"2026-11-20T19:30:00Z"]'],
])("a body that is no object is refused with validation_failed at the root: %s", async (json) =>
  expectFaults(await createRaw(json), " invalid_type"),
);

test("a byte order mark before the body is ignored", async () => void recorded(await createRaw(mark + valid)));

test("a second byte order mark is refused with malformed_json", async () =>
  expectProblem(await createRaw(mark + mark + valid), 400, "malformed_json"));

test("JSON white space around the body is ignored", async () => void recorded(await createRaw(` \t\r\n${valid} \t\r\n`)));

describe("nesting", () => {
  test("a body of 32 nested levels is read", async () => expectFaults(await createRaw(nested(32)), "/x unknown_member"));
  test.each([33, 100, 30_000])("a body of %i nested levels is refused with malformed_json", async (depth) =>
    expectProblem(await createRaw(nested(depth)), 400, "malformed_json"),
  );
  test("nested objects count as levels like nested arrays", async () =>
    expectProblem(await createRaw(`{"x":${'{"x":'.repeat(32)}1${"}".repeat(33)}`), 400, "malformed_json"));
  test("brackets inside a string do not count as nesting", async () =>
    void recorded(await create(donation({ message: `\\"${"[{".repeat(60)}` }))));
});

describe("duplicate members: the last one counts", () => {
  test("the last of two duplicate members gives the value", async () =>
    expect(recorded(await createRaw('{"donatorName":"a","amount":5,"amount":7}')).amount).toBe(7));
  test("the last of two duplicate members counts when the first is invalid", async () =>
    expect(recorded(await createRaw('{"amount":"x","donatorName":null,"donatorName":"a","amount":7}')).amount).toBe(7));
  test("the last of two duplicate members is refused when it is invalid", async () =>
    expectFaults(await createRaw('{"donatorName":"a","amount":5,"amount":"x"}'), "/amount invalid_type"));
  test("the last of two duplicate members is refused when it is null", async () =>
    expectFaults(await createRaw('{"donatorName":"a","amount":5,"amount":null}'), "/amount invalid_type"));
  test("the last of two duplicate members counts when its name is escaped", async () =>
    expect(recorded(await createRaw('{"donatorName":"a","amount":5,"\\u0061mount":7}')).amount).toBe(7));
});

test.each([
  ["gzip", gzipSync(valid)],
  ["deflate", deflateSync(valid)],
  ["br", brotliCompressSync(valid)],
  ["identity", valid],
  ["unknown", valid],
])("a body with Content-Encoding %s is refused with unsupported_media_type", async (encoding, body) =>
  expectProblem(await createRaw(body, { headers: { "Content-Encoding": encoding } }), 415, "unsupported_media_type"),
);

test.each([
  "application/json",
  "application/json; charset=utf-8",
  "application/json;charset=UTF-8",
  'application/json; charset="utf-8"',
  "Application/JSON",
])("a body with Content-Type %s is accepted", async (type) => void recorded(await createRaw(valid, { headers: { "Content-Type": type } })));

test.each([
  "text/plain",
  "text/json",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/jsonp",
  "application/json-patch+json",
  "application/vnd.api+json",
  "application/csp-report",
  "application/problem+json",
  "application/json; charset=utf-16",
  "application/json; charset=tis-620",
  "*/*",
  "json",
  "",
])("a body with Content-Type %j is refused with unsupported_media_type", async (type) =>
  expectProblem(await createRaw(valid, { headers: { "Content-Type": type } }), 415, "unsupported_media_type"),
);

test("a body without Content-Type is refused with unsupported_media_type", async () =>
  expectProblem(await send({ method: "POST", path: "/api/v1/donations", body: valid }), 415, "unsupported_media_type"));

describe("64 KiB", () => {
  test("a body of 64 KiB is accepted", async () => void recorded(await createRaw(padded(limit))));
  test("a body of 64 KiB without Content-Length is accepted", async () => void recorded(await createRaw(padded(limit), { chunked: true })));
  test("a body of 64 KiB and one byte is refused with payload_too_large", async () =>
    expectProblem(await createRaw(padded(limit + 1)), 413, "payload_too_large"));
  test("a body of 64 KiB and one byte without Content-Length is refused with payload_too_large", async () =>
    expectProblem(await createRaw(padded(limit + 1), { chunked: true }), 413, "payload_too_large"));
  test("the size of a body is counted in bytes, not characters", async () =>
    expectProblem(await createRaw(`{"donatorName":"${"ก".repeat(22_000)}","amount":1}`), 413, "payload_too_large"));
  test("a body with a long fraction has the same limit of 64 KiB", async () => {
    expect(recorded(await createRaw(`{"donatorName":"a","amount":1.${"0".repeat(65_000)}1}`)).amount).toBe(1);
    expectProblem(await createRaw(`{"donatorName":"a","amount":1.${"0".repeat(limit)}1}`), 413, "payload_too_large");
  });
});

test("GET needs no Content-Type and no body", async () => expect((await list({ limit: 1 })).status).toBe(200));

const names = [
  "created_at",
  "CreatedAt",
  "donatorname",
  "amount ",
  "id",
  "source",
  "channel",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "$ref",
  "",
  "a/b",
  "a~b",
  "~1",
  "ชื่อ",
  "0",
];

/** JSON pointer to a member of the body (RFC 6901). */
const pointer = (name: string): string => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

test.each(names)("the unknown member %j is refused and named: request bodies are sealed", async (name) => {
  for (const value of ["null", "1", "9".repeat(5_000), `"x"`, String.raw`"\u0041"`, "{}", `[{"a":1}]`])
    expectFaults(await createRaw(`{"donatorName":"a","amount":1,${JSON.stringify(name)}:${value}}`), `${pointer(name)} unknown_member`);
});

test("a name that goes on behind NUL is another one", async () => {
  const reply = await createRaw('{"donatorName":"a","amount":1,"amount\\u0000":2}');
  expectProblem(reply, 400, "validation_failed");
  expect(faultsOf(reply)).toBeOneOf([["/amount\u0000 unknown_member"], ["/amount\ufffd unknown_member"]]); // as it was sent, or as texts are read
});

test("an unknown member that is sent twice is named once", async () =>
  expectFaults(await createRaw('{"donatorName":"a","amount":1,"x":1,"x":2}'), "/x unknown_member"));

test("any unknown member is refused and named", () =>
  holds(fc.tuple(donations, text(0, 20), fc.jsonValue({ maxDepth: 2 })), async ([body, name, value]) =>
    expectFaults(await create({ ...body, [`_${name}`]: value }), `${pointer(`_${name}`)} unknown_member`),
  ));

test("any single broken rule is refused and named", () =>
  holds(fc.tuple(donations, mutations), async ([body, mutation]) => expectFaults(await create(broken(body, mutation)), mutation.fault), {
    runs: 200,
  }));

test("several broken rules are all named, not only the first", () =>
  holds(fc.tuple(donations, severalMutations), async ([body, several]) => {
    const reply = await create({ ...broken(body, ...several), created_at: 1 });
    expectFaults(reply, "/created_at unknown_member", ...several.map(({ fault }) => fault));
  }));

const unknown = (count: number): Body => Object.fromEntries(Array.from({ length: count }, (_, index) => [`unknown${index}`, 1]));

test("100 faults are all named", async () => {
  const reply = await create(donation(unknown(100)));
  expect([faultsOf(reply).length, problemOf(reply).errorsTruncated]).toEqual([100, undefined]);
});

test("more than 100 faults: 100 are named, and errorsTruncated says so", async () => {
  const reply = await create(donation(unknown(101)));
  expect([faultsOf(reply).length, problemOf(reply).errorsTruncated]).toEqual([100, true]);
});

const everySource = { source: ["external", "native", "test"] };

test("a refused donation leaves nothing behind", () =>
  holds(mutationsBut("identifier"), async (mutation) => {
    const identifier = freshIdentifier();
    expect((await create(broken(donation({ identifier }), mutation))).status).toBe(400);
    expect(await listAll({ identifier, ...everySource })).toEqual([]);
  }));

type Refusal = [what: string, status: number, body: (body: Body) => string, headers?: Record<string, string>];

const refusals: Refusal[] = [
  ["malformed JSON", 400, (body) => `${JSON.stringify(body)}}`],
  ["too large a body", 413, (body) => JSON.stringify(body) + " ".repeat(65_536)],
  ["another content type", 415, (body) => JSON.stringify(body), { "Content-Type": "text/plain" }],
  ["an unknown member", 400, (body) => JSON.stringify({ ...body, created_at: 1 })],
];

test.each(refusals)("a refused donation with %s leaves nothing behind", async (_, status, text, headers) => {
  const identifier = freshIdentifier();
  expect((await createRaw(text(donation({ identifier })), { headers })).status).toBe(status);
  expect(await listAll({ identifier, ...everySource })).toEqual([]);
});

test.for<[Holder | "nobody", number]>([
  ["nobody", 401],
  ["readOnly", 403],
])("a refused donation sent by %s leaves nothing behind", async ([holder, status], context) => {
  const identifier = freshIdentifier();
  const key = holder === "nobody" ? null : keyOf(context, holder);
  expect((await create(donation({ identifier }), { key })).status).toBe(status);
  expect(await listAll({ identifier, ...everySource })).toEqual([]);
});

test("a donation refused for its idempotency key leaves nothing behind", async () => {
  const identifier = freshIdentifier();
  const body = donation({ identifier, idempotencyKey: identifier });
  expect([(await create(body)).status, (await create({ ...body, amount: 21 })).status]).toEqual([201, 422]);
  expect((await listAll({ identifier, ...everySource })).map(({ amount }) => amount)).toEqual([20]);
});

test("a streamer for whom every donation was refused has none", async (context) => {
  const key = await keyWithoutDonations(context);
  await holds(severalMutations, async (several) => expect((await create(broken(donation(), ...several), { key })).status).toBe(400));
  expect(await listAll(everySource, { key })).toEqual([]);
});
