// Members that are texts of a bounded length (interface 2.1).

import { randomInt } from "node:crypto";
import fc from "fast-check";
import { describe, expect, type TestContext, test } from "vitest";
import { holds } from "../suite/client/holds.ts";
import { uncounted } from "../suite/client/trace.ts";
import { lengthsOf } from "../suite/contract/interface.ts";
import { createAny, donationWith, excerptOf, expectAccepted, expectRefused, isAccepted } from "../suite/models/verdicts.ts";
import { evaluate } from "../suite/values/broken-rules.ts";
import { freshKey } from "../suite/values/donations.ts";
import { edge, edgesOf, expectEdges, lengthEdge, tried } from "../suite/values/score.ts";
import {
  type Alphabet,
  alphabets,
  exceeding,
  fitting,
  lengthUnit,
  longestFitting,
  shortestExceeding,
  text,
  textOf,
} from "../suite/values/text.ts";

lengthRules("donatorName", lengthsOf("donatorName"));

describe("donatorName", () => {
  test("donatorName of no character is refused (interface 2.1)", async () => {
    await expectRefused(donationWith({ donatorName: '""' }), "donatorName", "shortest");
    expectEdges([lengthEdge("donatorName", 0)]);
  });

  test.each(alphabets)("donatorName of one character is accepted (interface 2.1): %s", async (alphabet) => {
    await holds(textOf(1, alphabet), (value) => expectAccepted(donationWith({ donatorName: JSON.stringify(value) }), "donatorName"), {
      runs: 8,
    });
    expectEdges([lengthEdge("donatorName", 1, alphabet)]);
  });

  test.each(["0", "-1", "1e3", "NaN", "null", "undefined", "false", "2026-11-20T19:30:00+07:00", "2026-11-20"])(
    "donatorName may be a text that reads as a number, a boolean or null, or as a date (interface 2.1): %s",
    (name) => expectAccepted(donationWith({ donatorName: JSON.stringify(name) }), "donatorName"),
  );
});

// The message.

lengthRules("message", lengthsOf("message"));

describe("message", () => {
  test("message of no character is accepted: it has no lower bound (interface 2.1)", async () => {
    await expectAccepted(donationWith({ message: '""' }), "message");
    expectEdges([lengthEdge("message", 0)]);
  });

  test("message may hold what would be a command elsewhere, or a value of another type (interface 2.1)", async () => {
    for (const message of [
      "<script>alert(1)</script>",
      "'; drop table donations; --",
      "{{7*7}}",
      "../../etc/passwd",
      "%00%0a",
      "=1+1",
      "http://example.com",
      "0",
      "null",
      "2026-11-20T19:30:00+07:00",
      "2026-11-20",
    ])
      await expectAccepted(donationWith({ message: JSON.stringify(message) }), "message");
  });
});

// The identifier.

// The interface does not state how a server uses the identifier: no rule here expects one to be accepted twice.

lengthRules("identifier", { ...lengthsOf("identifier"), unique: true });

describe("identifier", () => {
  test("identifier of no character is accepted: it has no lower bound (interface 2.1)", async (context) => {
    await acceptsUnused(context, "identifier", [""]);
    expectEdges([lengthEdge("identifier", 0)]);
  });
});

// The idempotency key.

// The interface does not state how a server uses the key: no rule here sends one key with two donations.

lengthRules("idempotencyKey", { ...lengthsOf("idempotencyKey"), unique: true });

describe("idempotencyKey", () => {
  test("idempotencyKey of no character is refused (interface 2.1)", async () => {
    await expectRefused(donationWithEmptyKey(), "idempotencyKey", "shortest");
    expectEdges([lengthEdge("idempotencyKey", 0)]);
  });

  test("idempotencyKey of one character is accepted (interface 2.1)", async (context) => {
    await acceptsUnused(context, "idempotencyKey", anyCharacters(5));
    expectEdges([lengthEdge("idempotencyKey", 1)]);
  });
});

// The rules of a text's length, for each member that has bounds.

/** `unique`: no two donations may share the text, so each begins with a fresh one. */
type Lengths = { min: number; max: number; unique?: boolean };

/** The rules of a text that has from `min` to `max` characters, in the run's unit of lengths. */
function lengthRules(member: string, { min, max, unique = false }: Lengths): void {
  const own = (value: string): string => (unique ? withFreshBeginning(value) : value);
  const body = (value: string): string => donationWith({ [member]: JSON.stringify(value) });
  const taken = (value: string): Promise<void> => expectAccepted(body(value), member);
  const tooLong = (value: string): Promise<void> => expectRefused(body(value), member, "longest");
  const takenUpTo = (value: string, length: number): Promise<void> => taken(fitting(own(value), length));
  const tooLongFor = (value: string, length: number): Promise<void> => tooLong(exceeding(own(value), length));

  const few = unique ? 60 : min + 1; // short ones may have been used before

  describe(member, () => {
    test.each(alphabets)(
      `${member} of ${max} characters is accepted, of ${max + 1} refused (interface 2.1): %s`,
      async (alphabet: Alphabet) => {
        await holds(
          fc.tuple(textOf(max, alphabet), textOf(max + 1, alphabet)),
          ([fits, long]) => inTurn([() => takenUpTo(fits, max), () => tooLongFor(long, max)]),
          { runs: 16 },
        );
        if (lengthUnit() === "code-points" || alphabet === "ascii")
          expectEdges(unique ? [lengthEdge(member, max), lengthEdge(member, max + 1)] : pair(member, max, alphabet));
      },
    );

    test(`${member} of ${few}, ${few + 1}, ${max - 1} and ${max} characters is accepted (interface 2.1)`, async () => {
      const lengths = [few, few + 1, max - 1, max];
      await holds(textsOf(...lengths), (values) => inTurn(values.map((value, at) => () => takenUpTo(value, lengths[at] ?? max))), {
        runs: 8,
      });
      if (lengthUnit() === "code-points") expectEdges([lengthEdge(member, max - 1), lengthEdge(member, max)]);
    });

    test(`${member} of any length from ${few} to ${max} characters is accepted (interface 2.1)`, () =>
      holds(text(few, max), (value) => takenUpTo(value, max), { runs: 120 }));

    test(`${member} of more than ${max} characters is refused (interface 2.1)`, async () => {
      const lengths = [max + 1, max + 2, 2 * max, 1000];
      await holds(textsOf(...lengths), (values) => inTurn(values.map((value, at) => () => tooLongFor(value, (lengths[at] ?? 0) - 1))), {
        runs: 8,
      });
      if (lengthUnit() === "code-points") expectEdges([lengthEdge(member, max + 1)]);
    });

    test.each(sameLooks)(`${member} is counted in characters, not in anything else: %s (interface 2.1)`, async (_, unit) => {
      const text = (count: number): string => own(repeated(unit, count));
      await taken(longestFitting(text, max));
      await tooLong(shortestExceeding(text, max));
      if (lengthUnit() === "code-points") expectEdges([lengthEdge(member, max), lengthEdge(member, max + 1)]);
    });
  });
}

