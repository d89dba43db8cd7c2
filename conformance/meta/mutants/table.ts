// All mutants, by area.

import type { Mutants } from "./mutant.ts";
import { alerts } from "./table/alerts.ts";
import { answers } from "./table/answers.ts";
import { approval } from "./table/approval.ts";
import { columns } from "./table/columns.ts";
import { credentials } from "./table/credentials.ts";
import { dates } from "./table/dates.ts";
import { edges } from "./table/edges.ts";
import { erasures } from "./table/erasures.ts";
import { eventMistakes } from "./table/event-mistakes.ts";
import { events } from "./table/events.ts";
import { exports } from "./table/exports.ts";
import { files } from "./table/files.ts";
import { handWritten } from "./table/hand-written.ts";
import { histories } from "./table/histories.ts";
import { idempotency } from "./table/idempotency.ts";
import { imports } from "./table/imports.ts";
import { invented } from "./table/invented.ts";
import { inventedAgain } from "./table/invented-again.ts";
import { rawJson } from "./table/json.ts";
import { limits } from "./table/limits.ts";
import { listsAndSearch } from "./table/lists.ts";
import { mistakes } from "./table/mistakes.ts";
import { numbers } from "./table/numbers.ts";
import { oauth } from "./table/oauth.ts";
import { otherServers } from "./table/other-servers.ts";
import { oversights } from "./table/oversights.ts";
import { reports } from "./table/reports.ts";
import { textEdges } from "./table/text-edges.ts";
import { texts } from "./table/texts.ts";
import { variations } from "./table/variations.ts";
import { voids } from "./table/voids.ts";
import { webhookMistakes } from "./table/webhook-mistakes.ts";
import { webhooks } from "./table/webhooks.ts";
import { widgets } from "./table/widgets.ts";

const tables: Record<string, Mutants> = {
  dates,
  numbers,
  texts,
  "raw JSON": rawJson,
  credentials,
  OAuth: oauth,
  idempotency,
  imports,
  columns,
  reports,
  histories,
  "lists and search": listsAndSearch,
  export: exports,
  alerts,
  approval,
  variations,
  widgets,
  files,
  events: { ...events, ...eventMistakes },
  webhooks: { ...webhooks, ...webhookMistakes },
  voids,
  erasures,
  limits,
  answers,
  invented,
  "invented again": inventedAgain,
  "other servers": otherServers,
  edges: { ...textEdges, ...edges },
  "likely mistakes": mistakes,
  oversights,
  "written by hand": handWritten,
};

export const mutants: Mutants = Object.assign({}, ...Object.values(tables));

/** Names of the mutants of each area. */
export const areas: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(tables).map(([area, theirs]) => [area, Object.keys(theirs)]),
);
