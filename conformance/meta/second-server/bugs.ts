// The bugs of the second server. Profile `interface` must find each one.

import { lengthsOf, maxAmount } from "../../suite/contract/interface.ts";
import { lenientBugs } from "./lenient-bugs.ts";
import { type Behaviour, type Rules, rules } from "./server.ts";

/** What the server does otherwise than by default. */
export type Change = { rules?: Partial<Rules>; behaviour?: Partial<Behaviour> };

/** One wrong behaviour, and the rule that must fail: its file in interface/ and a pattern of its title. */
export type Bug = Change & { file: string; rule: RegExp };

/** Replaces one piece of the pattern of date-times. */
const dateTime = (piece: string, instead: string): Partial<Rules> => {
  const source = rules.dateTime.source.replace(piece, instead);
  if (source === rules.dateTime.source) throw new Error(`the pattern has no ${piece}`);
  return { dateTime: new RegExp(source) };
};

/** Changes the minimum or maximum length of a text. */
const lengths = (member: string, off: { min?: number; max?: number }): Partial<Rules> => {
  const { min, max } = lengthsOf(member);
  return { lengths: { ...rules.lengths, [member]: [min + (off.min ?? 0), max + (off.max ?? 0)] } };
};
const minLength = (member: string, by: number): Partial<Rules> => lengths(member, { min: by });
const maxLength = (member: string, by: number): Partial<Rules> => lengths(member, { max: by });

const valueToCheck = (change: (value: unknown, member: string) => unknown): Partial<Rules> => ({
  valueToCheck: (member, value) => change(value, member),
});

const [date, separator, time, seconds, fraction, zone] = [
  (more: Partial<Rules>, rule: RegExp): Bug => ({ rules: more, file: "created-at-date", rule }),
  (more: Partial<Rules>, rule: RegExp): Bug => ({ rules: more, file: "created-at-time", rule }),
  (more: Partial<Rules>, rule: RegExp): Bug => ({ rules: more, file: "created-at-time", rule }),
  (more: Partial<Rules>, rule: RegExp): Bug => ({ rules: more, file: "created-at-time", rule }),
  (more: Partial<Rules>, rule: RegExp): Bug => ({ rules: more, file: "created-at-time", rule }),
  (more: Partial<Rules>, rule: RegExp): Bug => ({ rules: more, file: "created-at-zone", rule }),
];
const leap = (isLeap: Rules["isLeap"], rule: RegExp): Bug => ({ rules: { isLeap }, file: "created-at-date", rule });
const calendar = (monthLength: Rules["monthLength"], rule: RegExp): Bug => ({ rules: { monthLength }, file: "created-at-date", rule });
const amount = (isAmount: Rules["isAmount"], rule: RegExp): Bug => ({ rules: { isAmount }, file: "amount", rule });
const type = (change: (value: unknown, member: string) => unknown, rule: RegExp): Bug => ({
  rules: valueToCheck(change),
  file: "types",
  rule,
});
const name = (more: Partial<Rules>, rule: RegExp): Bug => ({ rules: more, file: "texts", rule });
const json = (more: Partial<Rules>, rule: RegExp): Bug => ({ rules: more, file: "json-text", rule });
const authorization = (behaviour: Partial<Behaviour>, rule: RegExp): Bug => ({ behaviour, file: "authorization", rule });

const memberNames = ["donatorName", "amount", "currency", "message", "identifier", "idempotencyKey", "skipAlert", "createdAt"];

const decoded = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

