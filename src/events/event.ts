// Events of the contract, made from what the log holds. Pure.

import { completeGoal } from "../alerts/settings/goals.ts";
import { formatInstant } from "../base/instant.ts";
import { eventTypes } from "../http/contract/published.ts";
import { insufficientScope } from "../http/guards.ts";
import type { Schemas, Scope } from "../http/operations.ts";

export type Event = Schemas["Event"];
export type EventType = Schemas["EventType"];
type DonationRecord = Required<Schemas["Donation"]>;

/** What happened, as the log holds it. Another application may read it differently: idempotency keys are their own. */
export type LoggedEvent = Readonly<{
  /** Its place in the streamer's log. Never shown; a cursor seals it. */
  position: number;
  id: string;
  type: EventType;
  /** Milliseconds since 1970. */
  at: number;
  /** The donation that it happened to; null for an event of no single donation. */
  donationFor: ((applicationId: string) => DonationRecord) | null;
  /** Its id; null for an event of no single donation. */
  donationId: string | null;
  /** Whether an import recorded the donation. */
  isImported: boolean;
  /** Members of `data` that are not the donation's, or that it had only then. */
  details: Readonly<Record<string, unknown>>;
}>;

/** What stands before the dot of a type. */
type Subject = SubjectOf<EventType>;
type SubjectOf<Type> = Type extends `${infer Name}.${string}` ? Name : never;

/** What events are about: the scope that reads them, and their `data`. */
const subjects: Readonly<Record<Subject, { scope: Scope; dataOf: (logged: LoggedEvent, donation: DonationRecord | null) => object }>> = {
  donation: {
    scope: "read:donations",
    dataOf: ({ details, isImported }, donation) => ({ ...donation, ...details, isTest: isTest(donation), isReplay: false, isImported }),
  },
  alert: {
    scope: "read:alerts",
    dataOf: ({ details }, donation) => ({ ...(donation && shown(donation)), ...details, isTest: isTest(donation) }),
  },
  timer: { scope: "read:alerts", dataOf: ({ details }) => details },
  goal: { scope: "read:alerts", dataOf: ({ details }) => completeGoal(details) },
};

/** A type that only a later version knows may stand in an endpoint's list. Its events are none of this version's. */
const subjectOf = (type: EventType) => subjects[type.slice(0, type.indexOf(".")) as Subject] ?? subjects.alert;

/** The scope that a credential needs for this type. */
export function scopeOfType(type: EventType): Scope {
  return subjectOf(type).scope;
}

/** The types that a reader gets: those it asks for, or all that its scopes allow. Throws insufficient_scope when a scope is missing. */
export function readableTypes({ scopes }: { scopes: readonly Scope[] }, asked?: readonly EventType[]): EventType[] {
  const allowed = eventTypes.filter((type) => scopes.includes(scopeOfType(type)));
  const missing = (asked ?? []).filter((type) => !allowed.includes(type)).map(scopeOfType);
  if (missing.length > 0) throw insufficientScope([...new Set(missing)]);
  return asked ? [...asked] : allowed;
}

/** The event as an application reads it. */
export function toEvent(logged: LoggedEvent, applicationId: string): Event {
  const { id, type, at, donationFor } = logged;
  const data = subjectOf(type).dataOf(logged, donationFor?.(applicationId) ?? null);
  return { id, type, timestamp: formatInstant(at), data } as Event;
}

const isTest = (donation: DonationRecord | null): boolean => donation?.source === "test";

/** What an alert shows of a donation. The donator's identifier is not among it. */
function shown({ id, donatorName, amount, currency, message, source }: DonationRecord) {
  return { donationId: id, donatorName, amount, currency, message, source };
}
