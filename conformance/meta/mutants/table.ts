// All mutants, by area.

import { alerts as alertEdits } from "./edits/alerts.ts";
import { corrections as correctionEdits } from "./edits/corrections.ts";
import { donations as donationEdits } from "./edits/donations.ts";
import { events as eventEdits } from "./edits/events.ts";
import { http as httpEdits } from "./edits/http.ts";
import { imports as importEdits } from "./edits/imports.ts";
import { oauth as oauthEdits } from "./edits/oauth.ts";
import { reports as reportEdits } from "./edits/reports.ts";
import { studio as studioEdits } from "./edits/studio.ts";
import { webhooks as webhookEdits } from "./edits/webhooks.ts";
import type { Mutants } from "./mutant.ts";
import { answers } from "./table/answers.ts";
import { credentials } from "./table/credentials.ts";
import { dates } from "./table/dates.ts";
import { idempotency } from "./table/idempotency.ts";
import { rawJson } from "./table/json.ts";
import { listsAndSearch } from "./table/lists.ts";
import { numbers } from "./table/numbers.ts";
import { reports } from "./table/reports.ts";
import { texts } from "./table/texts.ts";

const tables: Record<string, Mutants> = {
  dates,
  numbers,
  texts,
  "raw JSON": rawJson,
  credentials,
  idempotency,
  reports,
  "lists and search": listsAndSearch,
  answers,
  "edits: http": httpEdits,
  "edits: oauth": oauthEdits,
  "edits: donations": donationEdits,
  "edits: imports": importEdits,
  "edits: reports": reportEdits,
  "edits: alerts": alertEdits,
  "edits: events": eventEdits,
  "edits: webhooks": webhookEdits,
  "edits: corrections": correctionEdits,
  "edits: studio": studioEdits,
};

export const mutants: Mutants = Object.assign({}, ...Object.values(tables));

/** Names of the mutants of each area. */
export const areas: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(tables).map(([area, theirs]) => [area, Object.keys(theirs)]),
);
