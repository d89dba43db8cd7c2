// Sound values of a donation: date-times, amounts, and whole bodies.

import { createHash } from "node:crypto";
import fc from "fast-check";
import { daysIn, dayText, digits } from "../contract/date-time.ts";
import { lengthsOf, maxAmount } from "../contract/interface.ts";
import { running } from "./running.ts";
import { target } from "./target.ts";
import { fitting, text } from "./text.ts";

// Generates date-times that interface 2.2 allows, from their parts.

/** The parts of a date-time as they are written. */
export type Parts = { date: string; hour: string; minute: string; second: string | null; fraction: string | null; zone: string };

/** A month just before the first release of the suite. A fixed one: the same seed sends the same bytes. */
const plausibleMonth = "2026-10";

/** The date, on a server of someone else that of its day in a month with 31 of them: only rules about dates record donations of odd years there. */
const plausible = (date: string): string => (target().foreign ? plausibleMonth + date.slice(plausibleMonth.length) : date);

/** The place in a date-time, on a server of someone else one behind its year: in another one the donation could be the streamer's latest. */
export const behindYear = (place: number): number => (target().foreign ? Math.max(place, "2026".length) : place);

/** Without the first and the last year, out of which an offset may lead: the interface does not say whether such a time is accepted. */
const years = fc.oneof(
  fc.constantFrom(2, 4, 100, 400, 1582, 1899, 1900, 1969, 1970, 2000, 2024, 2038, 2100, 9996, 9998),
  fc.integer({ min: 2, max: 9998 }),
);

export const dates: fc.Arbitrary<string> = fc
  .record({
    year: years,
    month: fc.integer({ min: 1, max: 12 }),
    fromEnd: fc.oneof(fc.constantFrom(0, 27), fc.integer({ min: 0, max: 27 })),
  })
  .map(({ year, month, fromEnd }) => dayText({ year, month, day: daysIn(year, month) - fromEnd }));

const twoDigits = (max: number): fc.Arbitrary<string> =>
  fc.oneof(fc.constantFrom(0, max), fc.integer({ min: 0, max })).map((value) => digits(value, 2));

const offsets = fc
  .tuple(fc.constantFrom("+", "-"), twoDigits(23), twoDigits(59))
  .map(([sign, hours, minutes]) => `${sign}${hours}:${minutes}`);

const zones = fc.oneof(fc.constantFrom("Z", "+07:00", "-00:00", "+00:00", "+23:59", "-23:59"), offsets);

const fractions = fc.oneof(
  fc.constantFrom("0", "9", "999", "9995", "9999999", "0009"),
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 40 }),
);

export const parts: fc.Arbitrary<Parts> = fc
  .record({
    date: dates,
    hour: twoDigits(23),
    minute: twoDigits(59),
    second: fc.option(twoDigits(59)),
    digits: fc.option(fractions),
    zone: zones,
  })
  .map(({ digits: fraction, date, ...rest }) => ({ ...rest, date: plausible(date), fraction: rest.second === null ? null : fraction }));

export const written = ({ date, hour, minute, second, fraction, zone }: Parts): string =>
  `${date}T${hour}:${minute}${second === null ? "" : `:${second}`}${fraction === null ? "" : `.${fraction}`}${zone}`;

export const dateTimes: fc.Arbitrary<string> = parts.map(written);

// Generates bodies of donations and amounts, and keys and identifiers that were never used.

/** A body of createDonation as JSON says it. */
export type Body = { [member: string]: unknown };

/** The smallest valid body, with what the rule is about. Someone else's streamer is not alerted, unless the rule is about alerts. */
export const donation = (members: Body = {}): Body => ({
  donatorName: "สมชาย",
  amount: 20,
  ...(target().foreign ? { skipAlert: true } : {}),
  ...members,
});

/** Every optional member is there, and none has its default. */
export const fullDonation = (): Body => ({
  donatorName: "สมชาย ใจดี",
  amount: 123.45,
  currency: "THB",
  message: "สู้ๆ ครับ",
  identifier: freshIdentifier(),
  idempotencyKey: freshKey(),
  skipAlert: true,
  createdAt: "2026-11-20T19:30:00+07:00",
});

