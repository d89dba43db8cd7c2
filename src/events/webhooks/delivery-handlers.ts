// The operations on deliveries of a webhook endpoint.

import { formatInstant, parseInstant } from "../../base/instant.ts";
import { newId } from "../../db/ids.ts";
import { donationExample, isId } from "../../http/contract/published.ts";
import type { CursorCodec } from "../../http/cursor.ts";
import type { Handler, OperationRequest, Schemas } from "../../http/operations.ts";
import { Problem, refusal } from "../../http/problem.ts";
import { type Event, type EventType, type LoggedEvent, toEvent } from "../event.ts";
import { bodyOf, type DeliveryStatus, type DeliveryStore, deliveryStatuses, toAttempt, toDelivery } from "./deliveries.ts";
import type { Endpoint, EndpointStore } from "./endpoints.ts";
import { notFound, type Wake } from "./handlers.ts";
import type { Connect } from "./request/send.ts";

const find = (endpoints: EndpointStore, owner: Parameters<EndpointStore["find"]>[0], id: string): Promise<Endpoint | null> =>
  isId(id) ? endpoints.find(owner, id) : Promise.resolve(null);

const disabled = () => refusal("webhook_disabled", "The webhook is disabled.");

export const listWebhookDeliveries =
  (endpoints: EndpointStore, deliveries: DeliveryStore, cursors: CursorCodec): Handler<"listWebhookDeliveries"> =>
  async ({ path, query }, principal) => {
    const endpoint = await find(endpoints, principal, path.webhookId);
    if (!endpoint) return notFound();
    const subject = `listWebhookDeliveries ${endpoint.id}`;
    const { limit } = query;
    const { statuses, before } = readPosition(query, cursors, subject);
    const found = await deliveries.page(endpoint.id, { statuses, before, limit: limit + 1 });
    const [page, hasMore] = [found.slice(0, limit), found.length > limit];
    const nextCursor = hasMore ? cursors.seal(subject, { statuses, before: page.at(-1)?.eventId ?? null } satisfies Position) : null;
    return { status: 200, body: { data: page.map(toDelivery), pagination: { nextCursor, hasMore, limit } } };
  };

export const redeliverWebhook =
  (endpoints: EndpointStore, deliveries: DeliveryStore, wake: Wake): Handler<"redeliverWebhook"> =>
  async ({ path }, principal) => {
    const endpoint = await find(endpoints, principal, path.webhookId);
    if (endpoint && endpoint.disabledReason !== null) return disabled();
    const delivery = endpoint && isId(path.deliveryId) ? await deliveries.redeliver(endpoint.id, path.deliveryId) : null;
    if (!delivery) return refusal("delivery_not_found", "There is no such delivery.");
    wake();
    return { status: 202, body: { data: toDelivery(delivery) } };
  };

export const recoverWebhook =
  (endpoints: EndpointStore, deliveries: DeliveryStore, wake: Wake): Handler<"recoverWebhook"> =>
  async ({ path, body }, principal) => {
    const endpoint = await find(endpoints, principal, path.webhookId);
    if (!endpoint) return notFound();
    if (endpoint.disabledReason !== null) return disabled();
    const count = await deliveries.recover(endpoint.id, principal.streamerId, parseInstant(body.since).ms);
    wake();
    return { status: 202, body: { data: { count } } };
  };

export const sendTestEvent =
  (endpoints: EndpointStore, connect: Connect): Handler<"sendTestEvent"> =>
  async ({ path, body }, principal) => {
    const endpoint = await find(endpoints, principal, path.webhookId);
    if (!endpoint) return notFound();
    const type = body.type ?? (endpoint.types[0] as EventType);
    const event = exampleOf(type, { id: newId(), at: Date.now() });
    const connection = connect(endpoint.url, principal.streamerId);
    const secrets = await endpoints.secrets(principal, endpoint.id);
    const { attempt } = await connection.send({ id: event.id, body: bodyOf(event), secrets }).finally(connection.close);
    return { status: 200, body: { data: { id: event.id, type, delivered: attempt.error === null, attempt: toAttempt(attempt) } } };
  };

