// Wrong answers to the members of a donation: what is accepted, what is refused, and how that is said.

import { lengthsOf, maxAmount } from "../../../suite/contract/interface.ts";
import { nextUp } from "../../../suite/values/donations.ts";
import { at, changeJson, events, type Mutants, type WrongAnswer, wrong } from "../mutant.ts";

const on = "createDonation";
const everywhere = "createDonation getDonation listDonations";

const trimmed = (value: unknown): unknown => (typeof value === "string" ? value.trim() : value);

/** A server that takes a member's value for the one that is returned. */
const taken = <T>(member: string, change: (value: T) => unknown): Pick<WrongAnswer, "on" | "sent"> => ({ on, sent: at<T>(member, change) });

/** A server that takes a text for another one. */
const text = (member: string, change: (text: string) => string): Pick<WrongAnswer, "on" | "sent"> =>
  taken<unknown>(member, (value) => (typeof value === "string" ? change(value) : value));

/** A server that refuses a text. */
const refuses = (member: string, isRefused: (text: string) => boolean): Pick<WrongAnswer, "on" | "sent"> =>
  taken<unknown>(member, (value) => (typeof value === "string" && isRefused(value) ? 1 : value));

const tooLong = (member: string): Pick<WrongAnswer, "on" | "sent"> =>
  text(member, (value) => [...value].slice(0, Math.max(lengthsOf(member).max, [...value].length - 1)).join(""));

