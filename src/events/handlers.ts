// The operations that read events: a page of the log, a stream of what follows, and a ticket for a WebSocket.

import { formatInstant } from "../base/instant.ts";
import type { CursorCodec } from "../http/cursor.ts";
import type { Handler, Schemas } from "../http/operations.ts";
import { Problem } from "../http/problem.ts";
import { readableTypes, toEvent } from "./event.ts";
import { type EventLog, logStart } from "./log.ts";
import type { Follow } from "./socket.ts";
import { type Subscriptions, subjectOf, toServerSentEvents } from "./subscriptions.ts";
import type { Tickets } from "./tickets.ts";

/** What a client sends to begin at the end of the log. */
const latest = "latest";

export const listEvents =
  (log: EventLog, cursors: CursorCodec): Handler<"listEvents"> =>
  async ({ query }, principal) => {
    const { streamerId, applicationId } = principal;
    const types = readableTypes(principal, query.types);
    const { after: asked } = query;
    const after = asked === latest ? await log.end(streamerId) : asked === undefined ? logStart : positionOf(cursors, streamerId, asked);
    const page = await log.read({ ...query, streamerId, after, types });
    if (page.position < after) throw beyondEnd();
    const data = page.events.map((logged) => toEvent(logged, applicationId));
    const nextCursor = cursors.seal(subjectOf(streamerId), page.position);
    const body: Schemas["EventPage"] = { data, pagination: { nextCursor, hasMore: page.hasMore, limit: query.limit } };
    return { status: 200, body };
  };

export const streamEvents =
  (follow: Follow): Handler<"streamEvents"> =>
  async ({ query, header, caller }, principal) => {
    const after = header["Last-Event-ID"] || query.after;
    const subscription = await follow(principal, caller.authorization, { ...query, after });
    // Proxies that buffer responses would delay events.
    return {
      status: 200,
      transport: { "X-Accel-Buffering": "no" },
      type: "text/event-stream",
      body: toServerSentEvents(subscription),
    };
  };

/** Subscribes a principal to its events. Throws insufficient_scope, invalid_cursor, rate_limited and unavailable. */
export const makeFollow =
  (log: EventLog, cursors: CursorCodec, subscriptions: Subscriptions): Follow =>
  async (principal, authorization, query) => {
    const types = readableTypes(principal, query.types);
    const { after = latest } = query;
    const asked = after === latest ? null : positionOf(cursors, principal.streamerId, after);
    const end = await log.end(principal.streamerId);
    if (asked !== null && asked > end) throw beyondEnd();
    // The client counts whole seconds, and streams are looked after once a second.
    const keepaliveMs = (query.keepalive - 1) * 1000;
    return subscriptions.open({ principal, authorization, after: asked ?? end, types, withImported: query.withImported, keepaliveMs });
  };

export const createEventTicket =
  (tickets: Tickets): Handler<"createEventTicket"> =>
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
function positionOf(cursors: CursorCodec, streamerId: string, cursor: string): number {
  return cursors.open(subjectOf(streamerId), cursor, "after") as number;
}
