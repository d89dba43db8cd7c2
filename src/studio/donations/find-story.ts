// What happened to a donation, by the log of events, and who decided about its alert, by the audit log.

import type { Knex } from "knex";
import type { AuditAction } from "../../audit/audit-log.ts";
import { type FoundLine, findLines, isSoonAfter } from "../../audit/find-lines.ts";
import { findApplicationNames, findKeyNames } from "../../auth/api-keys.ts";
import type { EventType } from "../../events/event.ts";
import { findDonationEvents, type DonationStep as LoggedStep } from "../../events/log.ts";

/** What happened to a donation or its alert. */
export type DonationStep = LoggedStep &
  Readonly<{
    /** Who decided about a held alert, or denied one; null for another step, and where it was not noted. */
    decidedBy: DecidedBy | null;
  }>;

/** `nobody`: nobody did within these seconds, so that the time-out decided. `name`: of the API key or the application. */
export type DecidedBy =
  | Readonly<{ is: "nobody"; seconds: number }>
  | Readonly<{ is: "streamer" }>
  | Readonly<{ is: "key" | "application"; name: string }>;

/** The lines that tell of the decision which an event is about. */
const decisionsOf: Partial<Record<EventType, readonly AuditAction[]>> = {
  "alert.approved": ["alert.approved", "alert.masked", "alert.timed_out"],
  "alert.denied": ["alert.denied"],
  "alert.skipped": ["alert.timed_out"],
};

/** Finds the steps of the streamer's donation, oldest first. */
export async function findStory(knex: Knex, streamerId: string, donationId: string): Promise<DonationStep[]> {
  const events = await findDonationEvents(knex, streamerId, donationId);
  const moments = events.filter(({ type, reason }) => isDecided(type, reason)).map(({ at }) => at);
  const actions = [...new Set(Object.values(decisionsOf).flat())];
  const lines = await findLines(knex, { chain: streamerId, target: donationId, actions, moments });
  const names = await findNames(knex, streamerId, lines);
  const left = [...lines];
  return events.map((event) => {
    const wanted = isDecided(event.type, event.reason) ? (decisionsOf[event.type] ?? []) : [];
    const place = left.findIndex(({ action, at }) => wanted.includes(action) && isSoonAfter(at, event.at));
    const [line] = place < 0 ? [] : left.splice(place, 1);
    return { ...event, decidedBy: line ? decidedBy(line, names) : null };
  });
}

function isDecided(type: EventType, reason: DonationStep["reason"]): boolean {
  return type === "alert.approved" || type === "alert.denied" || (type === "alert.skipped" && reason === "timed_out");
}

type Names = Readonly<{ keys: ReadonlyMap<string, string>; applications: ReadonlyMap<string, string> }>;

async function findNames(knex: Knex, streamerId: string, lines: readonly FoundLine[]): Promise<Names> {
  const keys = lines.flatMap(({ actor: { kind, id } }) => (kind === "api_key" && id !== undefined ? [id] : []));
  const applications = lines.flatMap(({ actor: { kind, application } }) => (kind === "access_token" && application ? [application] : []));
  return { keys: await findKeyNames(knex, streamerId, keys), applications: await findApplicationNames(knex, applications) };
}

function decidedBy({ action, actor, details }: FoundLine, { keys, applications }: Names): DecidedBy | null {
  if (action === "alert.timed_out") return { is: "nobody", seconds: Number(details["seconds"]) };
  if (actor.kind === "session") return { is: "streamer" };
  const [key, application] = [keys.get(actor.id ?? ""), applications.get(actor.application ?? "")];
  if (actor.kind === "api_key" && key !== undefined) return { is: "key", name: key };
  if (actor.kind === "access_token" && application !== undefined) return { is: "application", name: application };
  return null;
}
