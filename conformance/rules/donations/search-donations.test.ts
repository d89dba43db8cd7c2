import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  create,
  type Donation,
  expectFaults,
  ids,
  listAll,
  pageOf,
  post,
  type Query,
  recorded,
  recordSome,
  search,
  searchAll,
  takeBack,
} from "../../suite/client/api.ts";
import { holds, holdsForEach } from "../../suite/client/holds.ts";
import { send } from "../../suite/client/http-client.ts";
import { importAll, verdictsOf } from "../../suite/client/imports.ts";
import { addDonation, addStreamerWithKeys, cli } from "../../suite/client/operator.ts";
import { lengthsOf } from "../../suite/contract/interface.ts";
import { fullOnly } from "../../suite/values/depth.ts";
import { type Body, donation, freshIdentifier } from "../../suite/values/donations.ts";
import { keyOf, operatorOf } from "../../suite/values/target.ts";

/** Letters that no other donation has. */
const token = (): string =>
  randomUUID()
    .replaceAll("-", "")
    .replace(/[0-9]/g, (digit) => "กขคงจฉชซญด"[Number(digit)] as string);

const found = async (q: string, query = {}): Promise<string[]> => ids(await searchAll({ q, limit: 100, ...query }));

describe("a text is found wherever it occurs, as soon as the donation was answered", () => {
  const texts = [
    "สมชาย ใจดี",
    "น้ำใจ",
    "PlayerOne",
    "gg เก่งมาก wp",
    "🎉🎉 ยินดีด้วย",
    "👨‍👩‍👧",
    "ญี่ปุ่น",
    "é à ü",
    "İstanbul",
    "ﷺ",
    "a+b&c=d%20",
    "\"quoted\" 'words'",
    "tab\tand\nline",
  ];
  test.each(texts)("a search finds %j in donatorName, message and identifier", async (text) => {
    const own = token().slice(0, 12);
    const inName = await post({ donatorName: `${own}${text}` });
    const inMessage = await post({ message: `x ${own}${text} y` });
    const inIdentifier = await post({ identifier: `${own}${text}` });
    expect((await found(own + text)).sort()).toEqual(ids([inName, inMessage, inIdentifier]).sort());
  });

  test("a search finds any part of a text, even of one or two letters", async () => {
    const identifier = freshIdentifier();
    const { id } = await post({ identifier, message: "ขอบคุณครับ🦉" });
    for (const part of ["ข", "🦉", "บ", "ุณ", "ครับ", "ขอบคุณครับ🦉", "ับ🦉"]) expect(await found(part, { identifier })).toEqual([id]);
  });
});

test("a search finds the last letters of the longest message", async () => {
  const { max } = lengthsOf("message");
  for (const alphabet of [[..."กขคงจฉช"], [..."🦉🎉😀👍🏻"], [..."xyz"]]) {
    const identifier = freshIdentifier();
    const letters = Array.from({ length: max - 3 }, (_, index) => alphabet[index % alphabet.length] as string);
    const message = [...letters, ..."ฮ🐘Q"];
    const { id } = await post({ identifier, message: message.join("") });
    for (const count of [3, 100]) expect(await found(message.slice(-count).join(""), { identifier })).toEqual([id]);
  }
});

