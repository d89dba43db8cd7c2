import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { create, createRaw, faultsOf, get, listAll, problemOf, readDonation, recorded, replayed } from "../../suite/client/api.ts";
import { holds } from "../../suite/client/holds.ts";
import { send } from "../../suite/client/http-client.ts";
import { faultsOfOutcome, forms, type ImportOutcome, importAll, importLines, outcomesOf, verdictsOf } from "../../suite/client/imports.ts";
import { broken, mutationsBut } from "../../suite/client/mutations.ts";
import { addStreamerWithKeys, cli } from "../../suite/client/operator.ts";
import { scopes } from "../../suite/contract/contract.ts";
import { type Body, donation, donations, freshIdentifier, freshKey, fullDonation } from "../../suite/values/donations.ts";
import { keyOf, operatorOf } from "../../suite/values/target.ts";

const imported = (members: Body = {}): Body => donation({ idempotencyKey: freshKey(), ...members });
const idsOf = (outcomes: readonly ImportOutcome[]): (string | null)[] => outcomes.map(({ donationId }) => donationId);

describe.each(forms)("an import as %s", (form) => {
  test(`an import as ${form} records every donation of it, each with the members that it was sent with`, () =>
    holds(
      fc.array(donations, { minLength: 1, maxLength: 20 }),
      async (bodies) => {
        const sent = bodies.map((body) => ({ ...body, skipAlert: true, idempotencyKey: freshKey() }));
        const outcomes = outcomesOf(await importAll(form, sent));
        expect(outcomes.map(({ status }) => status)).toEqual(sent.map(() => 201));
        for (const [index, { donationId }] of outcomes.entries()) {
          const stored = readDonation(await get(String(donationId)));
          // A replay of the single operation compares every member with what is stored.
          expect(replayed(await create(sent[index]))).toEqual(stored);
        }
      },
      { runs: 20 },
    ));

  test(`a donation of an import as ${form} is refused for the faults that the single operation names, and the others are recorded`, () =>
    holds(
      mutationsBut("idempotencyKey"),
      async (mutation) => {
        const faulty = broken(imported(), mutation);
        const single = faultsOf(await create(faulty));
        const outcomes = outcomesOf(await importAll(form, [imported(), faulty, imported()]));
        expect(outcomes.map(({ status }) => status)).toEqual([201, 400, 201]);
        expect(faultsOfOutcome(outcomes[1] as ImportOutcome)).toEqual(single);
      },
      { runs: 100 },
    ));

  test(`of a donation of an import as ${form} with more than 100 faults 100 are named, and errorsTruncated says so`, async () => {
    const faulty = (count: number) => imported(Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, index])));
    const problems = outcomesOf(await importAll(form, [faulty(100), faulty(101)])).map(({ problem }) => problem);
    expect(problems.map((problem) => problem?.errors?.length)).toEqual([100, 100]);
    expect(problems.map((problem) => problem?.errorsTruncated)).toEqual([undefined, true]);
  });

  test(`a donation of an import as ${form} without idempotencyKey is refused with required`, async () => {
    const [outcome] = outcomesOf(await importAll(form, [donation()]));
    expect(faultsOfOutcome(outcome as ImportOutcome)).toEqual(["/idempotencyKey required"]);
  });

  test(`an import as ${form} that is sent again records nothing and answers 200 with the donations recorded first`, async () => {
    const identifier = freshIdentifier();
    const sent = Array.from({ length: 30 }, (_, index) => imported({ identifier, amount: index + 1 }));
    const first = await importAll(form, sent.slice(0, 20));
    const again = await importAll(form, sent);
    expect(verdictsOf(again)).toEqual(sent.map((_, index) => (index < 20 ? 200 : 201)));
    expect(idsOf(outcomesOf(again)).slice(0, 20)).toEqual(idsOf(outcomesOf(first)));
    expect(await listAll({ identifier })).toHaveLength(30);
  });

  test(`a key of an import as ${form} is one with that of the single operation`, async () => {
    const single = recorded(await create(fullDonation()));
    const { idempotencyKey } = single;
    const same = { ...fullDonation(), identifier: single.identifier, idempotencyKey };
    const other = { ...same, amount: 1 };
    const reply = await importAll(form, [same, other]);
    expect(verdictsOf(reply)).toEqual([200, "idempotency_key_reused"]);
    expect(idsOf(outcomesOf(reply))).toEqual([single.id, null]);
  });

  test(`a key twice in one import as ${form} records one donation: the second is a replay, or refused when it is another donation`, async () => {
    const sent = imported();
    const reply = await importAll(form, [sent, sent, { ...sent, message: "another" }]);
    expect(verdictsOf(reply)).toEqual([201, 200, "idempotency_key_reused"]);
  });

  test(`a refused donation of an import as ${form} uses up no idempotency key, neither of an import nor of the single operation`, async () => {
    const sent = [imported({ skipAlert: true }), imported({ skipAlert: true })];
    expect(
      verdictsOf(
        await importAll(
          form,
          sent.map((one) => ({ ...one, amount: 0 })),
        ),
      ),
    ).toEqual(["validation_failed", "validation_failed"]);
    recorded(await create(sent[0]));
    expect(verdictsOf(await importAll(form, sent))).toEqual([200, 201]);
  });

  test(`a donation of an import as ${form} raises no alert unless skipAlert is false`, async () => {
    const sent = [imported({ skipAlert: undefined }), imported({ skipAlert: true }), imported({ skipAlert: false })];
    const outcomes = outcomesOf(await importAll(form, sent));
    const stored = await Promise.all(outcomes.map(async ({ donationId }) => readDonation(await get(String(donationId)))));
    expect(stored.map(({ skipAlert }) => skipAlert)).toEqual([true, true, false]);
    expect(stored.map(({ alert }) => alert.reason === "skip_alert")).toEqual([true, true, false]);
  });

  test(`an import as ${form} has the id that the request names, and otherwise a new one, in the header Import-Id`, async () => {
    const importId = crypto.randomUUID();
    expect((await importAll(form, [imported()], { importId })).headers["import-id"]).toBe(importId);
    const news = await Promise.all([imported(), imported()].map((one) => importAll(form, [one])));
    expect(new Set(news.map(({ headers }) => headers["import-id"])).size).toBe(2);
  });

  test(`two streamers import the same keys as ${form} under the same import id, and each has donations of its own`, async (context) => {
    const stranger = keyOf(context, "other");
    const importId = crypto.randomUUID();
    const sent = [imported(), imported()];
    const [own, theirs] = [await importAll(form, sent, { importId }), await importAll(form, sent, { importId, key: stranger })];
    expect([verdictsOf(own), verdictsOf(theirs)]).toEqual([
      [201, 201],
      [201, 201],
    ]);
    const [id] = idsOf(outcomesOf(theirs));
    expect((await get(String(id))).status).toBe(404);
  });
});

