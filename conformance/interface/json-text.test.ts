import fc from "fast-check";
import { describe, expect, test } from "vitest";
import malformed from "../cases/malformed.json" with { type: "json" };
import { holds, holdsForAll, holdsForEach } from "../suite/client/holds.ts";
import { lengthsOf } from "../suite/contract/interface.ts";
import { createAny, donationWith, excerptOf, expectAccepted, expectRefused, isRefused } from "../suite/models/verdicts.ts";
import { type Body, donation, donations, freshName, withFreshIdentifier } from "../suite/values/donations.ts";
import { tried } from "../suite/values/score.ts";
import { longestFitting, shortestExceeding } from "../suite/values/text.ts";

// Generates the different JSON texts of one object (RFC 8259): order, white space, escapes, notations of a number.

/** How a text is written; the choices are used in turn. */
type Style = { blanks: string[]; escapes: number[]; order: number };

const styles: fc.Arbitrary<Style> = fc.record({
  blanks: fc.array(fc.constantFrom("", " ", "\n", "\t", "\r\n", "  "), { minLength: 1, maxLength: 7 }),
  escapes: fc.array(fc.nat(3), { minLength: 1, maxLength: 11 }),
  order: fc.nat(50),
});

/** JSON texts of these bodies; `__proto__` and the like never occur in them. */
const jsonSpellings = (bodies: fc.Arbitrary<Body>): fc.Arbitrary<string> =>
  fc.tuple(bodies, styles).map(([body, style]) => writtenIn(style, body));

function writtenIn({ blanks, escapes, order }: Style, body: Body): string {
  let [blanksUsed, escapesUsed] = [0, 0];
  const blank = (): string => blanks[blanksUsed++ % blanks.length] ?? "";
  const letter = (character: string): string => escaped(character, escapes[escapesUsed++ % escapes.length] ?? 0);
  const text = (value: string): string => `"${[...value].map(letter).join("")}"`;
  const value = (one: unknown): string =>
    typeof one === "string" ? text(one) : typeof one === "number" ? number(one, order) : String(one);
  const members = Object.entries(body).map(([name, one]) => `${blank()}${text(name)}${blank()}:${blank()}${value(one)}${blank()}`);
  const turned = [...members.slice(order % members.length), ...members.slice(0, order % members.length)];
  return `${blank()}{${turned.join(",")}}${blank()}`;
}

const short: Record<string, string> = { "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "/": "\\/" };

/** `way` 0 and 1: plain where that is possible; 2: a short escape where there is one; 3: \uXXXX. */
function escaped(character: string, way: number): string {
  if (way === 2 && short[character]) return short[character];
  if (way !== 3) return JSON.stringify(character).slice(1, -1);
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index).toString(16).padStart(4, "0"));
  return units.map((unit) => `\\u${way % 2 === 0 ? unit : unit.toUpperCase()}`).join("");
}

/** The same double: as JavaScript writes it, with an exponent, or with zeros behind it. */
function number(value: number, way: number): string {
  const text = String(value);
  if (way % 3 === 1) return value.toExponential();
  if (way % 3 === 2 && /^\d+$/.test(text)) return `${text}.000`;
  return text;
}

// Interface 1: all bodies are JSON. What RFC 8259 leaves to readers (duplicate members, a byte order mark, lone surrogates,
// depth and size) is left out here, and so are bytes that are no UTF-8: the interface does not name an encoding.

const decided = malformed.filter(({ json }) => !json.startsWith("\ufeff"));
const valid = (members: Body = {}): string =>
  JSON.stringify({ ...donation({ skipAlert: true }), message: "สู้ๆ \\ 😀", createdAt: "2026-11-20T19:30:00Z", ...members });

describe("a body that is no JSON", () => {
  test.each(decided)("a body that is no JSON is refused: $description (interface 1)", ({ json }) => expectRefused(json, "", "json"));

  test("a body that is cut short anywhere is refused (interface 1)", () => {
    const whole = Buffer.from(valid());
    return holdsForAll(
      Array.from({ length: whole.length }, (_, length) => whole.subarray(0, length)),
      (part) => expectRefused(part, "", "json"),
    );
  });
});

/** A donation's values in the order of the table of interface 2.1, without their names. */
const valuesInOrder = ['["สมชาย",20]', '["สมชาย",20,"THB","","x","k",true,"2026-11-20T19:30:00Z"]'];

