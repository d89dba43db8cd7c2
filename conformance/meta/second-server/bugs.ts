// The bugs of the second server. Profile `interface` must find each one.

import { lengthsOf, maxAmount } from "../../suite/contract/interface.ts";
import { type Behaviour, type Rules, rules } from "./server.ts";

/** What the server does otherwise than by default. */
export type Change = { rules?: Partial<Rules>; behaviour?: Partial<Behaviour> };

/** One wrong behaviour, and the rule that must fail: its file in interface/ and a pattern of its title. */
type Bug = Change & { file: string; rule: RegExp };

/** Replaces one piece of the pattern of date-times. */
const dateTime = (piece: string, instead: string): Partial<Rules> => {
  const source = rules.dateTime.source.replace(piece, instead);
  if (source === rules.dateTime.source) throw new Error(`the pattern has no ${piece}`);
  return { dateTime: new RegExp(source) };
};

/** Changes the minimum or maximum length of a text. */
const lengths = (member: string, minBy: number, maxBy: number): Partial<Rules> => {
  const { min, max } = lengthsOf(member);
  return { lengths: { ...rules.lengths, [member]: [min + minBy, max + maxBy] } };
};
const minLength = (member: string, by: number): Partial<Rules> => lengths(member, by, 0);
const maxLength = (member: string, by: number): Partial<Rules> => lengths(member, 0, by);

/** A bug of the rules for donations, which a rule of this file must find. */
const inRules =
  (file: string) =>
  (more: Partial<Rules>, rule: RegExp): Bug => ({ rules: more, file, rule });
const [date, time, zone] = [inRules("created-at-date"), inRules("created-at-time"), inRules("created-at-zone")];
const [text, donation, json, currency] = [inRules("texts"), inRules("donation"), inRules("json-text"), inRules("currency")];
const amount = (isAmount: Rules["isAmount"], rule: RegExp): Bug => inRules("amount")({ isAmount }, rule);
const type = (valueToCheck: Rules["valueToCheck"], rule: RegExp): Bug => inRules("types")({ valueToCheck }, rule);

/** A bug of the rest of the server. */
const inBehaviour =
  (file: string) =>
  (behaviour: Partial<Behaviour>, rule: RegExp): Bug => ({ behaviour, file, rule });
const [authorization, oauth] = [inBehaviour("authorization"), inBehaviour("oauth")];

const memberNames = ["donatorName", "amount", "currency", "message", "identifier", "idempotencyKey", "skipAlert", "createdAt"];

const decoded = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

type Read = (value: unknown) => unknown;

/** Changes what was read from a body, where that is an object. */
const changesObject =
  (change: (sent: { [member: string]: unknown }) => unknown): Read =>
  (value) =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? change(value as { [member: string]: unknown }) : value;
const reading = (file: string, rule: RegExp, read: Read): Bug => ({ rules: { read: (bytes) => read(rules.read(bytes)) }, file, rule });

const header = (rule: RegExp, tokenOf: (authorization: string) => string | null): Bug => ({
  behaviour: { tokenOf: ({ headers }) => tokenOf(headers.authorization ?? "") },
  file: "authorization",
  rule,
});