/** The content of a cursor. */
type Position = { statuses: readonly DeliveryStatus[]; before: string | null };

/** A cursor carries the filter of its first page. Throws invalid_cursor. */
function readPosition(
  { status, cursor }: OperationRequest<"listWebhookDeliveries">["query"],
  cursors: CursorCodec,
  subject: string,
): Position {
  const asked = status && deliveryStatuses.filter((known) => status.includes(known));
  if (cursor === undefined) return { statuses: asked ?? deliveryStatuses, before: null };
  const position = cursors.open(subject, cursor) as Position;
  if (asked && asked.join() !== position.statuses.join()) throw otherFilter();
  return position;
}

function otherFilter(): Problem {
  const message = "must be what the cursor's first page was asked with, or be left out";
  return new Problem("invalid_cursor", "status is not what the cursor's first page was asked with.", {
    errors: [{ parameter: "status", code: "invalid_enum", message }],
  });
}

/** An example of this type. `at`: milliseconds since 1970. */
function exampleOf(type: EventType, { id, at }: { id: string; at: number }): Event {
  const time = new Date(at).toISOString();
  const donation = {
    ...donationExample,
    id,
    ...(type === "donation.erased" ? { donatorName: "(erased)", message: "" } : { donatorName: "Namjai", message: "ทดสอบเว็บฮุก" }),
    identifier: null,
    idempotencyKey: null,
    source: "test",
    channel: "other",
    createdAt: time,
    receivedAt: time,
  } as const;
  const donationFor = /^(?:donation|alert)\./.test(type) ? () => donation : null;
  return toEvent({ position: 0, id, type, at, donationId: null, donationFor, isImported: false, details: exampleDetails[type](time) }, "");
}

const ofAlert = (status: Schemas["AlertStatus"], reason: Schemas["SkipReason"] | null = null) => ({ status, reason, isReplay: false });

const ofTimer = (cause: Schemas["TimerCause"], changedMs: number, times: Partial<Schemas["TimerEventData"]>) => {
  const [endedAt, startedAt] = [null, times.startedAt as string];
  const endsAt = formatInstant(Date.parse(startedAt) + 3_600_000);
  return { status: "running", remainingMs: 3_600_000, totalMs: 3_600_000, endsAt, startedAt, endedAt, ...times, cause, changedMs };
};

/** What the log holds of an example that happened at `time`. */
const exampleDetails: Readonly<Record<EventType, (time: string) => LoggedEvent["details"]>> = {
  "donation.created": () => ({}),
  "donation.voided": (at) => ({ voided: { at, reason: "refund" } }),
  "donation.erased": () => ({ voided: null }),
  "alert.started": () => ofAlert("playing"),
  "alert.shown": () => ofAlert("shown"),
  "alert.skipped": () => ofAlert("skipped", "control"),
  "alert.held": () => ofAlert("queued"),
  "alert.approved": () => ofAlert("queued"),
  "alert.denied": () => ofAlert("skipped", "denied"),
  "alert.expired": () => ofAlert("expired"),
  "alert.unconfirmed": () => ofAlert("unconfirmed"),
  "timer.started": (startedAt) => ofTimer("start", 3_600_000, { startedAt }),
  "timer.changed": (startedAt) => ofTimer("donations", 60_000, { startedAt, totalMs: 3_660_000 }),
  "timer.ended": (endedAt) => ofTimer("time", 0, { status: "ended", remainingMs: 0, startedAt: endedAt, endedAt, endsAt: null }),
  "goal.reached": (time) => ({ id: "mic", title: "ไมค์ตัวใหม่", target: 5000, from: time.slice(0, 10), current: 5020.5 }),
};