/** Texts whose letters, bytes, UTF-16 units or normal forms are fewer or more than their code points. */
const sameLooks: [what: string, unit: string][] = [
  ["letters of one byte", "a"],
  ["letters of two bytes", "é"],
  ["letters of three bytes", "ก"],
  ["letters of four bytes", "😀"],
  ["letters that normalise to fewer code points", "e\u0301"],
  ["letters that normalise to more code points", "\u1e69"],
  ["a ligature that decomposes to eighteen", "\ufdfa"],
  ["letters that grow in capitals", "ß"],
  ["Thai syllables", "กี้"],
  ["Thai sara am, which decomposes", "น้ำ"],
  ["a family in one picture", "👨\u200d👩\u200d👧\u200d👦"],
  ["flags", "🇹🇭"],
  ["a waving hand with a skin tone", "👋🏽"],
  ["blanks between letters", "a   b"],
  ["no-break spaces between letters", "a\u00a0\u00a0\u00a0b"],
  ["zero-width spaces between letters", "a\u200b\u200b\u200bb"],
  ["quotation marks and backslashes", '"\\'],
];

/** Exactly `length` code points. */
const repeated = (unit: string, length: number): string => {
  const codePoints = [...unit];
  return Array.from({ length }, (_, index) => codePoints[index % codePoints.length]).join("");
};

const pair = (member: string, max: number, alphabet: Alphabet): string[] => [
  lengthEdge(member, max, alphabet),
  lengthEdge(member, max + 1, alphabet),
];

/** A text of each of these lengths, each of one alphabet. */
const textsOf = (...lengths: number[]): fc.Arbitrary<string[]> =>
  fc.tuple(...lengths.map((length) => fc.constantFrom(...alphabets).chain((alphabet) => textOf(length, alphabet))));

async function inTurn(steps: readonly (() => Promise<void>)[]): Promise<void> {
  for (const step of steps) await step();
}

/** The same number of code points, or more where there are fewer than a fresh key has. */
function withFreshBeginning(value: string): string {
  const key = freshKey();
  return key + [...value].slice(key.length).join("");
}

// Rules about identifiers and idempotency keys that are so short that an earlier run may have used them. The interface does not say
// what a server answers to one that was used before, so it may refuse it.

/**
 * Expects one of these valid values to be accepted. When all are refused and the server refuses every value that was used before, the
 * rule is not run. The digest of the run does not count the requests, because no seed decides the values.
 */
async function acceptsUnused(context: TestContext, member: string, values: readonly string[]): Promise<void> {
  const answers: string[] = [];
  for (const value of values) {
    tried(member);
    const { body, reply } = await createWith(member, value);
    for (const name of edgesOf(Buffer.from(body))) edge(name);
    if (isAccepted(reply)) return;
    answers.push(`${JSON.stringify(value)}: ${excerptOf(reply)}`);
  }
  if (values.includes("") && (await isRefusedTwice(member)))
    context.skip(`not run: this server accepts each ${member} once, and an earlier run may have used the one of this rule`);
  throw new Error(`none of these values of ${member} is accepted\n  ${answers.join("\n  ")}`);
}

/**
 * The donation with an empty idempotencyKey, the same in every run. A server that accepts the key replays this donation, and answers any other
 * one as a conflict, which looks like a refusal of the key.
 */
const donationWithEmptyKey = (): string => donationWith({ idempotencyKey: '""' }, { donatorName: "สมชาย", amount: 20, skipAlert: true });

// CJK ideographs: one character in every unit of lengths.
const [firstCharacter, lastCharacter] = [0x3400, 0x9fff];

/** Different values of one character each, of so many that an earlier run has hardly used all of them. */
function anyCharacters(count: number): string[] {
  const values = new Set<string>();
  while (values.size < count) values.add(String.fromCodePoint(randomInt(firstCharacter, lastCharacter)));
  return [...values];
}

async function isRefusedTwice(member: string): Promise<boolean> {
  const value = freshKey();
  const first = await createWith(member, value);
  const second = await createWith(member, value);
  return isAccepted(first.reply) && !isAccepted(second.reply);
}

async function createWith(member: string, value: string) {
  const body = donationWith({ [member]: JSON.stringify(value) });
  expect(evaluate(Buffer.from(body))).toEqual({ broken: [], open: [] });
  return { body, reply: await uncounted(() => createAny(body)) };
}