test("an import as JSON says its id in the body as well", async () => {
  const reply = await importAll("JSON", [imported()]);
  expect((reply.body as { data: { importId: string } }).data.importId).toBe(reply.headers["import-id"]);
});

test("the last of two members with one name counts in a donation of an import as JSON", async () => {
  const body = JSON.stringify({ donations: [imported({ amount: 1 })] }).replace('"amount":1', '"amount":1,"amount":2');
  const headers = { "Content-Type": "application/json" };
  const [outcome] = outcomesOf(await send({ method: "POST", path: "/api/v1/donations/batch", headers, body }));
  expect(readDonation(await get(String(outcome?.donationId))).amount).toBe(2);
});

test("an import as JSON of 1000 donations is recorded, each has its outcome, and no key is forgotten for it", async () => {
  const first = fullDonation();
  const original = recorded(await create(first));
  const identifier = freshIdentifier();
  const sent = Array.from({ length: 1000 }, (_, index) => imported({ identifier, amount: index + 1 }));
  expect(verdictsOf(await importAll("JSON", sent))).toEqual(sent.map(() => 201));
  expect(verdictsOf(await importAll("JSON", sent))).toEqual(sent.map(() => 200));
  expect(replayed(await create(first))).toEqual(original);
  expect((await listAll({ identifier, limit: 100 })).map(({ amount }) => amount).sort((a, b) => a - b)).toEqual(
    sent.map((_, index) => index + 1),
  );
});

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

// Files as banks, programs and people in Thailand write them: what a client reads is what the author of the file sees.

/** The bytes of Thai Windows: ASCII, and Thai letters in one byte each. */
const windows874 = (text: string): Buffer =>
  Buffer.from(
    [...text].map((letter) => ((letter.codePointAt(0) ?? 0) < 128 ? letter.charCodeAt(0) : (letter.codePointAt(0) ?? 0) - 0xd60)),
  );

const utf16 = (text: string): Buffer => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);

/** Dates with Buddhist years, amounts with thousands and baht, and names in Thai. */
const lines = ["วันที่,เวลา,ชื่อ,จำนวนเงิน,ข้อความ", '20/11/2569,19:30,สมชาย ใจดี,"฿1,234.50",ขอบคุณครับ', '5/1/2567,08:05,น้ำใจ,"500.00 บาท",สู้ๆ'];

const files: [what: string, bytes: Buffer][] = [
  ["Thai Windows (windows-874)", windows874(lines.map((line) => line.replace("฿", "THB ")).join("\r\n"))],
  ["UTF-16 with a byte order mark", utf16(lines.join("\r\n"))],
  ["UTF-8, with tabs", Buffer.from(lines.map((line) => line.replaceAll(/"([^"]*)"|,/g, (_, quoted) => quoted ?? "\t")).join("\n"))],
];

test.for(files)(
  "a file with Buddhist years, baht amounts and Thai names in %s is imported as its author sees it",
  async ([, bytes], context) => {
    const operator = operatorOf(context);
    const handle = `files-${crypto.randomUUID().slice(0, 8)}`;
    const { key } = await addStreamerWithKeys(operator, handle, scopes.join(" "));
    const folder = await mkdtemp(join(tmpdir(), "namjai-import-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, "tips.csv");
    await writeFile(file, bytes);
    await cli(operator, "donations", "import", file, "--streamer", handle, "--date-order", "day-first");
    const donations = await listAll({ sort: "createdAt" }, { key });
    expect(donations.map(({ createdAt, donatorName, amount, message }) => [createdAt, donatorName, amount, message])).toEqual([
      ["2024-01-05T01:05:00.000Z", "น้ำใจ", 500, "สู้ๆ"],
      ["2026-11-20T12:30:00.000Z", "สมชาย ใจดี", 1234.5, "ขอบคุณครับ"],
    ]);
  },
);