describe("letters", () => {
  test("a search does not distinguish upper and lower case", async () => {
    const own = token();
    const { id } = await post({ message: `${own} ÀéΣß ЖЖ Iii` });
    for (const q of [`${own} àéσß жж iIi`.toUpperCase(), `${own} ÀÉς`, `${own} àéΣSS`, `${own} àéσß жж iii`])
      expect(await found(q)).toEqual([id]);
  });

  test("a search does not distinguish composed and decomposed letters", async () => {
    const own = token();
    const { id } = await post({ message: `${own} café ก้ำ`.normalize("NFD") });
    const other = await post({ message: `${own} café ก้ำ`.normalize("NFC") });
    for (const form of ["NFC", "NFD"]) expect((await found(`${own} café ก้ำ`.normalize(form))).sort()).toEqual([id, other.id].sort());
  });

  test("a search distinguishes accents and tone marks: letters are compared in NFKC, not without their marks", async () => {
    const [own, identifier] = [token(), freshIdentifier()];
    const { id } = await post({ identifier, message: `${own} café ①Ａ² ก่า` });
    for (const q of [`${own} CAFÉ ①ａ² ก่า`, `${own} café 1a2 ก่า`]) expect(await found(q, { identifier })).toEqual([id]);
    for (const q of [`${own} cafe`, `${own} café 1a2 กา`, "กา"]) expect(await found(q, { identifier })).toEqual([]);
  });

  test("a search distinguishes texts by characters that nobody sees, such as zero-width blanks, soft hyphens and variation selectors", async () => {
    const identifier = freshIdentifier();
    for (const unseen of ["", "\u00ad", "\u200b", "\u200d", "\u2060", "\ufe0f"]) {
      const { id } = await post({ identifier, message: `x${unseen}y` });
      expect(await found(`x${unseen}y`, { identifier })).toEqual([id]);
    }
  });

  test("a search does not distinguish ำ and its two letters, with a tone mark as well", async () => {
    const [own, identifier] = [token(), freshIdentifier()];
    const spellings = [
      ["ด\u0e33", "ด\u0e4d\u0e32"],
      ["น\u0e49\u0e33", "น\u0e49\u0e4d\u0e32", "น\u0e4d\u0e49\u0e32"],
    ];
    for (const one of spellings) {
      const posted = await Promise.all(one.map((word) => post({ identifier, message: `${own} x${word}y` })));
      for (const word of one) expect((await found(`x${word}y`, { identifier })).sort(), JSON.stringify(word)).toEqual(ids(posted).sort());
    }
  });

  test.each(["%", "_", "\\", "%%", "\\%", "a_c", "^.*$", "(", "[a]", "?", "'", "--", "\u0001", " ", '"b"', "-b", "+b", "b*"])(
    "a search takes %j literally",
    async (mark) => {
      const identifier = freshIdentifier();
      const { id } = await post({ identifier, message: `x${mark}y` });
      await post({ identifier, message: "xabcy" });
      expect(await found(mark, { identifier })).toEqual([id]);
    },
  );

  test("a search counts every blank, and no match reaches from one member into the next", async () => {
    const own = `${token()}ß`; // folding changes its letter
    await post({ donatorName: `${own}ab`, message: "cd", identifier: "ef" });
    for (const q of [`${own} ab`, ` ${own}ab`, `${own}ab `, `\n${own}ab`, `${own}abcd`, `${own}ab cd`, `${own}ab\ncd`])
      expect(await found(q)).toEqual([]);
  });
});

const words = fc
  .array(fc.constantFrom("ก", "า", "น้", "a", "A", "é", "😀", "%", "_", "\\", " "), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join(""));

test("a search finds exactly the donations that contain the text, for any texts", async () => {
  const identifier = freshIdentifier();
  const messages = fc.sample(fc.array(words, { minLength: 1, maxLength: 4 }), { numRuns: 60, seed: 7 }).map((parts) => parts.join(""));
  const donations = await Promise.all(messages.map((message) => post({ identifier, message })));
  const plain = (text: string): string => text.normalize("NFC").toLocaleLowerCase("en");
  await holds(
    words,
    async (q) => {
      const holding = donations.filter(({ message, donatorName }) =>
        [message, donatorName, identifier].some((text) => plain(text).includes(plain(q))),
      );
      expect((await found(q, { identifier })).sort()).toEqual(ids(holding).sort());
    },
    { runs: 60 },
  );
});

test("a search shows the newest createdAt first, and pages of any size show every match once", async () => {
  const { identifier, donations } = await recordSome(12);
  const q = donations[0]?.donatorName as string;
  const expected = donations
    .map((one, index) => ({ ...one, index }))
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt) || b.index - a.index)
    .map(({ id }) => id);
  for (const limit of [1, 5, 12, 100]) expect(await found(q, { identifier, limit })).toEqual(expected);
});

