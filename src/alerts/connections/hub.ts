// All overlay connections of this process: one channel for each streamer, and the interval tasks that serve all channels together.

import type { Readable } from "node:stream";
import pLimit from "p-limit";
import { Problem, rateLimited } from "../../http/problem.ts";
import { describeFailure } from "../../telemetry/describe-failure.ts";
import { type IntervalTask, startIntervalTask } from "../../telemetry/interval-task.ts";
import { settleAbandoned } from "../queue/advance.ts";
import { settleHeld } from "../queue/approval.ts";
import { forgetPages, renewPages } from "../queue/connected-pages.ts";
import { expireAlerts } from "../queue/expiry.ts";
import { releaseLeases, renewLeases } from "../queue/lease.ts";
import { readVersions } from "../queue/overlay.ts";
import { type Channel, type HubDeps, makeChannel } from "./channel.ts";
import { type Connection, closedEarly, type StreamRequest } from "./connection.ts";

export type Hub = {
  /** Resolves to the stream, which begins with a snapshot. Throws token_revoked, rate_limited and unavailable. */
  open: (visitor: StreamRequest) => Promise<Readable>;
  /** This process has changed something for the streamer. */
  changed: (streamerId: string) => void;
  /** Ends the connections of revoked keys. */
  closeRevoked: () => Promise<void>;
  /** The number of connections. */
  connected: () => number;
  /** Ends all connections, releases their leases, and refuses new connections. */
  leave: () => void;
  /** Stops the interval tasks; resolves when these and `leave` are done. */
  close: () => Promise<void>;
};

/** Each opening and each reading of widgets takes a few statements: together they must not take all database connections. */
const maxConcurrentOpens = 8;
const maxConcurrentReadings = 4;

/** Connections of one streamer to one process. A browser has one; a key that was shown on stream must not exhaust the memory. */
export const maxConnections = 100;

type State = HubDeps & {
  readonly channels: Map<string, Channel>;
  readonly openChannel: (streamerId: string) => Channel;
  /** The streamer whose change this process announces right now: its channel has been woken already. */
  announcing: string | null;
  /** Where the next look for alerts to expire begins; null: at the first streamer. */
  sweptTo: string | null;
  leaving: Promise<void> | null;
};

export function openHub(unlimited: HubDeps): Hub {
  const limitOpens = pLimit(maxConcurrentOpens);
  const limitReadings = pLimit(maxConcurrentReadings);
  const deps: HubDeps = { ...unlimited, readWidgets: (...args) => limitReadings(() => unlimited.readWidgets(...args)) };
  const { log, notifier } = deps;
  const channels = new Map<string, Channel>();
  const hub: State = {
    ...deps,
    channels,
    openChannel: (streamerId) => makeChannel(deps, streamerId, () => channels.delete(streamerId)),
    announcing: null,
    sweptTo: null,
    leaving: null,
  };
  notifier.subscribe((streamerId) => {
    if (streamerId !== hub.announcing) channels.get(streamerId)?.hint();
  });
  const tasks = startTasks(hub);
  return {
    open: (visitor) => limitOpens(open, hub, visitor),
    changed: (streamerId) => announce(hub, streamerId),
    closeRevoked: () => dropRevoked(hub),
    connected: () => connectionsOf(hub).length,
    leave: () => {
      hub.leaving ??= leave(hub).catch((error) => log.warn({ error: describeFailure(error) }, "can't release the players' leases"));
    },
    close: async () => {
      await Promise.all(tasks.map(({ stop }) => stop()));
      await hub.leaving;
    },
  };
}

