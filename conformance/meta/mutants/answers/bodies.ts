// Wrong answers to how a request is written: JSON, encodings, media types, and everything that the contract says of members and parameters.

import { at, changeJson, jsonOf, type Mutants, wrong } from "../mutant.ts";

const on = "createDonation";
const lists = "listDonations searchDonations";
/** Operations with a body, but for those that record donations. */
const elsewhere = /^(POST|PATCH|PUT) \/api\/v1\/(?!donations(\/batch)?(\?|$))/;

/** A server that does what it refuses, without the members that break a rule. */
const doneThoughRefused = (on: string, broken: string, killer: readonly [family: string, title: RegExp]) =>
  wrong({
    broken,
    on,
    instead: async (request, send) => {
      const answer = await send(request);
      const faults = jsonOf(answer)?.errors as { pointer?: string }[] | undefined;
      if (answer.status !== 400 || !faults) return answer;
      const refused = new Set(faults.map(({ pointer }) => pointer?.split("/")[1]));
      const rest = Object.entries(jsonOf(request) ?? {}).filter(([name]) => !refused.has(name));
      if (rest.length > 0) await send({ ...request, body: Buffer.from(JSON.stringify(Object.fromEntries(rest))) });
      return answer;
    },
    killedBy: [killer],
  });

export const bodies: Mutants = {
  "void-though-refused": doneThoughRefused("voidDonation", "a void that breaks a rule is refused and takes effect", [
    "donations/void-donation",
    /breaks a rule of its body is refused and leaves the donation valid/,
  ]),
  "erased-though-refused": doneThoughRefused("eraseDonator", "an erasure that breaks a rule is refused and takes effect", [
    "donations/erase-donator",
    /breaks a rule of its body is refused and erases nothing/,
  ]),
  "webhook-though-refused": doneThoughRefused("createWebhook", "a webhook that breaks a rule is refused and created", [
    "events/webhooks",
    /whose body breaks a rule is refused and not created/,
  ]),
  "webhook-changed-though-refused": doneThoughRefused("updateWebhook", "a change of a webhook is refused and made in part", [
    "events/update-webhook",
    /breaks a rule of its body is refused and changes nothing/,
  ]),
  "timer-though-refused": doneThoughRefused(
    "updateTimerRules startTimer adjustTimer",
    "a request for a timer that breaks a rule is refused and takes effect",
    ["alerts/get-timer", /for rules of a timer that breaks a rule of its body is refused/],
  ),
  "duplicate-null-ignored": wrong({
    broken: "a member with the value null does not replace the one before it",
    on,
    bytes: (body) => Buffer.from(body.toString().replace(/,\s*"[a-zA-Z]+"\s*:\s*null\s*(?=[,}])/g, "")),
    killedBy: [["donations/json-body", /the last of two duplicate members is refused when it is null/]],
  }),
  "utf8-lenient": wrong({
    broken: "invalid UTF-8 is read as U+FFFD",
    on,
    bytes: (body) => Buffer.from(body.toString("utf8")),
    killedBy: [["donations/json-body", /invalid UTF-8 .*a lone continuation byte/]],
  }),
  "utf16-by-mark": wrong({
    broken: "a body in UTF-16 with a byte order mark is read",
    on,
    bytes: (body) => (body[0] === 0xff && body[1] === 0xfe && body[2] !== 0 ? Buffer.from(body.subarray(2).toString("utf16le")) : body),
    killedBy: [["donations/json-body", /encoded in UTF-16LE with a byte order mark/]],
  }),
  "bom-refused": wrong({
    broken: "a body that begins with a byte order mark is refused",
    on,
    bytes: (body) => (body.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? Buffer.from("?") : body),
    killedBy: [["donations/json-body", /byte order mark before the body is ignored/]],
  }),
  "bom-refused-elsewhere": wrong({
    broken: "only donations may begin with a byte order mark",
    on: elsewhere,
    bytes: (body) => (body.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? Buffer.from("?") : body),
    killedBy: [["derived/requests", /voidDonation: a byte order mark/]],
  }),
  "utf8-lenient-elsewhere": wrong({
    broken: "invalid UTF-8 is refused in donations alone",
    on: elsewhere,
    bytes: (body, { headers }) => (/json/.test(String(headers["content-type"])) ? Buffer.from(body.toString("utf8")) : body),
    killedBy: [["derived/requests", /voidDonation: a body of JSON that is no UTF-8/]],
  }),
  "duplicate-first-elsewhere": wrong({
    broken: "of a repeated member the first counts, but for donations",
    on: elsewhere,
    bytes: (body) => Buffer.from(body.toString().replace(/("\w+":)([^,{}]+),(.*)\1[^,{}]+/, "$1$2,$3$1$2")),
    killedBy: [["derived/requests", /voidDonation: the last of two members with one name/]],
  }),
  "nul-fails-elsewhere": wrong({
    broken: "NUL, which the database cannot store, makes every operation but the recording of donations fail",
    on: elsewhere,
    when: (_answer, { body }) => body.includes("\\u0000"),
    status: 500,
    killedBy: [["derived/requests", /sendTestAlert: NUL and lone surrogates/]],
  }),
  "nesting-31": wrong({
    broken: "a body of 32 levels is refused",
    on,
    bytes: (body) => (/(?:\[\s*){31}|(?:\{"[^"]*":\s*){31}/.test(body.toString()) ? Buffer.from("?") : body),
    killedBy: [["donations/json-body", /32 nested levels is read/]],
  }),
  "comments-read": wrong({
    broken: "a comment in JSON is passed over",
    on,
    bytes: (body) => Buffer.from(body.toString().replace(/\/\*.*?\*\/|\/\/.*$/gm, "")),
    killedBy: [["interface/json-text", /is refused: a comment/]],
  }),
  "charset-ignored": wrong({
    broken: "a content type with any charset is accepted",
    on,
    asked: { "content-type": (type) => type?.replace(/;.*/, "") ?? null },
    killedBy: [["donations/json-body", /charset=.*is refused with unsupported_media_type/]],
  }),
  "any-type": wrong({
    broken: "a JSON body is read whatever its content type is",
    on: /^POST \/api\/v1\//,
    asked: { "content-type": (type) => (type && /^(text|application)\/(?!x-ndjson)/.test(type) ? "application/json" : (type ?? null)) },
    killedBy: [["derived/requests", /createDonation: a body of a type that the contract does not name/]],
  }),
  "body-65537": wrong({
    broken: "a body of more than 64 KiB is answered as one that is no JSON",
    on: /^POST \/api\/v1\//,
    status: { 413: 400 },
    killedBy: [["derived/requests", /createDonation: a body above 64 KiB/]],
  }),
  "bounds-of-limit": wrong({
    broken: "a limit above the largest is taken for the largest",
    on: lists,
    url: ({ searchParams }) => Number(searchParams.get("limit")) > 100 && searchParams.set("limit", "100"),
    killedBy: [["derived/keywords", /listDonations: a number is accepted up to its bound/]],
  }),
  "choices-by-case": wrong({
    broken: "a choice is taken in capitals, too",
    on: lists,
    url: ({ searchParams }) => searchParams.has("status") && searchParams.set("status", String(searchParams.get("status")).toLowerCase()),
    killedBy: [["derived/keywords", /listDonations: each documented choice/]],
  }),
  "lengths-of-units": wrong({
    broken: "the text of a search is counted in UTF-16 code units",
    on: "searchDonations",
    url: ({ searchParams }) => String(searchParams.get("q")).length > 100 && searchParams.delete("q"),
    killedBy: [["derived/keywords", /searchDonations: a text is counted in Unicode code points/]],
  }),
  "search-operators": wrong({
    broken: "quotes around the text of a search and a minus before it are operators",
    on: "searchDonations",
    url: ({ searchParams }) => {
      const [q = "", ...others] = searchParams.getAll("q");
      if (others.length === 0 && q.length > 2) searchParams.set("q", q.replace(/^"(.+)"$/, "$1"));
      if (others.length === 0 && /^-\w/.test(q)) searchParams.set("q", q.slice(1));
    },
    killedBy: [["donations/search-donations", /takes "-b" literally/]],
  }),
  "lists-repeated": wrong({
    broken: "an item that is repeated in a list is counted once",
    on: "listDonations",
    url: (url) => {
      const seen = new Set<string>();
      const items = [...url.searchParams].filter(([name, value]) => name !== "channel" || (!seen.has(value) && seen.add(value)));
      url.search = new URLSearchParams(items).toString();
    },
    killedBy: [["derived/keywords", /listDonations: a list is accepted up to its bounds/]],
  }),
  "patterns-trimmed": wrong({
    broken: "blanks around the bounds of a range are passed over",
    on: "listDonations",
    url: ({ searchParams }) => searchParams.has("from") && searchParams.set("from", String(searchParams.get("from")).trim()),
    killedBy: [["derived/keywords", /listDonations: a text of the documented form/]],
  }),
  "reason-not-required": wrong({
    broken: "the reason of a void may be left out",
    on: "voidDonation",
    sent: (body) => (body && typeof body === "object" && !Array.isArray(body) ? { reason: "mistake", ...body } : body),
    killedBy: [["derived/keywords", /voidDonation: a required member/]],
  }),
  "test-alert-unsealed": wrong({
    broken: "unknown members of a test alert are accepted",
    on: "sendTestAlert",
    sent: (body) =>
      body && typeof body === "object" && !Array.isArray(body)
        ? Object.fromEntries(Object.entries(body).filter(([name]) => /^(donatorName|amount|message)$/.test(name)))
        : body,
    killedBy: [["derived/keywords", /sendTestAlert: a member that the contract does not name/]],
  }),
  "types-of-settings": wrong({
    broken: "numbers of settings may be sent as texts",
    on: "updateAlertSettings",
    sent: at<unknown>("volume", (volume) => (typeof volume === "string" && volume !== "" ? 50 : volume)),
    killedBy: [["derived/keywords", /updateAlertSettings: a value of the right JSON type/]],
  }),
  "unknown-parameters": wrong({
    broken: "unknown parameters are ignored instead of refused",
    on: "getMe",
    url: (url) => (url.search = ""),
    killedBy: [["derived/keywords", /getMe: a parameter that the contract does not name/]],
  }),
  "first-of-mixtures": wrong({
    broken: "only the first of several invalid values is named",
    on: "getDonationStats",
    answer: at<unknown[]>("errors", (errors) => errors.slice(0, 1)),
    killedBy: [["derived/keywords", /getDonationStats: several invalid values are all named/]],
  }),
  "ids-malformed-400": wrong({
    broken: "an id that names nothing is answered with the problem of a broken rule",
    on: "getWebhook",
    status: { 404: 400 },
    killedBy: [["derived/paths", /getWebhook answers 404/]],
  }),
  "slash-ignored": wrong({
    broken: "a path with an additional slash at its end is served",
    on: /^\w+ \/api\/v1\/[^?]*\/$/,
    url: (url) => (url.pathname = url.pathname.slice(0, -1)),
    killedBy: [["derived/requests", /trailing slash is another path: \/api\/v1\/donations\/export\//]],
  }),
  "errors-unbounded": wrong({
    broken: "a problem names every fault, however many",
    on,
    answer: at<unknown[]>("errors", (errors) => (errors.length === 100 ? [...errors, errors[0]] : errors)),
    killedBy: [["transport/problems", /createDonation refuses a body with 6,000 unknown members and/]],
  }),
  "arrays-in-order": wrong({
    broken: "an array of a donation's values is taken for the donation",
    on,
    instead: (request, send) =>
      send({
        ...request,
        body: changeJson(request.body, (body) => (Array.isArray(body) ? { donatorName: body[0], amount: body[1] } : body)),
      }),
    killedBy: [["interface/json-text", /a body that is no object is refused: \["สมชาย",20\]/]],
  }),
  "proto-passed-over": wrong({
    broken: "a member named __proto__ is passed over when its text has escapes",
    on,
    bytes: (body) => Buffer.from(body.toString().replace(/,"__proto__":"\\u[^"]*"/g, "")),
    killedBy: [["donations/json-body", /the unknown member "__proto__" is refused/]],
  }),
  "maximum-of-0": wrong({
    broken: "a maxAmount of 0 is taken for none",
    on: lists,
    url: ({ searchParams }) => searchParams.get("maxAmount") === "0" && searchParams.delete("maxAmount"),
    killedBy: [["donations/list-donations", /inclusive, to the double/]],
  }),
  "search-up-to-its-end": wrong({
    broken: "a search includes the instant that `to` names",
    on: "searchDonations",
    url: ({ searchParams }) => {
      const to = String(searchParams.get("to"));
      if (/^2024.*T/.test(to)) searchParams.set("to", new Date(Date.parse(to) + 1).toISOString());
    },
    killedBy: [["donations/search-donations", /obeys the filters of the list/]],
  }),
  "erased-by-the-very-name": wrong({
    broken: "an @ before the name by which somebody is to be erased is part of it",
    on: "eraseDonator",
    sent: at<unknown>("donatorName", (name) => (/^@/.test(String(name)) ? `@${name}` : name)),
    killedBy: [["donations/erase-donator", /erasure by name erases the donations without an identifier/]],
  }),
  "dry-run-counts-speech": wrong({
    broken: "a dry run of an erasure counts speech",
    on: "eraseDonator",
    answer: at<{ dryRun: boolean; speeches: number }>("data", (data) => ({ ...data, speeches: data.speeches + Number(data.dryRun) })),
    killedBy: [["donations/erase-donator", /dry run of an erasure counts/]],
  }),
  "bounds-as-parsed-elsewhere": wrong({
    broken: "the bounds of a range may have small letters, a leap second, or no zone",
    on: "listDonations searchDonations getDonationStats",
    url: ({ searchParams }) => {
      for (const name of ["from", "to"]) {
        const bound = String(searchParams.get(name)).replace(/[tz]/g, (letter) => letter.toUpperCase());
        const whole = bound.replace(":60", ":59").replace(/(T\d\d:\d\d)$/, "$1Z");
        if (/^\d{4}-\d\d-\d\dT/.test(whole)) searchParams.set(name, whole);
      }
    },
    killedBy: [
      ["derived/keywords", /listDonations: a text of the documented form/],
      ["derived/keywords", /getDonationStats: a text of the documented form/],
    ],
  }),
  "recovered-from-31-April": wrong({
    broken: "the instant from which a webhook recovers may be of a day that no month has",
    on: "recoverWebhook",
    sent: at<unknown>("since", (time) => (typeof time === "string" ? time.replace(/-04-31|(?<=2023)-02-29/, "-01-01") : time)),
    killedBy: [["derived/keywords", /recoverWebhook: a text of the documented form/]],
  }),
};