test("matches behind a long history are found newest first, equal times in the reverse order of recording, also once they are indexed", async (context) => {
  fullOnly(context, "it records a long history, and waits for an index of it");
  const operator = operatorOf(context);
  const handle = `search-${Date.now().toString(36)}`;
  const { key } = await addStreamerWithKeys(operator, handle, "read:donations write:donations");
  const record = async (members: Body): Promise<string> => recorded(await create(donation({ skipAlert: true, ...members }), { key })).id;
  const own = token();
  const expected: string[] = [];
  for (let count = 0; count < 6; count += 1) expected.unshift(await record({ message: own, createdAt: "2024-05-01T00:00Z" }));
  expected.push(await record({ message: own, createdAt: "2024-04-30T23:59:59.999Z" }));
  await holdsForEach(Array.from({ length: 600 }), () => record({ createdAt: "2024-06-01T00:00Z" }), 24);
  for (let round = 0; round < 3; round += 1) {
    for (const limit of [2, 100]) expect(ids(await searchAll({ q: own, limit }, { key }))).toEqual(expected);
    await sleep(2_500); // a server may index in the background
  }
});

test("matches behind a long history obey the filters, whether an index finds them or not", async (context) => {
  fullOnly(context, "it records a long history");
  const operator = operatorOf(context);
  const handle = `search-${Date.now().toString(36)}`;
  const { key } = await addStreamerWithKeys(operator, handle, "read:donations write:donations void:donations");
  const record = async (members: Body) => recorded(await create(donation({ skipAlert: true, ...members }), { key }));
  const own = token();
  const wanted = await record({ message: own, amount: 10, identifier: own, createdAt: "2024-05-01T00:00Z" });
  const voided = await record({ message: own, amount: 10, identifier: own, createdAt: "2024-05-01T00:00Z" });
  const dear = await record({ message: own, amount: 99, identifier: own, createdAt: "2024-05-01T00:00Z" });
  const other = await record({ message: own, amount: 10, createdAt: "2024-05-01T00:00Z" });
  const early = await record({ message: own, amount: 10, identifier: own, createdAt: "2024-04-01T00:00Z" });
  await takeBack(voided, "refund", { key });
  const later = Array.from({ length: 600 }, () => donation({ createdAt: "2024-06-01T00:00Z", idempotencyKey: freshIdentifier() }));
  expect(new Set(verdictsOf(await importAll("JSON", later, { key })))).toEqual(new Set([201]));
  const questions: [Query, Donation[]][] = [
    [{}, [other, dear, wanted, early]],
    [{ maxAmount: 10 }, [other, wanted, early]],
    [{ identifier: own }, [dear, wanted, early]],
    [{ from: "2024-05-01" }, [other, dear, wanted]],
    [{ status: "voided" }, [voided]],
    [{ channel: "card" }, []],
    [{ source: "test" }, []],
    [{ maxAmount: 10, identifier: own, from: "2024-05-01" }, [wanted]],
  ];
  for (const isIndexed of [false, true]) {
    if (isIndexed) await cli(operator, "search", "rebuild");
    for (const [query, expected] of questions)
      for (const limit of [1, 100]) expect(ids(await searchAll({ q: own, limit, ...query }, { key }))).toEqual(ids(expected));
  }
});

test("donations that arrive between two pages of a search move nothing", async () => {
  const { identifier, donations } = await recordSome(6);
  const q = donations[0]?.donatorName as string;
  const first = pageOf(await search({ q, identifier, limit: 2 }));
  await post({ identifier, createdAt: "2024-02-01T00:00Z" });
  const rest = await searchAll({ q, identifier, limit: 2, cursor: first.pagination.nextCursor ?? "" });
  const seen = ids([...first.data, ...rest]);
  expect([new Set(seen).size, donations.filter(({ id }) => seen.includes(id)).length]).toEqual([seen.length, 6]);
});

test("the last page of a search has no cursor", async () => {
  expect(pageOf(await search({ q: token(), from: "1970-01-01", to: "1970-01-02" }))).toEqual({
    data: [],
    pagination: { nextCursor: null, hasMore: false, limit: 20 },
  });
});