function startTasks(hub: State): IntervalTask[] {
  const { times, log, notifier } = hub;
  return [
    startIntervalTask({ pauseMs: times.pollIntervalMs, log, failureMessage: "can't look for changes of alert queues" }, () => poll(hub)),
    startIntervalTask({ pauseMs: times.renewIntervalMs, log, failureMessage: "can't renew the leases of players" }, () => renew(hub)),
    startIntervalTask({ pauseMs: times.heartbeatIntervalMs, log, failureMessage: "can't send heartbeats" }, async () => {
      for (const { keyId, sendHeartbeat } of connectionsOf(hub)) {
        sendHeartbeat();
        hub.recordUse(keyId);
      }
      await renewPages(hub.knex, players(hub));
    }),
    startIntervalTask({ pauseMs: times.sweepIntervalMs, log, failureMessage: "can't settle abandoned alert queues" }, () =>
      settleAbandoned(hub, notifier.notify),
    ),
    startIntervalTask({ pauseMs: times.sweepIntervalMs, log, failureMessage: "can't decide alerts that are held" }, () =>
      settleHeld(hub, notifier.notify),
    ),
    startIntervalTask({ pauseMs: times.sweepIntervalMs, log, failureMessage: "can't expire waiting alerts" }, () => expire(hub)),
  ];
}

async function poll({ knex, channels }: State): Promise<void> {
  if (channels.size === 0) return;
  for (const mark of await readVersions(knex, [...channels.keys()])) channels.get(mark.streamerId)?.compare(mark);
}

async function renew({ knex, channels, times }: State): Promise<void> {
  const held = [...channels.values()].flatMap((channel) => channel.players());
  if (held.length > 0) await renewLeases(knex, held, times);
}

/** Resolves to true when there is more to expire at once. */
async function expire(hub: State): Promise<boolean> {
  const { next, full } = await expireAlerts(hub, hub.sweptTo);
  hub.sweptTo = next;
  return full;
}

async function open(hub: State, visitor: StreamRequest): Promise<Readable> {
  if (hub.leaving) throw new Problem("unavailable", "The server is stopping.");
  const channel = channelOf(hub, visitor.streamerId);
  if ([...channel.connections()].length >= maxConnections) throw tooManyConnections();
  const opening = channel.open(visitor);
  try {
    // After the opening has begun: a key that is revoked from now on closes the connection.
    const [connection, revoked] = await Promise.all([opening, hub.revokedAmong([visitor.keyId])]);
    if (revoked.length > 0) throw keyRevoked();
    if (connection.stream.destroyed) throw closedEarly(connection.refusal);
    return connection.stream;
  } catch (error) {
    await opening.then(
      ({ abort }) => abort(),
      () => {},
    );
    throw error;
  }
}

function channelOf({ channels, openChannel }: State, streamerId: string): Channel {
  const channel = channels.get(streamerId) ?? openChannel(streamerId);
  channels.set(streamerId, channel);
  return channel;
}

function announce(hub: State, streamerId: string): void {
  hub.channels.get(streamerId)?.wake();
  hub.announcing = streamerId;
  hub.notifier.notify(streamerId);
  hub.announcing = null;
}

async function dropRevoked(hub: State): Promise<void> {
  const keyIds = [...new Set(connectionsOf(hub).map(({ keyId }) => keyId))];
  if (keyIds.length === 0) return;
  const revoked = new Set(await hub.revokedAmong(keyIds));
  for (const connection of connectionsOf(hub)) if (revoked.has(connection.keyId)) connection.abort(keyRevoked());
}

async function leave(hub: State): Promise<void> {
  const { knex, channels, notifier } = hub;
  const connections = connectionsOf(hub);
  const stopped = Promise.all([...channels.values()].map((channel) => channel.stop()));
  for (const connection of connections) connection.end();
  const held = (await stopped).flat();
  try {
    await releaseLeases(knex, held);
    await forgetPages(knex, held);
  } finally {
    for (const { streamerId } of held) notifier.notify(streamerId);
  }
}

function players(hub: State): Connection[] {
  return connectionsOf(hub).filter(({ hasJoined }) => hasJoined);
}

function connectionsOf({ channels }: State): Connection[] {
  return [...channels.values()].flatMap((channel) => [...channel.connections()]);
}

function tooManyConnections(): Problem {
  return rateLimited(`This streamer's overlays have ${maxConnections} connections already.`, 15);
}

function keyRevoked(): Problem {
  const detail = "This overlay key was revoked.";
  const challenge = `Bearer error="invalid_token", error_description="${detail}"`;
  return new Problem("token_revoked", detail, { headers: { "WWW-Authenticate": challenge } });
}
