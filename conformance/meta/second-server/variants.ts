// Choices that the interface document leaves to a server. Profile `interface` must pass with each one.

import type { Change } from "./bugs.ts";

/** A choice of a sound server, and the paragraph of the interface that leaves it open. */
type Variant = Change & { openIn: string };

const segmenter = new Intl.Segmenter("und", { granularity: "grapheme" });
const characters = "2.1 and 8 say characters, and no more";
const noErrors = "7: no status of errors is shown";
const noConditions = "7: conditions of errors are not shown";

/** What a donation says, however it is written. */
const contentOf = (donation: object): string =>
  JSON.stringify(Object.entries(donation).toSorted(([one], [other]) => (one < other ? -1 : 1)));

/** Whether a date-time is outside of the years 0001 to 9999 in UTC. */
function leavesYears(text: string): boolean {
  const year = new Date(text).getUTCFullYear();
  return year < 1 || year > 9999;
}

export const variants: Record<string, Variant> = {
  "utf-16": { openIn: characters, rules: { lengthOf: (text) => text.length } },
  graphemes: { openIn: characters, rules: { lengthOf: (text) => [...segmenter.segment(text)].length } },
  "403-for-401": {
    openIn: noErrors,
    behaviour: { authorize: (token, { scopesOf }) => (scopesOf(token ?? "")?.includes("write:donations") ? 200 : 403) },
  },
  "400-for-a-malformed-header": {
    openIn: noErrors,
    behaviour: {
      authorize: (token, { scopesOf }, header) => {
        if (header !== undefined && token === null) return 400;
        return scopesOf(token ?? "")?.includes("write:donations") ? 200 : 401;
      },
    },
  },
  "404-for-everything-refused": {
    openIn: noErrors,
    behaviour: {
      authorize: (token, { scopesOf }) => (scopesOf(token ?? "")?.includes("write:donations") ? 200 : 404),
      exchange: () => ({ status: 404, body: "this grant is not known" }),
      answer: (answer) => (answer.status >= 400 ? { ...answer, status: 404 } : answer),
    },
  },
  "unique-identifier": { openIn: "2.1: how identifier is used is not stated", behaviour: { once: { identifier: 422 } } },
  "used-key-refused": { openIn: "2.1: how idempotencyKey is used is not stated", behaviour: { once: { idempotencyKey: 409 } } },
  "equal-donation-refused": { openIn: noConditions, behaviour: { identityOf: contentOf } },
  "control-characters-refused": {
    openIn: noConditions,
    rules: { isText: (text) => !/[\p{Cc}\p{Noncharacter_Code_Point}]/u.test(text) },
  },
  "control-characters-removed": {
    openIn: characters,
    rules: { lengthOf: (text) => [...text.replace(/[\p{Cc}\p{Noncharacter_Code_Point}]/gu, "")].length },
  },
  "texts-trimmed": {
    openIn: "2.1: whether blanks at the ends count is not stated",
    rules: { lengthOf: (text) => [...text.trim()].length },
  },
  "years-from-0001-in-utc": {
    openIn: "2.2: whether a calendar has a year 0000, and whether the time must be in the years to 9999 in UTC, too, is not stated",
    rules: { valueToCheck: (member, value) => (member === "createdAt" && leavesYears(String(value)) ? "" : value) },
  },
  "invalid-utf8-replaced": {
    openIn: "1: no encoding is named",
    rules: { read: (bytes) => JSON.parse(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)) },
  },
  "answers-without-a-body": {
    openIn: "2.3: fields of the record are not shown",
    behaviour: { answer: ({ status }) => ({ status, body: "" }) },
  },
  "unknown-client-404": {
    openIn: noErrors,
    behaviour: { clientRefusal: { status: 404, body: "there is no such client" } },
  },
};