test("a search obeys the filters of the list", async () => {
  const own = token();
  const [small, large] = [
    await post({ message: own, amount: 10, identifier: `${own}a`, createdAt: "2024-05-01T00:00Z" }),
    await post({ message: own, amount: 99, identifier: `${own}A` }),
  ];
  expect(await found(own, { maxAmount: 10 })).toEqual([small.id]);
  expect(await found(own, { minAmount: 11, source: "external", channel: "external" })).toEqual([large.id]);
  expect(await found(own, { channel: "card" })).toEqual([]);
  expect(await found(own, { channel: ["card", "external"], source: ["test", "external"] })).toEqual([large.id, small.id]);
  expect(await found(own, { identifier: `${own}a` })).toEqual([small.id]);
  for (const from of [{ from: "2024-05-01" }, {}]) expect(await found(own, { ...from, to: "2024-05-01" })).toEqual([small.id]);
  expect(await found(own, { from: "2024-05-01T00:00:00.0009Z", to: "2024-05-01T00:01Z" })).toEqual([small.id]);
  expect(await found(own, { from: "2024-04-30", to: "2024-05-01T00:00Z" })).toEqual([]);
  expect(await found(own, { from: "2024-04-30", to: "2024-04-30", timezone: "America/New_York" })).toEqual([small.id]);
});

test("a search looks into no member but donatorName, message and identifier", async (context) => {
  const [identifier, idempotencyKey] = [token(), token()];
  const one = await post({ identifier, idempotencyKey, amount: 7654.25 });
  const words = [idempotencyKey, one.id, one.source, one.channel, one.currency, one.createdAt.slice(0, 10), String(one.amount)];
  for (const q of words) expect(await found(q, { identifier })).toEqual([]);
  expect(await searchAll({ q: idempotencyKey, identifier }, { key: keyOf(context, "secondApplication") })).toEqual([]);
});

test("a search finds tests only when source names them", async (context) => {
  fullOnly(context, "it waits for the operator's command line");
  const amount = 600_000 + Math.floor(Math.random() * 2 ** 40) / 2 ** 22;
  await addDonation(operatorOf(context), "test", "card", amount);
  const only = { minAmount: amount, maxAmount: amount, limit: 100 };
  const [one] = await listAll({ source: "test", ...only });
  const q = one?.donatorName ?? "";
  expect(ids(await searchAll({ q, source: "test", ...only }))).toEqual([one?.id]);
  expect(await searchAll({ q, ...only })).toEqual([]);
});

test("a search never finds another streamer's donations", async (context) => {
  const own = token();
  recorded(await create(donation({ message: own }), { key: keyOf(context, "other") }));
  expect(await found(own)).toEqual([]);
});

test("a search hides another application's idempotency keys", async (context) => {
  const own = token();
  await post({ message: own, idempotencyKey: own });
  const keys = async (key?: string): Promise<unknown[]> =>
    (await searchAll({ q: own }, { key })).map(({ idempotencyKey }) => idempotencyKey);
  expect([await keys(), await keys(keyOf(context, "secondApplication"))]).toEqual([[own], [null]]);
});

describe("q", () => {
  test("a search without q is refused", async () => expectFaults(await search({}), "q required"));
  test("a search names the missing q together with faults of other parameters", async () =>
    expectFaults(await search({ limit: 0, sort: "amount" }), "limit out_of_range", "q required", "sort unknown_parameter"));
  test("a search with q of no letter is refused with too_short", async () => expectFaults(await search({ q: "" }), "q too_short"));
  test("a search with q of 101 code points is refused with too_long", async () =>
    expectFaults(await search({ q: "😀".repeat(101) }), "q too_long"));
  test("a search with q of 100 code points of any alphabet is accepted", async () => {
    for (const letter of ["x", "ก", "😀"]) expect((await search({ q: letter.repeat(100) })).status).toBe(200);
  });
  test("a search with two q is refused", async () =>
    expectFaults(await send({ path: "/api/v1/donations/search?q=a&q=b" }), "q repeated_parameter"));
  test("a search names the fault of q together with those of other parameters", async () =>
    expectFaults(await search({ limit: 0, q: "", sort: "amount" }), "limit out_of_range", "q too_short", "sort unknown_parameter"));
});
