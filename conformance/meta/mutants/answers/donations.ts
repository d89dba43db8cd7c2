// Wrong answers to the recording of a donation: texts as they are stored, what is answered and read back; and to createdAt: what is accepted or
// refused, and which instant it becomes.

import { at, jsonOf, type Mutants, set, type WrongAnswer, wrong } from "../mutant.ts";

const on = "createDonation";
const everywhere = "createDonation getDonation listDonations";

/** A server that takes a member's value for the one that is returned. */
const taken = <T>(member: string, change: (value: T) => unknown): Pick<WrongAnswer, "on" | "sent"> => ({ on, sent: at<T>(member, change) });

/** A server that takes a text for another one. */
const text = (member: string, change: (text: string) => string): Pick<WrongAnswer, "on" | "sent"> =>
  taken<unknown>(member, (value) => (typeof value === "string" ? change(value) : value));

export const donations: Mutants = {
  trimmed: wrong({
    broken: "blanks around texts are lost",
    on,
    sent: at<string>("**", (value) => value.trim()),
    killedBy: [["donations/create-donation", /text: blanks around a name are kept/]],
  }),
  "message-line-ends": wrong({
    broken: "CR LF in a message is stored as LF",
    ...text("message", (message) => message.replaceAll("\r\n", "\n")),
    killedBy: [["donations/round-trip", /^message is stored and answered exactly/]],
  }),
  "name-composed": wrong({
    broken: "the letters of a donatorName are composed",
    ...text("donatorName", (name) => name.normalize("NFC")),
    killedBy: [["donations/round-trip", /^donatorName is stored and answered exactly/]],
  }),
  "identifier-cut": wrong({
    broken: "of an identifier the first 100 characters are stored",
    ...text("identifier", (identifier) => [...identifier].slice(0, 100).join("")),
    killedBy: [["donations/round-trip", /each spelling of an identifier is a donator of its own/]],
  }),
  "key-cut": wrong({
    broken: "of an idempotencyKey the first 100 characters count",
    ...text("idempotencyKey", (key) => [...key].slice(0, 100).join("")),
    killedBy: [["donations/round-trip", /each spelling of an idempotencyKey is a key of its own/]],
  }),
  "nul-lost": wrong({
    broken: "U+0000 is removed from texts",
    on,
    sent: at<string>("**", (value) => value.replaceAll("\0", "") || "\0"),
    killedBy: [["donations/create-donation", /text: .*NUL/]],
  }),
  "nul-fails": wrong({
    broken: "a text with NUL, which the database cannot store, makes the server fail",
    on,
    when: (_answer, request) => request.body.includes("\\u0000"),
    status: 500,
    killedBy: [["interface/donation", /a donation with NUL is accepted or refused/]],
  }),
  "extra-member": wrong({
    broken: "an answered donation has a member that the contract does not define",
    on: everywhere,
    answer: set("data", { sequence: 1 }),
    killedBy: [["donations/round-trip", /answered and read back as it was posted/]],
  }),
  "missing-member": wrong({
    broken: "members without a value are left out of answers",
    on,
    answer: (value) => JSON.parse(JSON.stringify(value), (_name, member) => member ?? undefined),
    killedBy: [["donations/round-trip", /null, never absent/]],
  }),
  "identifier-of-nobody": wrong({
    broken: 'an empty identifier is answered as ""',
    on,
    answer: (value, { body }) => (jsonOf({ body })?.identifier === "" ? set("data", { identifier: "" })(value, {} as never) : value),
    killedBy: [["donations/create-donation", /empty identifier is answered as null/]],
  }),
  "default-of-skip-alert": wrong({
    broken: "skipAlert is answered true when it was left out",
    on,
    answer: (value, { body }) =>
      jsonOf({ body }) && !("skipAlert" in (jsonOf({ body }) ?? {})) ? set("data", { skipAlert: true })(value, {} as never) : value,
    killedBy: [["derived/donation-members", /skipAlert: when left out/]],
  }),
  "random-ids": wrong({
    broken: "ids are random UUIDs instead of UUIDv7",
    on,
    answer: at("data.id", () => crypto.randomUUID()),
    killedBy: [["donations/round-trip", /ids of donations are UUIDv7/]],
  }),
  "received-seven-hours-later": wrong({
    broken: "receivedAt is the time of Bangkok, called UTC",
    on,
    answer: at<string>("data.receivedAt", (time) => new Date(Date.parse(time) + 7 * 3_600_000).toISOString()),
    killedBy: [["donations/created-at", /receivedAt is the present time/]],
  }),
  "no-location": wrong({
    broken: "the answer to a recorded donation has no Location header",
    on,
    headers: { location: null },
    killedBy: [["donations/create-donation", /a 201 of createDonation carries the Location/]],
  }),
  "created-200": wrong({
    broken: "a recorded donation is answered 200 instead of 201",
    on,
    status: { 201: 200 },
    killedBy: [["donations/create-donation", /every donation that keeps interface 2.1 is recorded with 201/]],
  }),
  "400-for-201": wrong({
    broken: "a donation that was recorded is answered as if it had been refused",
    on,
    when: ({ status }, { body }) => status < 300 && (jsonOf({ body })?.amount as number) > 900_000,
    status: 400,
    killedBy: [["interface/donation", /a donation that keeps every rule is accepted/]],
  }),
  "recorded-though-refused": wrong({
    broken: "what is refused for an unknown member is recorded without it all the same",
    on,
    instead: async (request, send) => {
      const answer = await send(request);
      const { donatorName, amount, identifier } = jsonOf(request) ?? {};
      if (answer.status === 400 && donatorName && amount)
        await send({ ...request, body: Buffer.from(JSON.stringify({ donatorName, amount, identifier })) });
      return answer;
    },
    killedBy: [["donations/json-body", /with an unknown member leaves nothing behind/]],
  }),
  "200-for-404": wrong({
    broken: "a donation that does not exist is answered 200",
    on: "getDonation",
    forgives: { status: 404, as: 200, read: () => "/api/v1/donations?limit=1" },
    answer: at<unknown>("data", (data) => (Array.isArray(data) ? data[0] : data)),
    killedBy: [["donations/list-donations", /an id that names nothing/]],
  }),
  "path-for-two": wrong({
    broken: "the path of donations is gone once two were recorded",
    on,
    instead: async (request, send, memory) => {
      const answer = await send(request);
      if (answer.status < 300) memory.set(String(memory.size), answer);
      return memory.size > 2 ? { ...answer, status: 404 } : answer;
    },
    killedBy: [["interface/donation", /donations are created by POST/]],
  }),
  "scopes-of-me": wrong({
    broken: "getMe answers all scopes to every key",
    on: "getMe",
    answer: set("data", { scopes: ["write:donations", "read:donations"] }),
    killedBy: [["transport/credentials", /a readOnly key has read:donations alone/]],
  }),
  "category-names-swapped": wrong({
    broken: "categories are found by their Thai names only",
    on: "listStreamingCategories",
    when: (_answer, { path }) => /[?&]q=[A-Za-z]/.test(path),
    answer: set("", { data: [] }),
    killedBy: [["donations/list-streaming-categories", /Thai or English name contains it/]],
  }),
  "etag-stale": wrong({
    broken: "a filtered list of categories has the ETag of the whole list",
    on: "listStreamingCategories",
    headers: { etag: '"the-same-for-all"' },
    killedBy: [["donations/list-streaming-categories", /different ETag/]],
  }),
};

