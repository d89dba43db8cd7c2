// The operations that read events: a page of the log, and a stream of what follows.

import type { CursorCodec } from "../http/cursor.ts";
import type { Handler, Schemas } from "../http/operations.ts";
import { eventTypes } from "../http/published.ts";
import { readableTypes, toEvent } from "./event.ts";
import { type EventLog, logStart } from "./log.ts";
import { subjectOf, toServerSentEvents } from "./stream.ts";
import type { Subscriptions } from "./subscriptions.ts";

export type EventDeps = { log: EventLog; cursors: CursorCodec; subscriptions: Subscriptions };

/** What a client sends to begin at the end of the log. */
const latest = "latest";

export const listEvents =
  ({ log, cursors }: EventDeps): Handler<"listEvents"> =>
  async ({ query }, principal) => {
    const { streamerId, applicationId } = principal;
    const types = readableTypes(eventTypes, principal, query.types);
    const after = await positionOf({ log, cursors }, streamerId, query.after, logStart);
    const page = await log.read({ streamerId, after, types, limit: query.limit });
    const data = page.events.map((logged) => toEvent(logged, applicationId));
    const nextCursor = cursors.seal(subjectOf(streamerId), page.position);
    const body: Schemas["EventPage"] = { data, pagination: { nextCursor, hasMore: page.hasMore, limit: query.limit } };
    return { status: 200, body };
  };

export const streamEvents =
  ({ log, cursors, subscriptions }: EventDeps): Handler<"streamEvents"> =>
  async ({ query, header, caller }, principal) => {
    const types = readableTypes(eventTypes, principal, query.types);
    const asked = header["Last-Event-ID"] ?? query.after;
    const after = await positionOf({ log, cursors }, principal.streamerId, asked, latest);
    // The client counts whole seconds, and streams are looked after once a second.
    const keepaliveMs = (query.keepalive - 1) * 1000;
    const subscription = subscriptions.open({ principal, authorization: caller.authorization, after, types, keepaliveMs });
    // Proxies that buffer responses would delay events.
    return {
      status: 200,
      transport: { "X-Accel-Buffering": "no" },
      type: "text/event-stream",
      body: toServerSentEvents(subscription),
    };
  };

type Positions = Pick<EventDeps, "log" | "cursors">;

/** Throws invalid_cursor. */
async function positionOf({ log, cursors }: Positions, streamerId: string, asked: string | undefined, otherwise: number | typeof latest) {
  const position =
    asked === undefined ? otherwise : asked === latest ? latest : (cursors.open(subjectOf(streamerId), asked, "after") as number);
  return position === latest ? log.end(streamerId) : position;
}
