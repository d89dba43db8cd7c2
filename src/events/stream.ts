// A stream of server-sent events (HTML Living Standard, 9.2): reads the log from a position on, and waits at its end for what follows.

import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { makeTurns } from "../base/async.ts";
import { jsonLine } from "../base/text.ts";
import type { CursorCodec } from "../http/cursor.ts";
import type { Principal } from "../http/operations.ts";
import { describeFailure } from "../telemetry/describe-failure.ts";
import { type Event, type EventType, toEvent } from "./event.ts";
import type { Feeds, Follower } from "./feeds.ts";

export type StreamRequest = Readonly<{
  principal: Principal;
  /** The credential, to be verified again when any is revoked. */
  authorization: string | undefined;
  after: number;
  types: readonly EventType[];
  withImported: boolean;
  /** Milliseconds after which a sign of life is due. */
  keepaliveMs: number;
}>;

/** A reader of the log, whatever carries what it reads. */
export type Subscription = Readonly<{
  request: StreamRequest;
  /** What happened, page by page, with the cursor after each event. An empty page is a sign of life. Ends when it is closed. */
  pages: AsyncIterable<SubscriptionPage>;
  close: () => void;
  /** Calls the listener, of which there is one, when the subscription is closed, whoever does that. */
  onClosed: (listener: () => void) => void;
  /** Whether a sign of life must be sent. */
  isDue: () => boolean;
  wake: () => void;
}>;

export type SubscriptionPage = Readonly<{ events: readonly { cursor: string; event: Event }[]; cursor: string }>;

export type SubscriptionDeps = { feeds: Feeds; cursors: CursorCodec; log: Logger };

/** What the cursors of a streamer's log are sealed for. */
export const subjectOf = (streamerId: string): string => `events ${streamerId}`;

/** Events that one reading of the log takes into memory. */
const pageSize = 100;
/** Pages that are made and written in a turn of the event loop, of all subscriptions: each takes two milliseconds. */
const takeTurn = makeTurns(4);
/** What has just happened goes to all who follow it at once. */
const fewEvents = 10;
/** Until a closed subscription whose reader takes nothing is cut off. */
const closingMs = 1_000;
/** Until a reading that failed is tried again. Streams outlive a restart of the database: their clients would all come back at once. */
const retryMs = 1_000;

type State = SubscriptionDeps & { request: StreamRequest; follower: Follower; sentAt: number; isClosed: boolean };

/** `onClose` is called once, whoever ends it. */
export function subscribe(deps: SubscriptionDeps, request: StreamRequest, onClose: (subscription: Subscription) => void): Subscription {
  const follower = deps.feeds.follow(request.principal.streamerId);
  const state: State = { ...deps, request, follower, sentAt: performance.now(), isClosed: false };
  let closed = () => {};
  const subscription: Subscription = {
    request,
    pages: pagesOf(state),
    close: () => {
      if (state.isClosed) return;
      state.isClosed = true;
      follower.leave();
      follower.wake();
      onClose(subscription);
      closed();
    },
    onClosed: (listener) => {
      closed = listener;
      if (state.isClosed) listener();
    },
    isDue: () => isDue(state),
    wake: follower.wake,
  };
  return subscription;
}

async function* pagesOf(state: State): AsyncGenerator<SubscriptionPage> {
  const { feeds, cursors, follower, request } = state;
  const { principal, types, withImported } = request;
  const { streamerId, applicationId } = principal;
  const seal = (position: number) => cursors.seal(subjectOf(streamerId), position);
  let after = request.after;
  yield { events: [], cursor: seal(after) }; // the position to come back to if nothing happens
  while (!state.isClosed) {
    follower.restart();
    const page = await feeds.read({ streamerId, after, types, withImported, limit: pageSize }).catch((error) => afterFailure(state, error));
    if (page && page.position < after) return; // the database was restored: a client that connects again is told so
    after = page?.position ?? after;
    if (page && !page.hasMore) follower.hasRead(page.position);
    const logged = page?.events ?? [];
    if (logged.length > fewEvents) await takeTurn();
    if (logged.length > 0 || isDue(state)) {
      state.sentAt = performance.now();
      yield { events: logged.map((one) => ({ cursor: seal(one.position), event: toEvent(one, applicationId) })), cursor: seal(after) };
    }
    if (page && !page.hasMore && !state.isClosed) await follower.changed();
  }
}

function isDue({ sentAt, request }: State): boolean {
  return performance.now() - sentAt >= request.keepaliveMs;
}

async function afterFailure({ log, request }: State, error: unknown): Promise<null> {
  log.warn({ streamerId: request.principal.streamerId, error: describeFailure(error) }, "events could not be read");
  await pause(retryMs, undefined, { ref: false });
  return null;
}

/** The subscription as text of server-sent events. Reading too slowly holds it back: nothing gathers in memory. */
export function toServerSentEvents(subscription: Subscription): Readable {
  const texts = textOf(subscription);
  // Not Readable.from: it would end only after the text that it waits for, and a client that has gone would keep its place until then.
  const stream = new Readable({
    highWaterMark: 16 * 1024,
    read: () =>
      void texts.next().then(
        ({ done, value }) => stream.push(done ? null : value),
        (error) => stream.destroy(error),
      ),
    destroy: (error, done) => {
      subscription.close();
      done(error);
    },
  });
  // The stream ends after what it holds; a reader that takes nothing would keep it open.
  subscription.onClosed(() => {
    if (!stream.destroyed) setTimeout(() => stream.destroy(), closingMs).unref();
  });
  return stream;
}

async function* textOf({ pages }: Subscription): AsyncGenerator<string> {
  for await (const { events, cursor } of pages)
    yield events.length === 0
      ? `:\nid: ${cursor}\n\n` // an id without data moves the position on, and no event is dispatched
      : events.map(({ cursor: id, event }) => `id: ${id}\nevent: ${event.type}\ndata: ${jsonLine(event)}\n\n`).join("");
}
