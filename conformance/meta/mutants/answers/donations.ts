// Wrong answers to the recording of a donation: texts as they are stored, what is answered, and what is read back.

import type { Mutants } from "../mutant.ts";
import { at, jsonOf, set, type WrongAnswer, wrong } from "../wrong-answer.ts";

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
    killedBy: [["donations/exact-texts", /^message is stored and answered exactly/]],
  }),
  "name-composed": wrong({
    broken: "the letters of a donatorName are composed",
    ...text("donatorName", (name) => name.normalize("NFC")),
    killedBy: [["donations/exact-texts", /^donatorName is stored and answered exactly/]],
  }),
  "identifier-cut": wrong({
    broken: "of an identifier the first 100 characters are stored",
    ...text("identifier", (identifier) => [...identifier].slice(0, 100).join("")),
    killedBy: [["donations/exact-keys", /each spelling of an identifier is a donator of its own/]],
  }),
  "key-cut": wrong({
    broken: "of an idempotencyKey the first 100 characters count",
    ...text("idempotencyKey", (key) => [...key].slice(0, 100).join("")),
    killedBy: [["donations/exact-keys", /each spelling of an idempotencyKey is a key of its own/]],
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
    killedBy: [["interface/server-errors", /a donation with NUL is accepted or refused/]],
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
    killedBy: [["donations/nothing-left-behind", /with an unknown member leaves nothing behind/]],
  }),
  "200-for-404": wrong({
    broken: "a donation that does not exist is answered 200",
    on: "getDonation",
    forgives: { status: 404, as: 200, read: () => "/api/v1/donations?limit=1" },
    answer: at<unknown>("data", (data) => (Array.isArray(data) ? data[0] : data)),
    killedBy: [["donations/get-donation", /an id that names nothing/]],
  }),
  "path-for-two": wrong({
    broken: "the path of donations is gone once two were recorded",
    on,
    instead: async (request, send, memory) => {
      const answer = await send(request);
      if (answer.status < 300) memory.set(String(memory.size), answer);
      return memory.size > 2 ? { ...answer, status: 404 } : answer;
    },
    killedBy: [["interface/paths", /donations are created by POST/]],
  }),
  "scopes-of-me": wrong({
    broken: "getMe answers all scopes to every key",
    on: "getMe",
    answer: set("data", { scopes: ["write:donations", "read:donations"] }),
    killedBy: [["donations/get-me", /a readOnly key has read:donations alone/]],
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