/** A server that takes what the pattern matches for the date-time in its place, and so accepts it. */
const takenFor = (pattern: RegExp, instead: string): Pick<WrongAnswer, "on" | "sent"> => ({
  on: "createDonation",
  sent: at<string>("createdAt", (text) => (typeof text === "string" ? text.replace(pattern, instead) : text)),
});

/** A server that refuses what the pattern matches. */
const refused = (pattern: RegExp): Pick<WrongAnswer, "on" | "sent"> => takenFor(new RegExp(`^.*(?:${pattern.source}).*$`), "no date-time");

const instant = (change: (time: number) => number): Pick<WrongAnswer, "on" | "answer"> => ({
  on: "createDonation getDonation",
  answer: at<string>("data.createdAt", (text) => new Date(change(Date.parse(text))).toISOString()),
});

export const createdAt: Mutants = {
  "leap-1900": wrong({
    broken: "29 February is accepted in 1900 and in every other century year",
    ...takenFor(/^(\d\d00)-02-29/, "$1-02-28"),
    killedBy: [["interface/created-at-date", /every century/]],
  }),
  "no-leap-2000": wrong({
    broken: "29 February 2000 is refused",
    ...refused(/^2000-02-29/),
    killedBy: [["interface/created-at-date", /every century/]],
  }),
  "february-29-always": wrong({
    broken: "29 February is accepted in every year",
    ...takenFor(/-02-29/, "-02-28"),
    killedBy: [["interface/created-at-date", /exactly in leap years: each year/]],
  }),
  "april-31": wrong({
    broken: "the 31st of a month with 30 days is accepted",
    ...takenFor(/-(04|06|09|11)-31/, "-$1-30"),
    killedBy: [["interface/created-at-date", /04.*ends on day 30/]],
  }),
  "date-without-hyphens": wrong({
    broken: "a date without hyphens, 20261120, is accepted",
    ...takenFor(/^(\d{4})(\d\d)(\d\d)T/, "$1-$2-$3T"),
    killedBy: [["interface/created-at-date", /when its date is without hyphens/]],
  }),
  "year-0000": wrong({
    broken: "the year 0000 is refused",
    ...refused(/^0000-/),
    killedBy: [["donations/created-at", /every month of 0 ends/]],
  }),
  "hour-24": wrong({
    broken: "the time 24:00 is accepted",
    ...takenFor(/T24:00/, "T23:00"),
    killedBy: [["interface/created-at-time", /hour 23 is accepted, 24 refused/]],
  }),
  "second-60": wrong({
    broken: "a leap second is accepted",
    ...takenFor(/:60(?=[.Z+-])/, ":59"),
    killedBy: [["interface/created-at-time", /second 59 is accepted, 60 refused/]],
  }),
  "small-t": wrong({
    broken: "a lower-case t is accepted as the separator of date and time",
    ...takenFor(/t(?=\d)/, "T"),
    killedBy: [["interface/created-at-time", /with a small t/]],
  }),
  "no-zone": wrong({
    broken: "a date-time without a time zone is accepted",
    ...takenFor(/^([^Z+]{10}T[\d:.]+)$/, "$1Z"),
    killedBy: [["interface/created-at", /with nothing is refused/]],
  }),
  "offset-14": wrong({
    broken: "an offset of more than 14 hours, the largest of a real zone, is refused",
    ...refused(/[+-](?:14:(?!00)|1[5-9]:|2\d:)\d\d$/),
    killedBy: [["interface/created-at", /the zone \+14:01 is accepted/]],
  }),
  "fraction-without-seconds": wrong({
    broken: "a fraction is accepted after minutes",
    ...takenFor(/T(\d\d:\d\d)\.\d+/, "T$1"),
    killedBy: [["interface/created-at-time", /with a fraction is refused without seconds/]],
  }),
  "fraction-of-nine": wrong({
    broken: "a fraction of more than nine digits is refused",
    ...refused(/\.\d{10,}/),
    killedBy: [["interface/created-at-time", /10 digits/]],
  }),
  "words-passed-over": wrong({
    broken: "a createdAt without a digit is passed over",
    ...takenFor(/^\D*$/, "2026-11-20T12:30Z"),
    killedBy: [["interface/created-at", /no date-time at all is refused/]],
  }),
  "fraction-rounded": wrong({
    broken: "a fraction is rounded to milliseconds instead of truncated",
    on: "createDonation",
    answer: at<string>("data.createdAt", (time, request) =>
      /\.\d{3}[5-9]/.test(String(jsonOf(request)?.createdAt)) ? new Date(Date.parse(time) + 1).toISOString() : time,
    ),
    killedBy: [["donations/created-at", /accepted after seconds and truncated to milliseconds/]],
  }),
  "seconds-of-floats": wrong({
    broken: "seconds with their fraction become milliseconds by a multiplication of floating-point numbers",
    on: "createDonation",
    sent: at<string>("createdAt", (text) =>
      String(text).replace(/(?<=^.{10}T\d\d:\d\d:)[0-5]\d\.\d+(?=Z$|[+-]\d\d:\d\d$)/, (seconds) =>
        (Math.floor(Number(seconds) * 1000) / 1000).toFixed(3).padStart(6, "0").replace(/^60.*/, "59.999"),
      ),
    ),
    killedBy: [["donations/created-at", /floating-point seconds lose/]],
  }),
  "offset-ignored": wrong({
    broken: "the offset of createdAt is ignored",
    ...takenFor(/[+-]\d\d:\d\d$/, "Z"),
    killedBy: [["donations/created-at", /comes back as the same instant/]],
  }),
  "two-digit-years": wrong({
    broken: "the years 0000 to 0099 are read as 1900 to 1999, as JavaScript's Date.UTC does",
    ...takenFor(/^00(\d\d)-/, "19$1-"),
    killedBy: [["donations/created-at", /every date-time of interface 2.2/]],
  }),
  "buddhist-years": wrong({
    broken: "a year from 2400 on is read as one of the Buddhist era",
    on: "createDonation",
    sent: at<string>("createdAt", (text) =>
      /^2[4-9]\d\d-(?!02-29)/.test(text) ? `${Number(text.slice(0, 4)) - 543}${text.slice(4)}` : text,
    ),
    killedBy: [["donations/created-at", /year of the Buddhist era/]],
  }),
  "sign-of-years": wrong({
    broken: "a year with a sign is accepted",
    ...takenFor(/^[+-](?=\d{4}-)/, ""),
    killedBy: [["donations/created-at", /the year has no sign/]],
  }),
  "instants-of-bangkok": wrong({
    broken: "createdAt is answered in the time of Bangkok, called UTC",
    ...instant((time) => time + 7 * 3_600_000),
    killedBy: [["donations/created-at", /comes back as the same instant/]],
  }),
};
