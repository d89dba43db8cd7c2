// The connections of one streamer to this process. They share a queue, whose steps run one at a time, and a reading of the widgets.

import type { Knex } from "knex";
import type { Logger } from "pino";
import { describeFailure } from "../../telemetry/describe-failure.ts";
import type { Goal, ReadWidgets, Speech } from "../dependencies.ts";
import { makePreparations } from "../player/prepare-speech.ts";
import { findUnseen } from "../store/approval/unseen.ts";
import { readOverlay } from "../store/overlay.ts";
import type { HeldLease, QueueVersion } from "../store/players/presence.ts";
import type { Times } from "../timeouts.ts";
import { noKeyWidgets, type WidgetsOfKeys } from "../widgets/key-widgets.ts";
import { makeWidgetBoard } from "../widgets/widget-board.ts";
import { seenWidgets, shownIds, wantedOf } from "../widgets/widget-texts.ts";
import { type ChannelState, syncConnections, takeStep } from "./channel-step.ts";
import { type Connection, closedEarly, openConnection, type StreamRequest } from "./connection.ts";
import { makeStepLoop, type StepLoop } from "./step-loop.ts";

export type ChannelDeps = {
  knex: Knex;
  log: Logger;
  times: Times;
  speech: Speech | null;
  readWidgets: ReadWidgets;
  widgetsOfKeys: WidgetsOfKeys;
};

export type Channel = {
  /** Resolves when the connection has got its snapshot. */
  open: (visitor: StreamRequest) => Promise<Connection>;
  connections: () => Iterable<Connection>;
  /** Something has changed: takes a step now, or one more after the running one. */
  wake: () => void;
  /** The same, but some time after the last step. */
  hint: () => void;
  /** Takes a step if the database is ahead of what the last step has seen. */
  compare: (mark: QueueVersion) => void;
  /** Connections that may hold the lease. */
  players: () => HeldLease[];
  /**
   * Takes no more steps. Resolves when the running one has ended, to the connections that may hold the lease then, closed ones included.
   */
  stop: () => Promise<HeldLease[]>;
};

type ChannelParts = ChannelState & { loop: StepLoop; onEmpty: () => void };

/** `onEmpty`: the last connection has closed, and the queue has released its lease. */
export function makeChannel(deps: ChannelDeps, streamerId: string, onEmpty: () => void): Channel {
  const channel = makeParts(deps, streamerId, onEmpty);
  const { connections, loop } = channel;
  return {
    open: (visitor) => open(channel, visitor),
    connections: () => connections.values(),
    wake: loop.wake,
    hint: loop.hint,
    compare: (mark) => compare(channel, mark),
    players: () => leasesOf(channel, playerIds(channel)),
    stop: () => stop(channel),
  };
}

function makeParts(deps: ChannelDeps, streamerId: string, onEmpty: () => void): ChannelParts {
  const { knex, log, times, speech } = deps;
  const warn = (error: unknown, message: string) => log.warn({ streamerId, error: describeFailure(error) }, message);
  const channel: ChannelParts = {
    streamerId,
    knex,
    onEmpty,
    stepDeps: { knex, times, hasSpeech: speech !== null },
    connections: new Map(),
    pendingSnapshots: new Map(),
    departed: [],
    view: null,
    widgetsOfKeys: deps.widgetsOfKeys,
    keyWidgets: noKeyWidgets,
    board: makeWidgetBoard({
      read: (goal) => readBoard(deps, streamerId, goal),
      onChange: () => syncConnections(channel),
      onFailure: (error) => warn(error, "the widgets could not be read"),
      intervalMs: times.widgetIntervalMs,
      retryMs: times.retryDelayMs,
    }),
    preparations: makePreparations({ knex, speech, times, onDone: () => channel.loop.wake(), warn: warn }),
    loop: makeStepLoop({
      step: () => takeStep(channel),
      onFailure: (error) => {
        warn(error, "a step of the alert queue failed");
        rejectPending(channel, error);
      },
      onIdle: () => closeIfEmpty(channel),
      retryMs: times.retryDelayMs,
      hintIntervalMs: times.hintIntervalMs,
    }),
  };
  return channel;
}

