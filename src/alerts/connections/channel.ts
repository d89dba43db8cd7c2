// The connections of one streamer to this process. They share a queue, whose steps run one at a time, and a reading of the widgets.

import type { Logger } from "pino";
import type { Notifier } from "../../notifier/notifier.ts";
import { describeFailure } from "../../telemetry/describe-failure.ts";
import { advance, readView } from "../queue/advance.ts";
import { findUnseen } from "../queue/approval.ts";
import { recordPages } from "../queue/connected-pages.ts";
import type { HeldLease } from "../queue/lease.ts";
import { type QueueVersion, readOverlay } from "../queue/overlay.ts";
import { makePreparations, type Preparations } from "../queue/speech.ts";
import type { Player, QueueStepDeps, QueueView } from "../queue/step.ts";
import type { Goal } from "../settings/goals.ts";
import {
  type KnownKeys,
  makeWidgetBoard,
  noKeys,
  type ReadWidgets,
  readKeySettings,
  type SettingsOfKeys,
  seenWidgets,
  shownIds,
  type WidgetBoard,
  wantedOf,
} from "../widgets/widget-board.ts";
import { type Connection, closedEarly, followedPlayback, openConnection, type StreamRequest, syncConnection } from "./connection.ts";
import { makeStepLoop, type NextStep, type StepLoop } from "./step-loop.ts";

