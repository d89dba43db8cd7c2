import { describe, expect, test } from "vitest";
import { createAny, donationWith, excerptOf, isAccepted, isRefused } from "../suite/models/verdicts.ts";
import { freshKey } from "../suite/values/donations.ts";
import { tried } from "../suite/values/score.ts";

// What the interface leaves to the server may be accepted or refused. A status of 5xx is neither: the server says that it has failed.

const withMember = (text: string): string => donationWith({}).replace("{", () => `{${text},`);
const withMessage = (written: string): string => donationWith({ message: `"${written}"` });
/** A text of which this is a part, and which was never sent before. */
const withKey = (member: "identifier" | "idempotencyKey", written: string): string =>
  donationWith({ [member]: `"${freshKey()}${written}"` });

const undecided: [what: string, body: () => string | Uint8Array][] = [
  ["an unknown member", () => withMember('"created_at":1')],
  ["a member named __proto__", () => withMember('"__proto__":{"skipAlert":1}')],
  ["a member named constructor", () => withMember('"constructor":{"prototype":null}')],
  ["a member with an empty name", () => withMember('"":0')],
  ["a hundred unknown members", () => withMember(Array.from({ length: 100 }, (_, at) => `"m${at}":null`).join())],
  ["an unknown member of five thousand digits", () => withMember(`"m":${"9".repeat(5_000)}`)],
  ["a member twice", () => donationWith({ amount: "1" }).replace("}", ',"amount":2}')],
  ["a member twice, once with another type", () => donationWith({ amount: "1" }).replace("}", ',"amount":"2"}')],
  ["the first half of a surrogate pair", () => withMessage("\\ud83d")],
  ["the second half of a surrogate pair", () => withMessage("\\ude00")],
  ["a surrogate pair the wrong way round", () => withMessage("\\ude00\\ud83d")],
  ["half a surrogate pair in an unknown name", () => withMember('"\\ud800":1')],
  ["NUL", () => withMessage("a\\u0000b")],
  ["NUL in its identifier", () => withKey("identifier", "\\u0000")],
  ["NUL in its idempotencyKey", () => withKey("idempotencyKey", "\\u0000")],
  ["half a surrogate pair in its identifier", () => withKey("identifier", "\\ud800")],
  ["half a surrogate pair in its idempotencyKey", () => withKey("idempotencyKey", "\\ud800")],
  ["half a surrogate pair as its createdAt", () => donationWith({ createdAt: '"\\ud800"' })],
  ["half a surrogate pair as its currency", () => donationWith({ currency: '"\\ud800"' })],
  ["control characters", () => withMessage("\\u0001\\u001b[31m\\u007f\\u0085")],
  ["line breaks", () => withMessage("a\\r\\nb\\u2028c")],
  ["a noncharacter", () => withMessage("\\uffff")],
  ["a byte order mark before the body", () => `\ufeff${donationWith({})}`],
  ["bytes that are no UTF-8", () => Buffer.from(donationWith({ message: '"\u00ff"' }), "latin1")],
  ["an amount that no double tells from 0", () => donationWith({ amount: "1e-400" })],
  ["an amount that no double tells from the largest", () => donationWith({ amount: "1000000.00000000001" })],
  ["an amount with an exponent of thousands of digits", () => donationWith({ amount: `1e-${"9".repeat(4_000)}` })],
  ["an amount of thousands of digits", () => donationWith({ amount: `0.${"3".repeat(4_000)}` })],
  ["an unknown member that nests five hundred arrays", () => withMember(`"deep":${"[".repeat(500)}${"]".repeat(500)}`)],
  ["a createdAt in the year 0000", () => donationWith({ createdAt: '"0000-02-29T00:00Z"' })],
  ["a createdAt that leaves the year 9999 in UTC", () => donationWith({ createdAt: '"9999-12-31T23:59-23:59"' })],
  ["a createdAt with a fraction of a thousand digits", () => donationWith({ createdAt: `"2026-11-20T19:30:00.${"9".repeat(1_000)}Z"` })],
];

describe("createDonation", () => {
  test.each(undecided)("a donation with %s is accepted or refused, and the server does not fail (interface 4.1)", async (_, body) => {
    tried("body");
    const reply = await createAny(body());
    expect(isAccepted(reply) || isRefused(reply), excerptOf(reply)).toBe(true);
  });
});
