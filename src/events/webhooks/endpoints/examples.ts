// Examples of events, for tests of an endpoint.

import { donationExample } from "../../../http/contract/published.ts";
import { type Event, type EventType, toEvent } from "../../event.ts";

/** An example of this type. `at`: milliseconds since 1970. */
export function exampleOf(type: EventType, { id, at }: { id: string; at: number }): Event {
  const time = new Date(at).toISOString();
  const donation = {
    ...donationExample,
    id,
    donatorName: "Namjai",
    message: "ทดสอบเว็บฮุก",
    identifier: null,
    idempotencyKey: null,
    source: "test",
    channel: "other",
    createdAt: time,
    receivedAt: time,
  } as const;
  const logged = { position: 0, id, type, at, donationId: null, isImported: false };
  if (type === "goal.reached")
    return toEvent(
      { ...logged, donationFor: null, details: { title: "ไมค์ตัวใหม่", target: 5000, from: time.slice(0, 10), current: 5020.5 } },
      "",
    );
  if (type === "donation.voided") {
    const voided = { at: time, reason: "refund" } as const;
    return toEvent({ ...logged, donationFor: () => donation, details: { alert: donation.alert, voided } }, "");
  }
  if (type === "donation.erased") {
    const erased = { ...donation, donatorName: "(erased)", message: "" };
    return toEvent({ ...logged, donationFor: () => erased, details: { alert: donation.alert, voided: null } }, "");
  }
  const [, happened = ""] = type.split(".");
  const alert = { ...(statusAfter[happened] ?? { status: happened, reason: null }), isReplay: false };
  return toEvent({ ...logged, donationFor: () => donation, details: type === "donation.created" ? {} : alert }, "");
}

/** The status of an alert after an event that does not have its name. */
const statusAfter: Readonly<Record<string, { status: string; reason: string | null }>> = {
  started: { status: "playing", reason: null },
  held: { status: "queued", reason: null },
  approved: { status: "queued", reason: null },
  denied: { status: "skipped", reason: "denied" },
  skipped: { status: "skipped", reason: "control" },
};