export const bugs: Record<string, Bug> = {
  "leap-century": date({ isLeap: (year) => year % 4 === 0 }, /of a century ends/),
  "leap-no-400": date({ isLeap: (year) => year % 4 === 0 && year % 100 !== 0 }, /that 400 divides ends/),
  "leap-never": date({ isLeap: () => false }, /that 4 divides ends/),
  "leap-always": date({ isLeap: () => true }, /of a common year ends/),
  "leap-year-1900": date({ isLeap: (year) => year === 1900 || rules.isLeap(year) }, /every century/),
  "april-31": date({ monthLength: (month, isLeap) => (month === 4 ? 31 : rules.monthLength(month, isLeap)) }, /month 04 ends on day 30/),
  "december-30": date(
    { monthLength: (month, isLeap) => (month === 12 ? 30 : rules.monthLength(month, isLeap)) },
    /month 12 ends on day 31/,
  ),
  "february-30": date(
    { monthLength: (month, isLeap) => (month === 2 && isLeap ? 30 : rules.monthLength(month, isLeap)) },
    /28, 29 and 30 February/,
  ),
  "month-13": date(
    { monthLength: (month, isLeap) => (month === 13 ? 31 : rules.monthLength(month, isLeap)) },
    /month .*12 is accepted, 13 refused/,
  ),
  "years-from-1970": date({ isYear: (year) => year >= 1970 }, /times before 1970/),
  "years-to-2037": date({ isYear: (year) => year <= 2037 }, /the future/),
  "five-digit-years": date(dateTime("\\d{4}", "\\d{4,5}"), /five digits/),
  "small-t": time(dateTime("T", "[Tt]"), /a small t/),
  "blank-separator": time(dateTime("T", "[T ]"), /with a blank in the place/),
  "hour-24": time({ isTime: (hour, minute, second) => hour <= 24 && minute < 60 && second < 60 }, /23 is accepted, 24 refused/),
  "hour-23": time({ isTime: (hour, minute, second) => hour < 23 && minute < 60 && second < 60 }, /23 is accepted, 24 refused/),
  "minute-60": time({ isTime: (hour, minute, second) => hour < 24 && minute <= 60 && second < 60 }, /minute 59 is accepted, 60 refused/),
  "seconds-required": time(dateTime("(?::(\\d\\d)(\\.\\d+)?)?", ":(\\d\\d)(\\.\\d+)?"), /without seconds is accepted/),
  "second-60": time({ isTime: (hour, minute, second) => hour < 24 && minute < 60 && second <= 60 }, /second 59 is accepted, 60 refused/),
  "leap-second-at-midnight": time(
    { isTime: (hour, minute, second) => hour < 24 && minute < 60 && (second < 60 || (hour === 23 && minute === 59 && second === 60)) },
    /a leap second is refused/,
  ),
  "fraction-without-seconds": time(dateTime("(?::(\\d\\d)(\\.\\d+)?)?", "(?::(\\d\\d))?(\\.\\d+)?"), /refused without seconds/),
  "fraction-of-nine-digits": time(dateTime("\\.\\d+", "\\.\\d{1,9}"), /digits is accepted/),
  "fraction-of-three-digits": time(dateTime("\\.\\d+", "\\.\\d{3}"), /digits is accepted/),
  "fraction-empty": time(dateTime("\\.\\d+", "\\.\\d*"), /a dot without digits/),
  "fraction-comma": time(dateTime("\\.\\d+", "[.,]\\d+"), /a comma for the dot/),
  "small-z": zone(dateTime("Z", "[Zz]"), /a small z/),
  "no-zone": zone(dateTime("(?:Z|[+-](\\d\\d):(\\d\\d))", "(?:Z|[+-](\\d\\d):(\\d\\d))?"), /nothing is refused/),
  "offset-without-colon": zone(dateTime("[+-](\\d\\d):", "[+-](\\d\\d):?"), /without a colon/),
  "offset-24": zone({ isOffset: (hour, minute) => hour <= 24 && minute < 60 }, /offset hour .*23 is accepted, 24 refused/),
  "offset-14": zone({ isOffset: (hour, minute) => hour <= 14 && minute < 60 }, /offset hour .*23 is accepted, 24 refused/),
  "offset-minute-60": zone({ isOffset: (hour, minute) => hour < 24 && minute <= 60 }, /offset minute .*59 is accepted, 60 refused/),
  "negative-zero-offset": zone(dateTime("(?:Z|", "(?!-00:00$)(?:Z|"), /-00:00 is accepted/),
  "line-break-at-the-end": zone(dateTime("$", "\\n?$"), /a line break behind Z/),
  "byte-length": text({ lengthOf: (text) => Buffer.byteLength(text) }, /donatorName .*characters is accepted, of .* refused .*thai/),
  "decomposed-length": text({ lengthOf: (text) => [...text.normalize("NFKD")].length }, /donatorName .*normalise to more/),
  "name-shorter": text(maxLength("donatorName", -1), /donatorName .*characters is accepted/),
  "name-longer": text(maxLength("donatorName", 1), /donatorName .*characters is accepted, of .* refused/),
  "name-0-empty": text({ isText: (text) => text !== "0" }, /reads as a number, a boolean or null.*: 0/),
  "name-empty": text(minLength("donatorName", -1), /donatorName of no character is refused/),
  "name-of-two": text(minLength("donatorName", 1), /donatorName of one character is accepted/),
  "message-shorter": text(maxLength("message", -1), /message .*characters is accepted/),
  "message-longer": text(maxLength("message", 1), /message .*characters is accepted, of .* refused/),
  "message-of-one": text(minLength("message", 1), /message of no character is accepted/),
  "identifier-longer": text(maxLength("identifier", 1), /identifier .*characters is accepted, of .* refused/),
  "identifier-of-one": text(minLength("identifier", 1), /identifier of no character is accepted/),
  "key-longer": text(maxLength("idempotencyKey", 1), /idempotencyKey .*characters is accepted, of .* refused/),
  "key-shorter": text(maxLength("idempotencyKey", -1), /idempotencyKey .*characters is accepted/),
  "key-empty": text(minLength("idempotencyKey", -1), /idempotencyKey of no character is refused/),
  "key-of-two": text(minLength("idempotencyKey", 1), /idempotencyKey of one character is accepted/),
  "markup-refused": text({ isText: (text) => !/[<>]/.test(text) }, /a command elsewhere/),
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
  "currency-in-any-case": currency({ isCurrency: (text) => text.toUpperCase() === "THB" }, /in small letters/),
  "currency-trimmed": currency({ isCurrency: (text) => text.trim() === "THB" }, /with a blank behind it/),
  "currency-usd": currency({ isCurrency: (text) => ["THB", "USD"].includes(text) }, /another currency/),
  "numbers-in-texts": type(
    (member, value) => (member === "amount" && typeof value === "string" && value !== "" ? Number(value) : value),
    /amount is of type number, so string/,
  ),
  "texts-from-numbers": type(
    (member, value) => (typeof value === "number" && member !== "amount" ? String(value) : value),
    /message is of type string, so number/,
  ),
  "booleans-in-texts": type((member, value) => (member === "skipAlert" && value === "true" ? true : value), /skipAlert > .* so string/),
  "booleans-in-numbers": type((member, value) => (member === "skipAlert" && value === 1 ? true : value), /skipAlert > .* so number/),
  "one-in-an-array": type((_, value) => (Array.isArray(value) && value.length === 1 ? value[0] : value), /so array is refused/),
  "accepts-null": type((member, value) => (value === null ? { message: "", skipAlert: false }[member] : value), /so null is refused/),
  "name-not-required": donation({ required: ["amount"] }, /donatorName is required/),
  "amount-not-required": donation({ required: ["donatorName"] }, /amount is required/),
  "message-required": donation({ required: [...rules.required, "message"] }, /message may be left out/),
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
  "oauth-under-v1": oauth({ oauthPrefix: "/api/v1/oauth/" }, /token exists without a version/),
  "tokens-for-anybody": oauth(
    { exchange: () => ({ status: 200, body: '{"access_token":"x"}' }) },
    /token that was never issued, to a client/,
  ),
  "secret-unchecked": oauth({ knowsClient: ({ client_id }, { id }) => client_id === id }, /revoke .*wrong secret/),
  "revokes-nothing": oauth({ revokes: false }, /a revoked access token/),
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
  "names-in-any-case": donation(
    {
      read: (bytes) => {
        const value = rules.read(bytes);
        if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
        const known = (name: string) => memberNames.find((member) => member.toLowerCase() === name.toLowerCase()) ?? name;
        return Object.fromEntries(Object.entries(value).map(([name, one]) => [known(name), one]));
      },
    },
    /donatorName is required under exactly this name/,
  ),
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
  "secret-cut-short": oauth(
    {
      knowsClient: ({ client_id, client_secret }, { id, secret }) =>
        client_id === id && !!client_secret && secret.startsWith(`${client_secret}`),
    },
    /whose secret is cut short/,
  ),
  "revokes-without-a-token": oauth({ isToken: () => true }, /a token that is no string, or left out/),
  "fails-on-a-grant-type-of-a-known-client": oauth(
    { exchange: ({ grant_type }) => ({ status: typeof grant_type === "string" ? 422 : 500, body: "" }) },
    /refuses a grant_type that is no string/,
  ),
  "fails-on-half-a-surrogate-pair": {
    behaviour: {
      answer: (answer, donation) => (/\\ud[89a-f]/.test(JSON.stringify(donation) ?? "") ? { status: 500, body: "" } : answer),
    },
    file: "server-errors",
    rule: /the first half of a surrogate pair/,
  },
  // What a library or the language lets pass in servers that are written by hand.
  "values-in-order": reading("json-text", /refused: \["สมชาย",20\]/, (value) =>
    Array.isArray(value) && value.length > 1 ? { donatorName: value[0], amount: value[1] } : value,
  ),
  "donation-in-an-envelope": reading(
    "donation",
    /not inside of another member/,
    changesObject((sent) => sent.donation ?? sent.data ?? sent),
  ),
  "members-of-the-prototype": reading(
    "donation",
    /amount is required .* not inside of another member/,
    changesObject((sent) => ({ ...(Object.getOwnPropertyDescriptor(sent, "__proto__")?.value as object), ...sent })),
  ),
  "word-behind-the-token": header(/with a blank and a word behind it/, (authorization) => /^Bearer (\S+)/.exec(authorization)?.[1] ?? null),
  "scheme-ends-in-bearer": header(/a scheme that ends in Bearer/, (authorization) => /Bearer (\S+)$/.exec(authorization)?.[1] ?? null),
  "bearer-behind-a-comma": header(/behind a credential of Basic/, (authorization) => /\bBearer (\S+)$/.exec(authorization)?.[1] ?? null),
  "scheme-of-six-letters": header(/the scheme Apikey/, (authorization) => /^\w{6} (.+)$/.exec(authorization)?.[1] ?? null),
  "donation-as-a-form": json(
    { read: (bytes) => (new TextDecoder().decode(bytes).startsWith("{") ? rules.read(bytes) : donationOfForm(bytes)) },
    /sent as a form is refused.*x-www-form-urlencoded/,
  ),
  "secret-in-any-case": oauth(
    {
      knowsClient: (sent, { id, secret }) => sent.client_id === id && `${sent.client_secret}`.toLowerCase() === secret.toLowerCase(),
    },
    /in the other letter case/,
  ),
  "secret-in-a-list": oauth(
    { knowsClient: (sent, { id, secret }) => sent.client_id === id && `${sent.client_secret}` === secret },
    /a client that exists whose secret is no string/,
  ),
};

function donationOfForm(bytes: Uint8Array): object {
  const form = Object.fromEntries(new URLSearchParams(new TextDecoder().decode(bytes)));
  return { ...form, amount: Number(form.amount), skipAlert: form.skipAlert === "true" };
}