/** What the channels of all streamers share. */
export type HubDeps = QueueStepDeps & {
  log: Logger;
  notifier: Notifier;
  readWidgets: ReadWidgets;
  settingsOfKeys: SettingsOfKeys;
  /** Which of these overlay keys are revoked. */
  revokedAmong: (keyIds: readonly string[]) => Promise<string[]>;
  /** A connection with this overlay key is open. */
  recordUse: (keyId: string) => void;
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

/** A timer may fire a little early. */
const timerMarginMs = 5;

/** A page that waits for its snapshot. */
type PendingSnapshot = { resolve: () => void; reject: (error: unknown) => void };

type State = {
  readonly streamerId: string;
  readonly deps: HubDeps;
  /** By connection id. */
  readonly connections: Map<string, Connection>;
  /** By connection id. */
  readonly pendingSnapshots: Map<string, PendingSnapshot>;
  readonly board: WidgetBoard;
  readonly preparations: Preparations;
  /** Of the connections in the view. */
  keys: KnownKeys;
  /** Closed connections that may still hold the lease. */
  departed: readonly string[];
  view: QueueView | null;
  readonly loop: StepLoop;
  readonly onEmpty: () => void;
};

/** `onEmpty`: the last connection has closed, and the queue has released its lease. */
export function makeChannel(deps: HubDeps, streamerId: string, onEmpty: () => void): Channel {
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

function makeParts(deps: HubDeps, streamerId: string, onEmpty: () => void): State {
  const { log, times } = deps;
  const warn = (error: unknown, message: string) => log.warn({ streamerId, error: describeFailure(error) }, message);
  const channel: State = {
    streamerId,
    deps,
    onEmpty,
    connections: new Map(),
    pendingSnapshots: new Map(),
    departed: [],
    view: null,
    keys: noKeys,
    board: makeWidgetBoard(
      (goals) =>
        readBoard(deps, streamerId, goals).catch((error) => {
          warn(error, "the widgets could not be read");
          throw error;
        }),
      () => syncConnections(channel),
      times,
    ),
    preparations: makePreparations(deps, () => channel.loop.wake(), warn),
    loop: makeStepLoop(
      () => takeStepOrRetry(channel, warn),
      () => closeIfEmpty(channel),
      times.hintIntervalMs,
    ),
  };
  return channel;
}

/** The sequence is read first, so that the reading includes at least the donations up to it. */
async function readBoard({ knex, readWidgets }: HubDeps, streamerId: string, goals: readonly Goal[]) {
  const overlay = await readOverlay(knex, streamerId);
  if (!overlay) throw new Error("an overlay key's streamer must be there");
  const { widgets, validUntil } = await readWidgets(streamerId, goals);
  const unseen = await findUnseen(knex, overlay, shownIds(widgets));
  return { widgets: await seenWidgets(widgets, overlay.settings, unseen), validUntil, sequence: overlay.lastSequence };
}

async function open(channel: State, visitor: StreamRequest): Promise<Connection> {
  const { deps, streamerId, connections, board } = channel;
  const connection = openConnection(visitor, (closed) => remove(channel, closed));
  connections.set(connection.id, connection);
  try {
    const overlay = await readOverlay(deps.knex, streamerId);
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

function awaitSnapshot({ pendingSnapshots, loop }: State, connection: Connection): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    // Closed while its widgets were read: no step takes it into account any more.
    if (connection.stream.destroyed || loop.isStopped()) return reject(closedEarly(connection.refusal));
    pendingSnapshots.set(connection.id, { resolve, reject });
    connection.isReady = true;
    loop.wake();
  });
}

/** A connection has closed. */
function remove(channel: State, connection: Connection): void {
  const { connections, pendingSnapshots, loop } = channel;
  connections.delete(connection.id);
  pendingSnapshots.get(connection.id)?.reject(closedEarly(connection.refusal));
  pendingSnapshots.delete(connection.id);
  if (loop.isStopped()) return;
  if (connection.hasJoined) channel.departed = [...channel.departed, connection.id];
  if (channel.departed.length > 0) loop.wake();
  else if (!loop.isRunning()) closeIfEmpty(channel);
}

function closeIfEmpty({ connections, departed, loop, board, onEmpty }: State): void {
  if (connections.size > 0 || departed.length > 0 || loop.isStopped()) return;
  loop.stop();
  board.close();
  onEmpty();
}

function compare({ view, connections, loop, board }: State, { lastSequence, version, isLeaseFree }: QueueVersion): void {
  const hasChanged = !view || view.overlay.lastSequence !== lastSequence || view.overlay.version !== version;
  const canTakeLease = isLeaseFree && [...connections.values()].some(({ hasJoined: joined }) => joined);
  if (hasChanged || canTakeLease) loop.wake();
  board.refresh();
}

async function stop(channel: State): Promise<HeldLease[]> {
  channel.loop.stop();
  channel.board.close();
  rejectPending(channel, closedEarly(null));
  const connected = playerIds(channel); // before the running step ends: the caller closes them meanwhile
  await channel.loop.finished();
  return leasesOf(channel, [...connected, ...channel.departed]);
}

/** Pages that wait for a snapshot do not get one. */
function rejectPending({ pendingSnapshots }: State, error: unknown): void {
  for (const { reject } of pendingSnapshots.values()) reject(error);
  pendingSnapshots.clear();
}

function playerIds({ connections }: State): string[] {
  return [...connections.values()].filter(({ hasJoined: joined }) => joined).map(({ id }) => id);
}

function leasesOf({ streamerId }: State, connectionIds: readonly string[]): HeldLease[] {
  return connectionIds.map((connectionId) => ({ streamerId, connectionId }));
}

/** A step that fails is repeated after a while; pages that wait for a snapshot learn of the failure. */
async function takeStepOrRetry(channel: State, warn: (error: unknown, message: string) => void): Promise<NextStep> {
  try {
    return await takeStep(channel);
  } catch (error) {
    warn(error, "a step of the alert queue failed");
    rejectPending(channel, error);
    return { inMs: channel.deps.times.retryDelayMs };
  }
}

/** Takes a step of the queue, and sends connections what is new. */
async function takeStep(state: State): Promise<NextStep> {
  const present = [...state.connections.values()].filter(({ isReady: ready }) => ready);
  const players = present.filter(({ plays }) => plays);
  const local = { players: players.map(asPlayer), departed: state.departed };
  const isActive = players.length > 0 || local.departed.length > 0;
  const joining = players.filter(({ hasJoined: joined }) => !joined);
  for (const player of joining) player.hasJoined = true; // one that leaves from now on may have got the lease
  try {
    const { deps, streamerId } = state;
    state.view = isActive ? await advance(deps, streamerId, local) : await readView(deps, streamerId);
  } catch (error) {
    for (const player of joining) player.hasJoined = false;
    throw error;
  }
  await recordPages(state.deps.knex, state.streamerId, { joined: joining, departed: local.departed });
  const { view } = state;
  if (!view) return null;
  state.departed = state.departed.filter((id) => !local.departed.includes(id));
  const wanted = { changes: view.overlay.widgetChanges, keyIds: present.map(({ keyId }) => keyId) };
  state.keys = await readKeySettings(state.keys, wanted, state.deps.settingsOfKeys);
  for (const connection of present) connection.isInView = true;
  publish(state, view);
  return nextStep(state, view, isActive);
}

/** Brings every connection up to date, once there is a first reading of the widgets. */
function syncConnections({ connections, pendingSnapshots, view, board, keys }: State): void {
  const widgets = board.current();
  if (!view || !widgets) return;
  for (const connection of connections.values()) {
    const chosen = keys.byKey.get(connection.keyId);
    if (!connection.isInView || !chosen) continue;
    syncConnection(connection, view, { widgets, ...chosen });
    pendingSnapshots.get(connection.id)?.resolve();
    pendingSnapshots.delete(connection.id);
  }
}

function publish(state: State, view: QueueView): void {
  const { connections, board, preparations } = state;
  board.want(wantedOf(view.overlay));
  syncConnections(state);
  if (view.unresponsive) connections.get(view.unresponsive)?.abort();
  if (view.playerConnectionId !== null && connections.has(view.playerConnectionId)) preparations.start(view);
}

function nextStep({ connections }: State, { hasMore, dueInMs, playerConnectionId, playback }: QueueView, isActive: boolean): NextStep {
  const isFollowed = playback !== null && [...connections.values()].some((one) => followedPlayback(one) === playback.id);
  const canTakeOver = isActive && playerConnectionId === null && isFollowed;
  if (hasMore || canTakeOver) return "now";
  return isActive && dueInMs !== null ? { inMs: Math.max(dueInMs, 0) + timerMarginMs } : null;
}

function asPlayer(connection: Connection): Player {
  const { id, playerId, hasJoined, isInObs, isActive } = connection;
  const playing = hasJoined ? followedPlayback(connection) : connection.playing;
  return { connectionId: id, playerId, isJoining: !hasJoined, playing, isInObs, isActive };
}
