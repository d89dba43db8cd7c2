// The operations that read events: a page of the log, a stream of what follows, and a ticket for a WebSocket.

import { formatInstant } from "../base/instant.ts";
import { eventTypes } from "../http/contract/published.ts";
import type { CursorCodec } from "../http/cursor.ts";
import type { Handler, Principal, Schemas } from "../http/operations.ts";
import { Problem } from "../http/problem.ts";
import { readableTypes, toEvent } from "./event.ts";
import { type EventLog, logStart } from "./log.ts";
import type { StreamQuery } from "./socket.ts";
import { type Subscription, subjectOf, toServerSentEvents } from "./stream.ts";
import type { Subscriptions } from "./subscriptions.ts";
import type { Tickets } from "./tickets.ts";

export type EventDeps = { log: EventLog; cursors: CursorCodec; subscriptions: Subscriptions };

/** What a client sends to begin at the end of the log. */
const latest = "latest";

export const listEvents =
  (deps: EventDeps): Handler<"listEvents"> =>
  async ({ query }, principal) => {
    const { log, cursors } = deps;
    const { streamerId, applicationId } = principal;
    const types = readableTypes(eventTypes, principal, query.types);
    const after = await positionOf(deps, streamerId, query.after, logStart);
    const page = await log.read({ ...query, streamerId, after, types });
    if (page.position < after) throw beyondEnd();
    const data = page.events.map((logged) => toEvent(logged, applicationId));
    const nextCursor = cursors.seal(subjectOf(streamerId), page.position);
    const body: Schemas["EventPage"] = { data, pagination: { nextCursor, hasMore: page.hasMore, limit: query.limit } };
    return { status: 200, body };
  };

export const streamEvents =
  (deps: EventDeps): Handler<"streamEvents"> =>
  async ({ query, header, caller }, principal) => {
    const after = header["Last-Event-ID"] || query.after;
    const subscription = await follow(deps)(principal, caller.authorization, { ...query, after });
    // Proxies that buffer responses would delay events.
    return {
      status: 200,
      transport: { "X-Accel-Buffering": "no" },
      type: "text/event-stream",
      body: toServerSentEvents(subscription),
    };
  };

/** Subscribes a principal to its events. Throws insufficient_scope, invalid_cursor, rate_limited and unavailable. */
export const follow =
  (deps: EventDeps) =>
  async (principal: Principal, authorization: string | undefined, query: StreamQuery): Promise<Subscription> => {
    const types = readableTypes(eventTypes, principal, query.types);
    const after = await positionOf(deps, principal.streamerId, query.after, latest);
    if (query.after && query.after !== latest && (await deps.log.end(principal.streamerId)) < after) throw beyondEnd();
    // The client counts whole seconds, and streams are looked after once a second.
    const keepaliveMs = (query.keepalive - 1) * 1000;
    return deps.subscriptions.open({ principal, authorization, after, types, withImported: query.withImported, keepaliveMs });
  };

export const createEventTicket =
  ({ tickets }: { tickets: Tickets }): Handler<"createEventTicket"> =>
  async ({ caller }) => {
    const { ticket, expiresAt } = await tickets.issue(caller.authorization as string); // it has been verified
    return { status: 201, body: { data: { ticket, expiresAt: formatInstant(expiresAt) } } };
  };

/** Only the restore of a backup, or a failover that lost commits, moves the end of a log back: to go on from there would pass events by. */
function beyondEnd(): Problem {
  const detail =
    "This cursor lies beyond the end of the log: the database was restored since. Read from an earlier cursor, or from the start.";
  const message = "must be a position of the log; what followed it is lost";
  return new Problem("invalid_cursor", detail, { errors: [{ parameter: "after", code: "out_of_range", message }] });
}

/** Throws invalid_cursor. */
async function positionOf({ log, cursors }: EventDeps, streamerId: string, asked: string | undefined, otherwise: number | typeof latest) {
  const position =
    asked === undefined ? otherwise : asked === latest ? latest : (cursors.open(subjectOf(streamerId), asked, "after") as number);
  return position === latest ? log.end(streamerId) : position;
}
