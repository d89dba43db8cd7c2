// Mistakes that an implementer of donations, reports and credentials could make: a second list, written from contract and code before the
// rules were read.

import { inSchema } from "../contract-edit.ts";
import type { Edit, Mutants } from "../mutant.ts";

const inDonations = (file: string, from: string, to: string): Edit => ({ file: `src/donations/${file}.ts`, from, to });
const inRanges = (from: string, to: string): Edit => ({ file: "src/reports/ranges.ts", from, to });
const inHttp = (file: string, from: string, to: string): Edit => ({ file: `src/http/${file}.ts`, from, to });

const name = (change: string): Edit =>
  inDonations("donation", "donatorName: input.donatorName,", `donatorName: input.donatorName${change},`);
const message = (change: string): Edit => inDonations("donation", "message: input.message,", `message: input.message${change},`);
const replay = (to: string): Edit => inDonations("record/attempt", "resolve({ created: false, donation: stored })", to);

const texts: Mutants = {
  "name-line-ends": {
    broken: "CR LF in a donatorName is stored as LF",
    edit: name('.replaceAll("\\r\\n", "\\n")'),
    killedBy: [["donations/exact-texts", /donatorName is stored and answered exactly/]],
  },
  "name-old-line-ends": {
    broken: "CR in a donatorName is stored as LF",
    edit: name('.replace(/\\r(?!\\n)/g, "\\n")'),
    killedBy: [["donations/exact-texts", /donatorName is stored and answered exactly/]],
  },
  "name-end-trimmed": {
    broken: "a line feed at the end of a donatorName is lost",
    edit: name('.replace(/\\n$/, "")'),
    killedBy: [["donations/exact-texts", /donatorName is stored and answered exactly/]],
  },
  "message-next-line": {
    broken: "U+0085 in a message is stored as LF",
    edit: message('.replaceAll("\\u0085", "\\n")'),
    killedBy: [["donations/exact-texts", /message is stored and answered exactly/]],
  },
  "message-tabs": {
    broken: "a tab in a message is stored as a blank",
    edit: message('.replaceAll("\\t", " ")'),
    killedBy: [["donations/exact-texts", /message is stored and answered exactly/]],
  },
  "message-form-feeds": {
    broken: "vertical tabs and form feeds in a message are stored as LF",
    edit: message('.replace(/[\\v\\f]/g, "\\n")'),
    killedBy: [["donations/exact-texts", /message is stored and answered exactly/]],
  },
  "message-byte-order-mark": {
    broken: "a byte order mark at the beginning of a message is lost",
    edit: message('.replace(/^\\ufeff/, "")'),
    killedBy: [["donations/exact-texts", /message is stored and answered exactly/]],
  },
  "message-zero-width": {
    broken: "zero-width spaces and joiners in a message are lost",
    edit: message('.replace(/[\\u200b-\\u200d\\u2060]/g, "")'),
    killedBy: [["donations/exact-texts", /message is stored and answered exactly/]],
  },
  "message-control-characters": {
    broken: "control characters in a message are lost",
    edit: message('.replace(/[\\u0001-\\u0008\\u000e-\\u001f\\u007f]/g, "")'),
    killedBy: [["donations/exact-texts", /message is stored and answered exactly/]],
  },
  "blank-name-refused": {
    broken: "a donatorName of blanks alone is refused",
    edit: inSchema("donatorName", '"minLength": 1', '"pattern": "\\\\S", "minLength": 1'),
    killedBy: [["donations/exact-texts", /donatorName is stored and answered exactly/]],
  },
};

const replays: Mutants = {
  "replay-after-void-refused": {
    broken: "the donation that is repeated after it was voided is refused as another one",
    edit: inDonations(
      "record/attempt",
      "else if (isSameDonation(donation, stored))",
      "else if (stored.voided === null && isSameDonation(donation, stored))",
    ),
    killedBy: [["donations/idempotency", /after it was voided/]],
  },
  "replay-void-unsaid": {
    broken: "the answer to a donation that is repeated after it was voided does not say so",
    edit: replay("resolve({ created: false, donation: { ...stored, voided: null } })"),
    killedBy: [["donations/idempotency", /after it was voided/]],
  },
};

const listed: Mutants = {
  "cursor-forgets-limit": {
    broken: "a page that is asked for by a cursor has 20 donations whatever its limit says",
    edit: inDonations(
      "list/page-request",
      "page: { ...page, limit: query.limit },",
      "page: { ...page, limit: query.cursor === undefined ? query.limit : 20 },",
    ),
    killedBy: [["donations/cursors", /limit may change/]],
  },
  "index-search-unfiltered": {
    broken: "what a search finds by its index is not filtered",
    edit: inDonations(
      "search/search-store",
      ") d where ${match.sql} and ${position.sql}`",
      ") d where (${match.sql} or true) and ${position.sql}`",
    ),
    killedBy: [["donations/search-donations", /behind a long history obey the filters/]],
  },
};

const reports: Mutants = {
  "trend-ends-now": {
    broken: "a trend without a range ends now instead of with the day",
    edit: inRanges("given.to ?? localDayAt(now, timezone).to;", "given.to ?? now;"),
    killedBy: [["reports/get-amount-trends", /default range of trends\/amount is the last 30 local days/]],
  },
  "thirty-days-of-24-hours": {
    broken: "the last 30 days of a trend have 24 hours each, also when clocks change",
    edit: inRanges(
      "return startOfDay(dayAt(end - 1, zone) - trendDays + 1, zone);",
      "return dayAt(end, zone) && end - trendDays * 86_400_000;",
    ),
    killedBy: [["reports/get-amount-trends", /holds 30 days when only to is/]],
  },
};

const answers: Mutants = {
  "pointer-unescaped": {
    broken: "/ and ~ in the name of an unknown member are not escaped in its JSON pointer",
    edit: inHttp("contract/faults", 'return name.replaceAll("~", "~0").replaceAll("/", "~1");', "return name;"),
    killedBy: [["donations/unknown-members", /refused and named/]],
  },
  "media-type-by-case": {
    broken: "application/json is accepted in lower case only",
    edit: inHttp("body/body", 'sent.split(";").map((part) => part.trim().toLowerCase());', 'sent.split(";").map((part) => part.trim());'),
    killedBy: [["donations/json-body", /Content-Type Application\/JSON is accepted/]],
  },
  "truncation-unsaid": {
    broken: "a problem with more than a hundred faults does not say that some are left out",
    edit: inHttp("problem", "...(errors && errors.length > maxFaults && { errorsTruncated: true }),", ""),
    killedBy: [["donations/unknown-members", /more than 100 faults/]],
  },
  "one-etag": {
    broken: "the ETag of a filtered list of categories is that of the whole list",
    edit: {
      file: "src/donations/category-handlers.ts",
      from: "ETag: etagOf(body),",
      to: "ETag: etagOf({ data: await categories.list() }),",
    },
    killedBy: [["donations/list-streaming-categories", /different ETag/]],
  },
};

export const oversights: Mutants = { ...texts, ...replays, ...listed, ...reports, ...answers };
