import fc from "fast-check";
import { expect, test } from "vitest";

import { createRaw, listAll, problemOf } from "../../suite/client/api.ts";
import { holds } from "../../suite/client/holds.ts";
import { importLines, outcomesOf, verdictsOf } from "../../suite/client/imports.ts";
import { donation, freshIdentifier, freshKey } from "../../suite/values/donations.ts";

const line = (members: object = {}): string => JSON.stringify(donation({ idempotencyKey: freshKey(), skipAlert: true, ...members }));
const limit = 65_536;

/** What the single operation says of these bytes. */
async function verdictOfSingle(bytes: Buffer): Promise<number | string> {
  const reply = await createRaw(bytes);
  return reply.status < 300 ? reply.status : problemOf(reply).code;
}

const spellings: [name: string, bytes: () => string | Buffer][] = [
  ["a line that ends with CR LF", () => `${line()}\r`],
  ["a line with a byte order mark", () => `\uFEFF${line()}`],
  ["a line with a member twice", () => line().replace("{", '{"amount":0,')],
  ["a number too large for a double", () => line().replace(/"amount":\d+/, '"amount":1e400')],
  ["a number of many digits", () => line().replace(/"amount":\d+/, '"amount":1.00000000000000000000000000001')],
  ["invalid UTF-8", () => Buffer.concat([Buffer.from(line({ message: "" }).replace('""', '"')), Buffer.from([0xff]), Buffer.from('"}')])],
  ["broken JSON", () => line().slice(0, -1)],
  ["an array", () => `[${line()}]`],
  ["deep nesting", () => `{"x":${"[".repeat(40)}${"]".repeat(40)}}`],
  ["an escaped NUL", () => line({ message: "a\0b" })],
  ["a line of exactly the limit", () => line().padEnd(limit)],
  ["a line above the limit", () => line().padEnd(limit + 1)],
];

test.each(spellings)("%s is judged as the single operation judges it, and the lines beside it are recorded", async (_, make) => {
  const bytes = Buffer.from(make());
  const body = Buffer.concat([Buffer.from(`${line()}\n`), bytes, Buffer.from(`\n${line()}\n`)]);
  const [before, judged, after, ...others] = verdictsOf(await importLines(body));
  // Sent first, so that a valid line is a replay for the single operation.
  const single = await verdictOfSingle(bytes);
  expect([before, after, others]).toEqual([201, 201, []]);
  expect(judged === 201 ? 200 : judged).toBe(single);
});

test("empty lines are left out, and have one outcome at the end: their number, and the place of the first", async () => {
  const lines = [line(), "", line(), " \t", "\r", "", line()];
  const [first, second, third, empty, ...others] = outcomesOf(await importLines(lines.join("\n")));
  expect([first, second, third].map((outcome) => [outcome?.index, outcome?.status])).toEqual([
    [0, 201],
    [2, 201],
    [6, 201],
  ]);
  expect(empty).toMatchObject({ index: 1, status: 400, donationId: null, problem: { code: "malformed_json", emptyLines: 4 } });
  expect(others).toEqual([]);
});

test("a hundred thousand empty lines have one outcome, and the donations between and behind them are recorded", async () => {
  const empty = "\n".repeat(50_000);
  const outcomes = outcomesOf(await importLines(`${empty}${line()}\n${empty}${line()}`));
  expect(outcomes.map(({ index, status }) => [index, status])).toEqual([
    [50_000, 201],
    [100_001, 201],
    [0, 400],
  ]);
  expect(outcomes.at(-1)?.problem?.emptyLines).toBe(100_000);
});

test("a line with a byte order mark alone is no empty line", async () =>
  expect(verdictsOf(await importLines(`\uFEFF\n${line()}`))).toEqual(["malformed_json", 201]));

test("the last line needs no line feed, and no lines at all are answered with none", async () => {
  expect(verdictsOf(await importLines(`${line()}\n${line()}`))).toEqual([201, 201]);
  expect(verdictsOf(await importLines("\n", { chunked: true }))).toEqual(["malformed_json"]);
  expect(outcomesOf(await importLines("", { chunked: true }))).toEqual([]);
});

test("an outcome is one line for clients that split lines at U+0085, U+2028 and U+2029 as well", async () => {
  const reply = await importLines(`${JSON.stringify({ ...donation({ idempotencyKey: freshKey() }), "a\u0085b\u2028c\u2029": 1 })}\n`);
  expect(outcomesOf(reply).map(({ problem }) => problem?.errors?.map(({ pointer }) => pointer))).toEqual([["/a\u0085b\u2028c\u2029"]]);
});

test("the same bytes have the same answers, however they are cut into pieces", () =>
  holds(
    fc.record({
      kinds: fc.array(fc.constantFrom("good", "broken", "empty", "long", "ไทย"), { minLength: 1, maxLength: 12 }),
      cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }),
      ends: fc.boolean(),
    }),
    async ({ kinds, cuts, ends }) => {
      const texts = {
        good: () => line(),
        broken: () => "{",
        empty: () => "",
        long: () => "x".repeat(limit + 1),
        ไทย: () => line({ message: "ก็๊🇹🇭" }),
      };
      const body = Buffer.from(kinds.map((kind) => texts[kind]()).join("\n") + (ends ? "\n" : ""));
      const whole = verdictsOf(await importLines(body));
      const cut = await importLines(body, { cuts: cuts.map((at) => Math.floor(at * body.length)) });
      expect(verdictsOf(cut)).toEqual(whole.map((verdict) => (verdict === 201 ? 200 : verdict)));
      const lines = kinds.at(-1) === "empty" && !ends ? kinds.slice(0, -1) : kinds;
      const expected = { good: 201, broken: "malformed_json", long: "payload_too_large", ไทย: 201 };
      const judged = lines.flatMap((kind) => (kind === "empty" ? [] : [expected[kind]]));
      expect(whole).toEqual(lines.includes("empty") ? [...judged, "malformed_json"] : judged);
    },
    { runs: 30 },
  ));

test("thousands of lines are answered in their order, and each is recorded once", async () => {
  const identifier = freshIdentifier();
  const amounts = Array.from({ length: 3000 }, (_, index) => index + 1);
  const reply = await importLines(amounts.map((amount) => `${line({ identifier, amount })}\n`).join(""));
  expect(verdictsOf(reply)).toEqual(amounts.map(() => 201));
  const stored = await listAll({ identifier, sort: "receivedAt", limit: 100 });
  expect(stored.map(({ amount }) => amount)).toEqual(amounts);
  expect(outcomesOf(reply).map(({ donationId }) => donationId)).toEqual(stored.map(({ id }) => id));
});