const keysOf = new Map<string, number>();

/** Never used before, in this run or in another; but for the run's own id the same whenever the same test runs. */
export const freshKey = (): string => `conformance:${freshText()}`;

/** The name of a donator who has never donated before. */
export const freshName = (): string => `สมชาย ${freshText()}`;

function freshText(): string {
  const test = createHash("sha256")
    .update(running()?.fullName ?? "")
    .digest("hex")
    .slice(0, 12);
  const count = (keysOf.get(test) ?? 0) + 1;
  keysOf.set(test, count);
  return `${target().runId}:${test}:${String(count).padStart(6, "0")}`;
}

/** Sets the donations of one test apart from all others on the server. */
export const freshIdentifier = freshKey;

// Neighbours of IEEE doubles, and amounts.

const bits = (value: number): bigint => new BigUint64Array(new Float64Array([value]).buffer)[0] ?? 0n;
const fromBits = (pattern: bigint): number => new Float64Array(new BigUint64Array([pattern]).buffer)[0] ?? 0;

/** The next double above a positive one. */
export const nextUp = (value: number): number => fromBits(bits(value) + 1n);

/** The next double below a positive one. */
export const nextDown = (value: number): number => fromBits(bits(value) - 1n);

/** The smallest double above 0. */
export const tiniest = fromBits(1n);

/** Amounts that interface 2.1 allows, with the edges frequent. Of a server of someone else they are small: other rules try its bounds. */
export const amounts: fc.Arbitrary<number> = fc
  .oneof(
    fc.constantFrom(tiniest, 0.01, 1, nextDown(1), 0.1 + 0.2, 123.45, nextDown(maxAmount), maxAmount),
    fc.integer({ min: 1, max: maxAmount * 100 }).map((satang) => satang / 100),
    fc.double({ min: 0, minExcluded: true, max: maxAmount, noNaN: true }),
  )
  .map((amount) => (target().foreign && amount > 100 ? amount / maxAmount : amount));

/** Amounts that it refuses, with the edges frequent. */
export const wrongAmounts: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, -tiniest, nextUp(maxAmount), maxAmount + 0.01, maxAmount + 1, -1, -maxAmount, Number.MAX_VALUE),
  fc.double({ max: 0, noNaN: true, noDefaultInfinity: true }),
  fc.double({ min: maxAmount, minExcluded: true, noNaN: true, noDefaultInfinity: true }),
);

// Generates valid bodies, and sets them apart from all others.

const lengthy = (member: string): fc.Arbitrary<string> => {
  const { min, max } = lengthsOf(member);
  return text(min, max).map((value) => fitting(value, max));
};

/** Valid bodies, with and without each optional member; `idempotencyKey` is left to the rules about it. */
export const donations: fc.Arbitrary<Body> = fc
  .record(
    {
      donatorName: lengthy("donatorName"),
      amount: amounts,
      currency: fc.constant("THB"),
      message: lengthy("message"),
      identifier: lengthy("identifier"),
      skipAlert: fc.boolean(),
      createdAt: dateTimes,
    },
    { requiredKeys: ["donatorName", "amount"] },
  )
  .map((body) => (target().foreign ? { ...body, skipAlert: true } : body));

/**
 * The body with a fresh identifier, or a fresh name of the donator where it has none: the interface says neither that a server accepts an
 * identifier twice nor that an equal body is another donation.
 */
export function unrepeatedDonation(body: Body): Body {
  const member = body.identifier === undefined ? "donatorName" : "identifier";
  return { ...body, [member]: unrepeated(String(body[member]), member) };
}

/** The JSON text of a donation that has no identifier, with a fresh one as its first member. */
export const withFreshIdentifier = (json: string): string => json.replace("{", () => `{"identifier":"${freshIdentifier()}",`);

/** The text with a fresh beginning, of the same length where that is possible: at most the longest that the member may have. */
export function unrepeated(value: string, member: string): string {
  const key = freshText();
  return fitting(key + [...value].slice(key.length).join(""), lengthsOf(member).max);
}
