// All subscriptions of this process to events: how many a streamer may have, signs of life, and the end of those whose credential is no longer
// good. Each reads the log from a position on, and waits at its end for what follows.

import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import pLimit from "p-limit";
import type { Logger } from "pino";
import { makeTurns } from "../base/async.ts";
import { jsonLine } from "../base/text.ts";
import type { CursorCodec } from "../http/cursor.ts";
import type { Authenticator } from "../http/guards.ts";
import type { Principal } from "../http/operations.ts";
import { Problem, problems, rateLimited } from "../http/problem.ts";
import { describeFailure } from "../telemetry/describe-failure.ts";
import { type IntervalTask, startIntervalTask } from "../telemetry/interval-task.ts";
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

export type Subscriptions = {
  /** Throws rate_limited when the streamer has too many, and unavailable when the server is stopping. */
  open: (request: StreamRequest) => Subscription;
  /** Ends the subscriptions whose credential was revoked or has expired. */
  closeRevoked: () => Promise<void>;
  count: () => number;
  /** Ends all subscriptions and refuses new ones. */
  leave: () => void;
  close: () => Promise<void>;
};

/** What the cursors of a streamer's log are sealed for. */
export const subjectOf = (streamerId: string): string => `events ${streamerId}`;

/** Subscriptions of one streamer to one process. */
export const maxSubscriptions = 100;

const tickMs = 1_000;

/** Credentials that are verified at the same time: all of them after each revocation. */
const concurrentVerifications = 16;

/** Events that one reading of the log takes into memory. */
const pageSize = 100;
/** Pages that are made and written in a turn of the event loop, of all subscriptions: each takes two milliseconds. */
const takeTurn = makeTurns(2);
/** What has just happened goes to all who follow it at once. */
const fewEvents = 10;
/** Until a closed subscription whose reader takes nothing is cut off. */
const closingMs = 1_000;
/** Until a reading that failed is tried again. Streams outlive a restart of the database: their clients would all come back at once. */
const retryMs = 1_000;

type State = {
  readonly feeds: Feeds;
  readonly cursors: CursorCodec;
  readonly log: Logger;
  readonly authenticator: Authenticator;
  readonly opened: Set<Subscription>;
  isLeaving: boolean;
};

/** Of one subscription. */
type Reading = { readonly state: State; readonly request: StreamRequest; readonly follower: Follower; sentAt: number; isClosed: boolean };

export function openSubscriptions(services: Omit<State, "opened" | "isLeaving">): Subscriptions {
  const state: State = { ...services, opened: new Set(), isLeaving: false };
  const tasks = startTasks(state);
  return {
    open: (request) => open(state, request),
    closeRevoked: () => closeUnverified(state, [...state.opened]),
    count: () => state.opened.size,
    leave: () => {
      state.isLeaving = true;
      for (const subscription of state.opened) subscription.close();
    },
    close: async () => {
      await Promise.all(tasks.map(({ stop }) => stop()));
    },
  };
}

function startTasks(state: State): IntervalTask[] {
  const { feeds, log } = state;
  return [
    startIntervalTask({ pauseMs: tickMs, log, failureMessage: "can't look for events" }, () => feeds.poll()),
    startIntervalTask({ pauseMs: tickMs, log, failureMessage: "can't keep streams of events alive" }, async () => {
      for (const { isDue, wake } of state.opened) if (isDue()) wake();
      // Nobody tells that a credential expires. Verifying one that is known takes microseconds.
      await closeUnverified(state, [...state.opened]);
    }),
  ];
}

function open(state: State, request: StreamRequest): Subscription {
  const { streamerId } = request.principal;
  if (state.isLeaving) throw new Problem("unavailable", "The server is stopping.");
  if (state.feeds.count(streamerId) >= maxSubscriptions) throw tooMany();
  const subscription = subscribe(state, request);
  state.opened.add(subscription);
  // The credential may have been revoked since it was verified, when this subscription was not there to be closed.
  void closeUnverified(state, [subscription]);
  return subscription;
}

/** Verifies each credential once, however many subscriptions have it. */
async function closeUnverified({ authenticator }: State, subscriptions: readonly Subscription[]): Promise<void> {
  const byCredential = Map.groupBy(subscriptions, ({ request }) => request.authorization);
  await pLimit(concurrentVerifications).map([...byCredential], async ([authorization, those]) => {
    if (!(await isGood(authenticator, authorization))) for (const { close } of those) close();
  });
}

/** A credential that can't be verified at the moment counts as good: a database that restarts must not end all streams. */
async function isGood({ recall, verify }: Authenticator, authorization: string | undefined): Promise<boolean> {
  if (recall(authorization)) return true;
  try {
    await verify(authorization);
    return true;
  } catch (error) {
    return !(error instanceof Problem && problems[error.code].status === 401);
  }
}

function tooMany(): Problem {
  return rateLimited(`This streamer's events are followed by ${maxSubscriptions} connections already.`, 15);
}

function subscribe(state: State, request: StreamRequest): Subscription {
  const follower = state.feeds.follow(request.principal.streamerId);
  const reading: Reading = { state, request, follower, sentAt: performance.now(), isClosed: false };
  let closed = () => {};
  const subscription: Subscription = {
    request,
    pages: pagesOf(reading),
    close: () => {
      if (reading.isClosed) return;
      reading.isClosed = true;
      follower.leave();
      follower.wake();
      state.opened.delete(subscription);
      closed();
    },
    onClosed: (listener) => {
      closed = listener;
      if (reading.isClosed) listener();
    },
    isDue: () => isDue(reading),
    wake: follower.wake,
  };
  return subscription;
}

async function* pagesOf(reading: Reading): AsyncGenerator<SubscriptionPage> {
  const { request, follower } = reading;
  const { feeds, cursors, log } = reading.state;
  const { principal, types, withImported } = request;
  const { streamerId, applicationId } = principal;
  const seal = (position: number) => cursors.seal(subjectOf(streamerId), position);
  let after = request.after;
  yield { events: [], cursor: seal(after) }; // the position to come back to if nothing happens
  while (!reading.isClosed) {
    follower.restart();
    const page = await feeds
      .read({ streamerId, after, types, withImported, limit: pageSize })
      .catch((error) => afterFailure(log, streamerId, error));
    if (page && page.position < after) return; // the database was restored: a client that connects again is told so
    after = page?.position ?? after;
    if (page && !page.hasMore) follower.hasRead(page.position);
    const logged = page?.events ?? [];
    if (logged.length > fewEvents) await takeTurn();
    if (logged.length > 0 || isDue(reading)) {
      reading.sentAt = performance.now();
      yield { events: logged.map((one) => ({ cursor: seal(one.position), event: toEvent(one, applicationId) })), cursor: seal(after) };
    }
    if (page && !page.hasMore && !reading.isClosed) await follower.changed();
  }
}

function isDue({ sentAt, request }: Reading): boolean {
  return performance.now() - sentAt >= request.keepaliveMs;
}

async function afterFailure(log: Logger, streamerId: string, error: unknown): Promise<null> {
  log.warn({ streamerId, error: describeFailure(error) }, "events could not be read");
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
