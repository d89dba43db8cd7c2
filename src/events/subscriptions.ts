// All subscriptions of this process: how many a streamer may have, signs of life, and the end of those whose credential is no longer good.

import pLimit from "p-limit";
import type { Logger } from "pino";
import type { Authenticator } from "../http/guards.ts";
import { Problem, problems } from "../http/problem.ts";
import { type IntervalTask, startIntervalTask } from "../telemetry/interval-task.ts";
import type { Feeds } from "./feeds.ts";
import { type StreamRequest, type Subscription, type SubscriptionDeps, subscribe } from "./stream.ts";

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

/** Subscriptions of one streamer to one process. */
export const maxSubscriptions = 100;

const tickMs = 1_000;

/** Credentials that are verified at the same time: all of them after each revocation. */
const concurrentVerifications = 16;

type State = SubscriptionDeps & { readonly authenticator: Authenticator; readonly opened: Set<Subscription>; isLeaving: boolean };

export function openSubscriptions(deps: SubscriptionDeps, authenticator: Authenticator): Subscriptions {
  const state: State = { ...deps, authenticator, opened: new Set(), isLeaving: false };
  const tasks = startTasks(state, deps.feeds, deps.log);
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

function startTasks(state: State, feeds: Feeds, log: Logger): IntervalTask[] {
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
  const subscription = subscribe(state, request, (closed) => state.opened.delete(closed));
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
  const detail = `This streamer's events are followed by ${maxSubscriptions} connections already.`;
  return new Problem("rate_limited", detail, { headers: { "Retry-After": "15" } });
}