/** The sequence is read first, so that the reading includes at least the donations up to it. */
async function readBoard({ knex, readWidgets }: ChannelDeps, streamerId: string, goal: Goal | null) {
  const overlay = await readOverlay(knex, streamerId);
  if (!overlay) throw new Error("an overlay key's streamer must be there");
  const { widgets, validUntil } = await readWidgets(streamerId, goal);
  const unseen = await findUnseen(knex, overlay, shownIds(widgets));
  return { widgets: await seenWidgets(widgets, overlay.settings, unseen), validUntil, sequence: overlay.lastSequence };
}

async function open(channel: ChannelParts, visitor: StreamRequest): Promise<Connection> {
  const { knex, streamerId, connections, board } = channel;
  const connection = openConnection(visitor, (closed) => remove(channel, closed));
  connections.set(connection.id, connection);
  try {
    const overlay = await readOverlay(knex, streamerId);
    if (!overlay) throw new Error("an overlay key's streamer must be there");
    // Widgets first: from the moment a player joins, the queue waits for it.
    await board.include(wantedOf(overlay));
    await awaitSnapshot(channel, connection);
    return connection;
  } catch (error) {
    connection.abort();
    throw error;
  }
}

function awaitSnapshot({ pendingSnapshots, loop }: ChannelParts, connection: Connection): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    // Closed while its widgets were read: no step takes it into account any more.
    if (connection.stream.destroyed || loop.isStopped()) return reject(closedEarly(connection.refusal));
    pendingSnapshots.set(connection.id, { resolve, reject });
    connection.isReady = true;
    loop.wake();
  });
}

/** A connection has closed. */
function remove(channel: ChannelParts, connection: Connection): void {
  const { connections, pendingSnapshots, loop } = channel;
  connections.delete(connection.id);
  pendingSnapshots.get(connection.id)?.reject(closedEarly(connection.refusal));
  pendingSnapshots.delete(connection.id);
  if (loop.isStopped()) return;
  if (connection.hasJoined) channel.departed = [...channel.departed, connection.id];
  if (channel.departed.length > 0) loop.wake();
  else if (!loop.isRunning()) closeIfEmpty(channel);
}

function closeIfEmpty({ connections, departed, loop, board, onEmpty }: ChannelParts): void {
  if (connections.size > 0 || departed.length > 0 || loop.isStopped()) return;
  loop.stop();
  board.close();
  onEmpty();
}

function compare({ view, connections, loop, board }: ChannelParts, { lastSequence, version, isLeaseFree }: QueueVersion): void {
  const hasChanged = !view || view.overlay.lastSequence !== lastSequence || view.overlay.version !== version;
  const canTakeLease = isLeaseFree && [...connections.values()].some(({ hasJoined: joined }) => joined);
  if (hasChanged || canTakeLease) loop.wake();
  board.refresh();
}

async function stop(channel: ChannelParts): Promise<HeldLease[]> {
  channel.loop.stop();
  channel.board.close();
  rejectPending(channel, closedEarly(null));
  const connected = playerIds(channel); // before the running step ends: the caller closes them meanwhile
  await channel.loop.finished();
  return leasesOf(channel, [...connected, ...channel.departed]);
}

/** Pages that wait for a snapshot do not get one. */
function rejectPending({ pendingSnapshots }: ChannelState, error: unknown): void {
  for (const { reject } of pendingSnapshots.values()) reject(error);
  pendingSnapshots.clear();
}

function playerIds({ connections }: ChannelState): string[] {
  return [...connections.values()].filter(({ hasJoined: joined }) => joined).map(({ id }) => id);
}

function leasesOf({ streamerId }: ChannelState, connectionIds: readonly string[]): HeldLease[] {
  return connectionIds.map((connectionId) => ({ streamerId, connectionId }));
}
