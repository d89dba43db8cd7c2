// All mutants, by area: wrong answers, which any server could give, and edits of the sources of this one.

import { alertAnswers } from "./answers/alerts.ts";
import { bodies } from "./answers/bodies.ts";
import { donationMembers } from "./answers/donation-members.ts";
import { createdAt, donations } from "./answers/donations.ts";
import { eventAnswers } from "./answers/events.ts";
import { idempotency } from "./answers/idempotency.ts";
import { lists } from "./answers/lists.ts";
import { oauthAnswers } from "./answers/oauth.ts";
import { pageAnswers } from "./answers/pages.ts";
import { protocol } from "./answers/protocol.ts";
import { reads } from "./answers/reads.ts";
import { reportAnswers } from "./answers/reports.ts";
import { webhookAnswers } from "./answers/webhooks.ts";
import { widgetAnswers } from "./answers/widgets.ts";
import { alerts as alertEdits } from "./edits/alerts.ts";
import { corrections as correctionEdits } from "./edits/corrections.ts";
import { donations as donationEdits, imports as importEdits } from "./edits/donations.ts";
import { events as eventEdits } from "./edits/events.ts";
import { http as httpEdits, oauth as oauthEdits } from "./edits/http.ts";
import { reports as reportEdits } from "./edits/reports.ts";
import { studio as studioEdits, timer as timerEdits } from "./edits/studio.ts";
import { webhooks as webhookEdits } from "./edits/webhooks.ts";
import type { Mutants } from "./mutant.ts";

const tables: Record<string, Mutants> = {
  "answers: createdAt": createdAt,
  "answers: members of donations": donationMembers,
  "answers: donations": donations,
  "answers: idempotency": idempotency,
  "answers: bodies and parameters": bodies,
  "answers: lists, imports, voids": lists,
  "answers: what was recorded": reads,
  "answers: reports": reportAnswers,
  "answers: protocol and credentials": protocol,
  "answers: OAuth": oauthAnswers,
  "answers: alerts and overlay": alertAnswers,
  "answers: widgets": widgetAnswers,
  "answers: events and webhooks": eventAnswers,
  "answers: times of webhooks": webhookAnswers,
  "answers: pages and MCP": pageAnswers,
  "edits: http": httpEdits,
  "edits: oauth": oauthEdits,
  "edits: donations": donationEdits,
  "edits: imports": importEdits,
  "edits: reports": reportEdits,
  "edits: alerts": alertEdits,
  "edits: events": eventEdits,
  "edits: timer": timerEdits,
  "edits: webhooks": webhookEdits,
  "edits: corrections": correctionEdits,
  "edits: studio": studioEdits,
};

export const mutants: Mutants = Object.assign({}, ...Object.values(tables));

/** Names of the mutants of each area. */
export const areas: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(tables).map(([area, theirs]) => [area, Object.keys(theirs)]),
);
