// Examples of events, for tests of an endpoint.

import { type Event, type EventType, type LoggedEvent, toEvent } from "../event.ts";

/** An example of this type. `at`: milliseconds since 1970. */
export function exampleOf(type: EventType, { id, at }: { id: string; at: number }): Event {
  const time = new Date(at).toISOString();
  const donation: ReturnType<NonNullable<LoggedEvent["donationFor"]>> = {
    id,
    donatorName: "Namjai",
    amount: 123.45,
    currency: "THB",
    message: "ทดสอบเว็บฮุก",
    identifier: null,
    idempotencyKey: null,
    skipAlert: false,
    source: "test",
    channel: "other",
    alert: { status: "queued", reason: null, shownAt: null },
    createdAt: time,
    receivedAt: time,
  };
  const logged = { position: 0, id, type, at };
  if (type === "goal.reached")
    return toEvent(
      { ...logged, donationFor: null, details: { title: "ไมค์ตัวใหม่", target: 5000, from: time.slice(0, 10), current: 5020.5 } },
      "",
    );
  const [, status] = type.split(".");
  const alert = { status: status === "started" ? "playing" : status, reason: status === "skipped" ? "control" : null, isReplay: false };
  return toEvent({ ...logged, donationFor: () => donation, details: type === "donation.created" ? {} : alert }, "");
}