export const bugs: Record<string, Bug> = {
  "leap-century": leap((year) => year % 4 === 0, /of a century ends/),
  "leap-no-400": leap((year) => year % 4 === 0 && year % 100 !== 0, /that 400 divides ends/),
  "leap-never": leap(() => false, /that 4 divides ends/),
  "leap-always": leap(() => true, /of a common year ends/),
  "leap-year-1900": leap((year) => year === 1900 || rules.isLeap(year), /every century/),
  "april-31": calendar((month, isLeap) => (month === 4 ? 31 : rules.monthLength(month, isLeap)), /month 04 ends on day 30/),
  "december-30": calendar((month, isLeap) => (month === 12 ? 30 : rules.monthLength(month, isLeap)), /month 12 ends on day 31/),
  "february-30": {
    rules: { monthLength: (month, isLeap) => (month === 2 && isLeap ? 30 : rules.monthLength(month, isLeap)) },
    file: "created-at-date",
    rule: /28, 29 and 30 February/,
  },
  "month-13": calendar((month, isLeap) => (month === 13 ? 31 : rules.monthLength(month, isLeap)), /month .*12 is accepted, 13 refused/),
  "years-from-1970": date({ isYear: (year) => year >= 1970 }, /times before 1970/),
  "years-to-2037": date({ isYear: (year) => year <= 2037 }, /the future/),
  "five-digit-years": date(dateTime("\\d{4}", "\\d{4,5}"), /five digits/),
  "small-t": separator(dateTime("T", "[Tt]"), /a small t/),
  "blank-separator": separator(dateTime("T", "[T ]"), /with a blank in the place/),
  "hour-24": time({ isTime: (hour, minute, second) => hour <= 24 && minute < 60 && second < 60 }, /23 is accepted, 24 refused/),
  "hour-23": time({ isTime: (hour, minute, second) => hour < 23 && minute < 60 && second < 60 }, /23 is accepted, 24 refused/),
  "minute-60": time({ isTime: (hour, minute, second) => hour < 24 && minute <= 60 && second < 60 }, /minute 59 is accepted, 60 refused/),
  "seconds-required": time(dateTime("(?::(\\d\\d)(\\.\\d+)?)?", ":(\\d\\d)(\\.\\d+)?"), /without seconds is accepted/),
  "second-60": seconds({ isTime: (hour, minute, second) => hour < 24 && minute < 60 && second <= 60 }, /second 59 is accepted, 60 refused/),
  "leap-second-at-midnight": seconds(
    { isTime: (hour, minute, second) => hour < 24 && minute < 60 && (second < 60 || (hour === 23 && minute === 59 && second === 60)) },
    /a leap second is refused/,
  ),
  "fraction-without-seconds": fraction(dateTime("(?::(\\d\\d)(\\.\\d+)?)?", "(?::(\\d\\d))?(\\.\\d+)?"), /refused without seconds/),
  "fraction-of-nine-digits": fraction(dateTime("\\.\\d+", "\\.\\d{1,9}"), /digits is accepted/),
  "fraction-of-three-digits": fraction(dateTime("\\.\\d+", "\\.\\d{3}"), /digits is accepted/),
  "fraction-empty": fraction(dateTime("\\.\\d+", "\\.\\d*"), /a dot without digits/),
  "fraction-comma": fraction(dateTime("\\.\\d+", "[.,]\\d+"), /a comma for the dot/),
  "small-z": zone(dateTime("Z", "[Zz]"), /a small z/),
  "no-zone": zone(dateTime("(?:Z|[+-](\\d\\d):(\\d\\d))", "(?:Z|[+-](\\d\\d):(\\d\\d))?"), /nothing is refused/),
  "offset-without-colon": zone(dateTime("[+-](\\d\\d):", "[+-](\\d\\d):?"), /without a colon/),
  "offset-24": zone({ isOffset: (hour, minute) => hour <= 24 && minute < 60 }, /offset hour .*23 is accepted, 24 refused/),
  "offset-14": zone({ isOffset: (hour, minute) => hour <= 14 && minute < 60 }, /offset hour .*23 is accepted, 24 refused/),
  "offset-minute-60": zone({ isOffset: (hour, minute) => hour < 24 && minute <= 60 }, /offset minute .*59 is accepted, 60 refused/),
  "negative-zero-offset": zone(dateTime("(?:Z|", "(?!-00:00$)(?:Z|"), /-00:00 is accepted/),
  "line-break-at-the-end": zone(dateTime("$", "\\n?$"), /a line break behind Z/),
  "byte-length": name({ lengthOf: (text) => Buffer.byteLength(text) }, /donatorName .*characters is accepted, of .* refused .*thai/),
  "decomposed-length": name({ lengthOf: (text) => [...text.normalize("NFKD")].length }, /donatorName .*normalise to more/),
  "name-shorter": name(maxLength("donatorName", -1), /donatorName .*characters is accepted/),
  "name-longer": name(maxLength("donatorName", 1), /donatorName .*characters is accepted, of .* refused/),
  "name-0-empty": name({ isText: (text) => text !== "0" }, /reads as a number, a boolean or null.*: 0/),
  "name-empty": name(minLength("donatorName", -1), /donatorName of no character is refused/),
  "name-of-two": name(minLength("donatorName", 1), /donatorName of one character is accepted/),
  "message-shorter": { rules: maxLength("message", -1), file: "texts", rule: /message .*characters is accepted/ },
  "message-longer": { rules: maxLength("message", 1), file: "texts", rule: /message .*characters is accepted, of .* refused/ },
  "message-of-one": { rules: minLength("message", 1), file: "texts", rule: /message of no character is accepted/ },
  "identifier-longer": { rules: maxLength("identifier", 1), file: "texts", rule: /identifier .*characters is accepted, of .* refused/ },
  "identifier-of-one": { rules: minLength("identifier", 1), file: "texts", rule: /identifier of no character is accepted/ },
  "key-longer": { rules: maxLength("idempotencyKey", 1), file: "texts", rule: /idempotencyKey .*characters is accepted, of .* refused/ },
  "key-shorter": { rules: maxLength("idempotencyKey", -1), file: "texts", rule: /idempotencyKey .*characters is accepted/ },
  "key-empty": { rules: minLength("idempotencyKey", -1), file: "texts", rule: /idempotencyKey of no character is refused/ },
  "key-of-two": { rules: minLength("idempotencyKey", 1), file: "texts", rule: /idempotencyKey of one character is accepted/ },
  "markup-refused": { rules: { isText: (text) => !/[<>]/.test(text) }, file: "texts", rule: /a command elsewhere/ },
  "zero-amount": amount((value) => value >= 0 && value <= maxAmount, /0 is refused, the next double/),
  "amount-of-a-satang": amount((value) => value >= 0.01 && value <= maxAmount, /0 is refused, the next double/),
  "amount-below-a-million": amount((value) => value > 0 && value < maxAmount, /is accepted, the next double above it refused/),
  "amount-of-32-bits": amount((value) => value > 0 && Math.fround(value) <= maxAmount, /is accepted, the next double above it refused/),
  "amount-rounded": amount(
    (value) => value > 0 && Math.round(value * 100) <= maxAmount * 100,
    /is accepted, the next double above it refused/,
  ),
  "amount-of-two-decimals": amount(
    (value) => rules.isAmount(value) && Number(value.toFixed(2)) === value,
    /any number of decimals is accepted/,
  ),
  "amount-of-whole-baht": amount((value) => rules.isAmount(value) && Number.isInteger(value), /any number of decimals is accepted/),
  "currency-in-any-case": { rules: { isCurrency: (text) => text.toUpperCase() === "THB" }, file: "currency", rule: /in small letters/ },
  "currency-trimmed": { rules: { isCurrency: (text) => text.trim() === "THB" }, file: "currency", rule: /with a blank behind it/ },
  "currency-usd": { rules: { isCurrency: (text) => ["THB", "USD"].includes(text) }, file: "currency", rule: /another currency/ },
  "numbers-in-texts": type(
    (value, member) => (member === "amount" && typeof value === "string" && value !== "" ? Number(value) : value),
    /amount is of type number, so string/,
  ),
  "texts-from-numbers": type(
    (value, member) => (typeof value === "number" && member !== "amount" ? String(value) : value),
    /message is of type string, so number/,
  ),
  "booleans-in-texts": type((value, member) => (member === "skipAlert" && value === "true" ? true : value), /skipAlert > .* so string/),
  "booleans-in-numbers": type((value, member) => (member === "skipAlert" && value === 1 ? true : value), /skipAlert > .* so number/),
  "one-in-an-array": type((value) => (Array.isArray(value) && value.length === 1 ? value[0] : value), /so array is refused/),
  "accepts-null": type((value, member) => (value === null ? { message: "", skipAlert: false }[member] : value), /so null is refused/),
  "name-not-required": { rules: { required: ["amount"] }, file: "donation", rule: /donatorName is required/ },
  "amount-not-required": { rules: { required: ["donatorName"] }, file: "donation", rule: /amount is required/ },
  "message-required": { rules: { required: [...rules.required, "message"] }, file: "donation", rule: /message may be left out/ },
  "trailing-comma": json({ read: (bytes) => JSON.parse(decoded(bytes).replace(/,\s*\}/g, "}")) }, /a comma after the last member/),
  "empty-as-object": json({ read: (bytes) => (bytes.length === 0 ? { donatorName: "a", amount: 1 } : rules.read(bytes)) }, /no body/),
  "first-of-array": json({ read: (bytes) => [rules.read(bytes)].flat()[0] }, /in an array/),
  "decodes-twice": json(
    {
      read: (bytes) => {
        const value = rules.read(bytes);
        return typeof value === "string" ? JSON.parse(value) : value;
      },
    },
    /in a string/,
  ),
  "no-blanks": json({ read: (bytes) => (/^\s/.test(decoded(bytes)) ? null : rules.read(bytes)) }, /blanks/),
  "any-token": authorization({ authorize: (token) => (token === null ? 401 : 200) }, /bearer token that was never issued/),
  "no-token": authorization({ authorize: () => 200 }, /request without a credential is refused/),
  "half-a-key": authorization(
    { authorize: (token, { keys }) => (token && [...keys.keys()].some((key) => key.startsWith(token) && token.length > 9) ? 200 : 401) },
    /cut in half|cut short/,
  ),
  "key-in-the-url": authorization(
    { tokenOf: ({ url, headers }) => /token=(.*)/.exec(url ?? "")?.[1] ?? headers.authorization?.slice(7) ?? null },
    /outside of the Authorization header/,
  ),
  "no-scope": authorization(
    { authorize: (token, { scopesOf }) => (token && scopesOf(token) ? 200 : 401) },
    /without write:donations creates no donation/,
  ),
  "unsigned-tokens": authorization(
    { authorize: (token, { scopesOf }) => (token && (scopesOf(token) || token.startsWith("eyJ")) ? 200 : 401) },
    /a JWT that nobody signed/,
  ),
  "oauth-under-v1": { behaviour: { oauthPrefix: "/api/v1/oauth/" }, file: "oauth", rule: /token exists without a version/ },
  "tokens-for-anybody": {
    behaviour: { exchange: () => ({ status: 200, body: '{"access_token":"x"}' }) },
    file: "oauth",
    rule: /token that was never issued, to a client/,
  },
  "secret-unchecked": {
    behaviour: { knowsClient: ({ client_id }, { id }) => client_id === id },
    file: "oauth",
    rule: /revoke .*wrong secret/,
  },
  "revokes-nothing": { behaviour: { revokes: false }, file: "oauth", rule: /a revoked access token/ },
  "fails-on-null": {
    behaviour: { answer: (answer, donation) => (donation === null ? { status: 500, body: "" } : answer) },
    file: "json-text",
    rule: /is no object is refused: null/,
  },
  "fails-on-astral": {
    behaviour: {
      answer: (answer, donation) => (/[\u{10000}-\u{10ffff}]/u.test(JSON.stringify(donation) ?? "") ? { status: 503, body: "" } : answer),
    },
    file: "texts",
    rule: /donatorName .*astral/,
  },
  "comment-between-members": json(
    { read: (bytes) => JSON.parse(decoded(bytes).replace(/\/\*.*?\*\//g, "")) },
    /a comment between two members/,
  ),
  "names-in-any-case": {
    rules: {
      read: (bytes) => {
        const value = rules.read(bytes);
        if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
        const known = (name: string) => memberNames.find((member) => member.toLowerCase() === name.toLowerCase()) ?? name;
        return Object.fromEntries(Object.entries(value).map(([name, one]) => [known(name), one]));
      },
    },
    file: "donation",
    rule: /donatorName is required under exactly this name/,
  },
  "any-scheme": authorization(
    { tokenOf: ({ headers }) => headers.authorization?.replace(/^\w+ +/, "") ?? null },
    /with the scheme Token is refused/,
  ),
  "no-scheme": authorization(
    { tokenOf: ({ headers }) => headers.authorization?.replace(/^Bearer +/, "") ?? null },
    /without a scheme is refused/,
  ),
  "key-in-any-case": authorization(
    {
      authorize: (token, { keys, scopesOf }) => {
        const key = [...keys.keys()].find((one) => one.toLowerCase() === token?.toLowerCase());
        return token && scopesOf(key ?? token)?.includes("write:donations") ? 200 : 401;
      },
    },
    /small letters for capitals/,
  ),
  "secret-cut-short": {
    behaviour: {
      knowsClient: ({ client_id, client_secret }, { id, secret }) =>
        client_id === id && !!client_secret && secret.startsWith(`${client_secret}`),
    },
    file: "oauth",
    rule: /whose secret is cut short/,
  },
  "revokes-without-a-token": { behaviour: { isToken: () => true }, file: "oauth", rule: /a token that is no string, or left out/ },
  "fails-on-a-grant-type-of-a-known-client": {
    behaviour: { exchange: ({ grant_type }) => ({ status: typeof grant_type === "string" ? 422 : 500, body: "" }) },
    file: "oauth",
    rule: /refuses a grant_type that is no string/,
  },
  "fails-on-half-a-surrogate-pair": {
    behaviour: {
      answer: (answer, donation) => (/\\ud[89a-f]/.test(JSON.stringify(donation) ?? "") ? { status: 500, body: "" } : answer),
    },
    file: "server-errors",
    rule: /the first half of a surrogate pair/,
  },
  ...lenientBugs,
};