export const donationMembers: Mutants = {
  "amount-0": wrong({
    broken: "an amount of 0 is accepted",
    ...taken("amount", (amount) => (amount === 0 ? 1 : amount)),
    killedBy: [["interface/amount", /0 is refused, the next double/]],
  }),
  "amount-below-a-million": wrong({
    broken: "the largest allowed amount is refused",
    ...taken("amount", (amount) => (amount === maxAmount ? 0 : amount)),
    killedBy: [["interface/amount", /is accepted, the next double above it refused/]],
  }),
  "amount-double-above": wrong({
    broken: "the next double above the largest allowed amount is accepted",
    ...taken("amount", (amount) => (amount === nextUp(maxAmount) ? maxAmount : amount)),
    killedBy: [["interface/amount", /is accepted, the next double above it refused/]],
  }),
  "amount-float32": wrong({
    broken: "amounts have 24 bits of precision",
    on: everywhere,
    answer: at("data.amount", Math.fround),
    killedBy: [["donations/create-donation", /answered as the same double/]],
  }),
  "amount-satang": wrong({
    broken: "amounts are rounded to satang",
    on: everywhere,
    answer: at<number>("data.amount", (amount) => Math.round(amount * 100) / 100),
    killedBy: [["donations/create-donation", /answered as the same double/]],
  }),
  "amount-of-few-characters": wrong({
    broken: "an amount of more than a thousand characters is refused",
    on,
    bytes: (body) => Buffer.from(body.toString("latin1").replace(/("amount" *: *)[\d.eE+-]{1001,}/, "$10"), "latin1"),
    killedBy: [["donations/create-donation", /thousands of characters is read as the double that it names/]],
  }),
  "amount-text": wrong({
    broken: "amounts are answered as texts",
    on: everywhere,
    answer: at("data.amount", String),
    killedBy: [["donations/round-trip", /answered and read back as it was posted/]],
  }),
  coercion: wrong({
    broken: 'values of another type are converted: "5" to a number',
    ...taken("amount", (amount) => (typeof amount === "object" ? amount : Number(amount))),
    killedBy: [["interface/types", /amount is of type number, so string is refused/]],
  }),
  "null-is-absent": wrong({
    broken: "a member with the value null is treated as left out",
    on,
    sent: (body) =>
      body && typeof body === "object" && !Array.isArray(body)
        ? Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
        : body,
    killedBy: [["interface/types", /message is of type string, so null is refused/]],
  }),
  "skip-alert-as-text": wrong({
    broken: 'skipAlert "true" is taken for true',
    ...taken("skipAlert", (value) => (value === "true" ? true : value)),
    killedBy: [["interface/skip-alert", /"true" is refused/]],
  }),
  "name-of-units": wrong({
    broken: "the length of donatorName is counted in UTF-16 code units",
    ...refuses("donatorName", (value) => value.length > lengthsOf("donatorName").max),
    killedBy: [["donations/create-donation", /donatorName of \d+ to \d+ code points is accepted .*: emoji/]],
  }),
  "message-of-units": wrong({
    broken: "the length of a message is counted in UTF-16 code units",
    ...refuses("message", (value) => value.length > lengthsOf("message").max),
    killedBy: [["donations/create-donation", /message of \d+ to \d+ code points is accepted .*: emoji/]],
  }),
  "name-longer": wrong({
    broken: "a donatorName one character too long is accepted",
    ...tooLong("donatorName"),
    killedBy: [["interface/texts", /donatorName .*of \d+ refused .*: ascii/]],
  }),
  "identifier-longer": wrong({
    broken: "an identifier one character too long is accepted",
    ...tooLong("identifier"),
    killedBy: [["interface/texts", /identifier .*of \d+ refused .*: ascii/]],
  }),
  "message-longer": wrong({
    broken: "a message one character too long is accepted",
    ...tooLong("message"),
    killedBy: [["interface/texts", /message .*of \d+ refused .*: ascii/]],
  }),
  "name-empty": wrong({
    broken: "an empty donatorName is accepted",
    ...text("donatorName", (name) => name || "nobody"),
    killedBy: [["interface/texts", /donatorName of no character/]],
  }),
  "key-empty": wrong({
    broken: "an empty idempotencyKey is accepted",
    ...text("idempotencyKey", (key) => key || crypto.randomUUID()),
    killedBy: [["interface/texts", /idempotencyKey of no character/]],
  }),
  "name-0-refused": wrong({
    broken: 'the donatorName "0" counts as empty, and is refused',
    ...refuses("donatorName", (name) => name === "0"),
    killedBy: [["interface/texts", /reads as a number.*: 0/]],
  }),
  "blank-name-refused": wrong({
    broken: "a donatorName of blanks alone is refused",
    ...refuses("donatorName", (name) => /^\s+$/u.test(name)),
    killedBy: [["donations/round-trip", /donatorName is stored and answered exactly/]],
  }),
  "currency-small": wrong({
    broken: "the currency thb is accepted",
    ...text("currency", (currency) => currency.toUpperCase()),
    killedBy: [["interface/currency", /in small letters/]],
  }),
  "required-name": wrong({
    broken: "donatorName may be left out",
    on,
    sent: (body) => (body && typeof body === "object" && !("donatorName" in body) ? { donatorName: "nobody", ...body } : body),
    killedBy: [["interface/donation", /donatorName is required \(/]],
  }),
  "members-of-the-url": wrong({
    broken: "a donation also has the members that stand in the URL",
    on,
    instead: (request, send) => {
      const { pathname, searchParams } = new URL(request.path, "http://server");
      const given = Object.fromEntries([...searchParams].map(([name, value]) => [name, name === "amount" ? Number(value) : value]));
      return send({ ...request, path: pathname, body: changeJson(request.body, (body) => ({ ...given, ...(body as object) })) });
    },
    killedBy: [
      ["interface/donation", /donatorName in the URL/],
      ["interface/donation", /amount in the URL/],
    ],
  }),
  "whatever-else-is-in-it": wrong({
    broken: "a donation that has an identifier is accepted without an amount",
    on,
    sent: (body) => (body && typeof body === "object" && "identifier" in body && !("amount" in body) ? { amount: 1, ...body } : body),
    killedBy: [["interface/donation", /amount left out is refused/]],
  }),
  "unknown-members": wrong({
    broken: "unknown members are accepted",
    on,
    sent: (body) =>
      body && typeof body === "object" && !Array.isArray(body)
        ? Object.fromEntries(
            Object.entries(body).filter(([name]) =>
              /^(donatorName|amount|currency|message|identifier|idempotencyKey|skipAlert|createdAt)$/.test(name),
            ),
          )
        : body,
    killedBy: [["donations/json-body", /the unknown member "created_at"/]],
  }),
  "wrong-code": wrong({
    broken: "a text that is too long is refused with the code of one that is too short",
    on,
    answer: at<string>("errors.*.code", (code) => (code === "too_long" ? "too_short" : code)),
    killedBy: [["donations/create-donation", /is too long/]],
  }),
  "first-error-only": wrong({
    broken: "a problem names only the first of several faults",
    on,
    answer: at<unknown[]>("errors", (errors) => errors.slice(0, 1)),
    killedBy: [["donations/json-body", /several broken rules are all named/]],
  }),
  "errors-99": wrong({
    broken: "a problem names 99 faults at most",
    on,
    answer: at<unknown[]>("errors", (errors) => errors.slice(0, 99)),
    killedBy: [["donations/json-body", /more than 100 faults: 100 are named/]],
  }),
  "duplicates-named-twice": wrong({
    broken: "an unknown member is named as often as it was sent",
    on,
    answer: at<{ pointer?: string }[]>("errors", (errors, { body }) => {
      const times = ({ pointer = "/" }) => Math.max(1, body.toString().split(`"${pointer.slice(1)}":`).length - 1);
      return errors.flatMap((one) => Array(times(one)).fill(one));
    }),
    killedBy: [["donations/json-body", /an unknown member that is sent twice is named once/]],
  }),
  "escapes-of-urls-read": wrong({
    broken: "a message is decoded as if it came from a URL",
    ...text("message", (message) => message.replace(/%[2-7][0-9A-F]/g, decodeURIComponent)),
    killedBy: [["donations/round-trip", /message is stored and answered exactly as it was sent/]],
  }),
  "entities-read": wrong({
    broken: "entities of HTML in a donatorName are read",
    ...text("donatorName", (name) => name.replaceAll("&lt;", "<").replaceAll("&gt;", ">")),
    killedBy: [["donations/round-trip", /donatorName is stored and answered exactly as it was sent/]],
  }),
  "alerts-trimmed": wrong({
    broken: "the alert queue and events of alerts have texts without the blanks around them",
    on: "getAlertQueue streamEvents",
    answer: at<string>("**", trimmed),
    lines: events((event) =>
      /^alert\./.test(String(event.type)) ? JSON.parse(JSON.stringify(event), (_, value) => trimmed(value)) : event,
    ),
    killedBy: [
      ["alerts/approve-alert", /holds an alert with its texts/],
      ["alerts/alert-queue", /handed to an overlay is shown as playing/],
      ["events/event-types", /alert\.started and then alert\.shown/],
    ],
  }),
};