describe("a body that is no object", () => {
  test.each(["null", "true", "1", '"donation"', "[]", '["donatorName","amount"]', ...valuesInOrder])(
    "a body that is no object is refused: %s (interface 4.1)",
    (json) => expectRefused(json, "", "object"),
  );

  test("a donation in an array is refused (interface 4.1)", () => expectRefused(`[${valid()}]`, "", "object"));
  test("a donation in a string is refused (interface 4.1)", () => expectRefused(JSON.stringify(valid()), "", "object"));
});

const field = (name: string, value: string): string => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

test.each([
  { type: "application/x-www-form-urlencoded", form: "donatorName=a&amount=1&skipAlert=true" },
  {
    type: "multipart/form-data; boundary=x",
    form: `${field("donatorName", "a")}${field("amount", "1")}${field("skipAlert", "true")}--x--\r\n`,
  },
])("a donation that is sent as a form is refused, because all bodies are JSON: $type (interface 1)", async ({ type, form }) => {
  tried("body");
  const reply = await createAny(form, { headers: { "Content-Type": type } });
  expect(isRefused(reply), excerptOf(reply)).toBe(true);
});

/** A fresh identifier contains the run's id, whose escapes no seed decides: it is added afterwards. */
const withoutIdentifier = donations.map(({ identifier: _, ...body }) => ({ ...body, skipAlert: true }));

describe("a body is read as JSON", () => {
  test.each([
    [
      "blanks of every kind around everything",
      withFreshIdentifier('\n\t{ "donatorName"\t:\r\n"a" ,\n"amount" : 1 \r,\t"skipAlert"  :\n\ttrue\r}\n\n'),
    ],
    ["blanks around the body", ` \t\r\n${valid({ donatorName: freshName() })}\n\n`],
    ["names that are written with escapes", donationWith({}).replace("donatorName", "\\u0064onatorN\\u0061me")],
    ["texts that are written with escapes", donationWith({ donatorName: '"\\u0e2a\\u0e21\\u0E0A\\u0e32\\u0E22"' })],
    ["an escaped solidus", donationWith({ message: '"a\\/b"' })],
    ["every short escape but those of control characters", donationWith({ message: '"\\"\\\\\\/"' })],
    ["an astral character as two escapes", donationWith({ message: '"\\ud83d\\ude00"' })],
    ["no character above ASCII", donationWith({ donatorName: '"a"' })],
  ])("a donation is accepted when its JSON has %s (interface 1)", (_, body) => expectAccepted(body));

  test("a donation is accepted in any valid JSON spelling (interface 1)", () =>
    holds(jsonSpellings(withoutIdentifier), (body) => expectAccepted(withFreshIdentifier(body)), { runs: 300 }));

  test("a JSON escape counts as the character that it stands for (interface 2.1)", () =>
    holdsForEach(["\\u0e01", "\\ud83d\\ude00", "\\u1e69", "\\\\", "\\u0041"], async (written) => {
      const { max } = lengthsOf("donatorName");
      const character = JSON.parse(`"${written}"`) as string;
      const times = (text: string): string => `"${written.repeat(text.length / character.length)}"`;
      const fits = longestFitting((count) => character.repeat(count), max);
      const long = shortestExceeding((count) => character.repeat(count), max);
      await expectAccepted(donationWith({ donatorName: times(fits) }), "donatorName");
      await expectRefused(donationWith({ donatorName: times(long) }), "donatorName", "longest");
    }));

  test("a donation is accepted wherever its bytes are cut, also inside of a letter (interface 1)", () =>
    holdsForEach(["ก", "😀", "é"], async (letter) => {
      const { max } = lengthsOf("donatorName");
      const name = longestFitting((count) => letter.repeat(count), max);
      for (let byte = 1; byte < Buffer.byteLength(letter); byte += 1) {
        const body = donationWith({ donatorName: JSON.stringify(name) });
        const cuts = [Buffer.from(body).indexOf(letter) + byte];
        await expectAccepted(body, "donatorName", { chunked: false, cuts, pauseMs: 40 });
      }
    }));

  test("a value that is valid only after a second decoding is refused (interface 2.1)", async () => {
    await expectRefused(donationWith({ currency: '"\\\\u0054HB"' }), "currency", "allowed");
    await expectRefused(donationWith({ createdAt: '"2026-11-20T19%3A30%3A00Z"' }), "createdAt", "time");
  });
});
