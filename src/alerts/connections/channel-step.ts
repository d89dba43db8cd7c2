// One step of a streamer's queue for the connections of this process, after which each connection is sent what is new for it.

import type { Knex } from "knex";
import type { Preparations } from "../player/prepare-speech.ts";
import { advance, readView } from "../store/advance.ts";
import type { Player, QueueStepDeps, QueueView } from "../store/queue-step.ts";
import { type KeyWidgets, readKeyWidgets, type WidgetsOfKeys } from "../widgets/key-widgets.ts";
import type { WidgetBoard } from "../widgets/widget-board.ts";
import { wantedOf } from "../widgets/widget-texts.ts";
import type { Connection } from "./connection.ts";
import type { NextStep } from "./step-loop.ts";
import { syncConnection } from "./sync-connection.ts";

/** A page that waits for its snapshot. */
export type PendingSnapshot = { resolve: () => void; reject: (error: unknown) => void };

export type ChannelState = {
  readonly streamerId: string;
  readonly knex: Knex;
  readonly stepDeps: QueueStepDeps;
  /** By connection id. */
  readonly connections: Map<string, Connection>;
  /** By connection id. */
  readonly pendingSnapshots: Map<string, PendingSnapshot>;
  readonly board: WidgetBoard;
  readonly preparations: Preparations;
  readonly widgetsOfKeys: WidgetsOfKeys;
  /** Of the connections in the view. */
  keyWidgets: KeyWidgets;
  /** Closed connections that may still hold the lease. */
  departed: readonly string[];
  view: QueueView | null;
};

/** A timer may fire a little early. */
const timerMarginMs = 5;

/** Takes a step of the queue, and sends connections what is new. */
export async function takeStep(state: ChannelState): Promise<NextStep> {
  const present = [...state.connections.values()].filter(({ isReady: ready }) => ready);
  const players = present.filter(({ plays }) => plays);
  const local = { players: players.map(asPlayer), departed: state.departed };
  const isActive = players.length > 0 || local.departed.length > 0;
  const joining = players.filter(({ hasJoined: joined }) => !joined);
  for (const player of joining) player.hasJoined = true; // one that leaves from now on may have got the lease
  try {
    const { stepDeps, streamerId } = state;
    state.view = isActive ? await advance(stepDeps, streamerId, local) : await readView(stepDeps, streamerId);
  } catch (error) {
    for (const player of joining) player.hasJoined = false;
    throw error;
  }
  const { view } = state;
  if (!view) return null;
  state.departed = state.departed.filter((id) => !local.departed.includes(id));
  const wanted = { changes: view.overlay.widgetChanges, keyIds: present.map(({ keyId }) => keyId) };
  state.keyWidgets = await readKeyWidgets(state.keyWidgets, wanted, state.widgetsOfKeys);
  for (const connection of present) connection.isInView = true;
  publish(state, view);
  return nextStep(view, isActive);
}

/** Brings every connection up to date, once there is a first reading of the widgets. */
export function syncConnections({ connections, pendingSnapshots, view, board, keyWidgets }: ChannelState): void {
  const widgets = board.current();
  if (!view || !widgets) return;
  for (const connection of connections.values()) {
    if (!connection.isInView) continue;
    syncConnection(connection, view, { widgets, widget: keyWidgets.byKey.get(connection.keyId) ?? null });
    pendingSnapshots.get(connection.id)?.resolve();
    pendingSnapshots.delete(connection.id);
  }
}

function publish(state: ChannelState, view: QueueView): void {
  const { connections, board, preparations } = state;
  board.want(wantedOf(view.overlay));
  syncConnections(state);
  if (view.unresponsive) connections.get(view.unresponsive)?.abort();
  if (view.playerConnectionId !== null && connections.has(view.playerConnectionId)) preparations.start(view);
}

function nextStep({ hasMore, dueInMs }: QueueView, isActive: boolean): NextStep {
  if (hasMore) return "now";
  return isActive && dueInMs !== null ? { inMs: Math.max(dueInMs, 0) + timerMarginMs } : null;
}

function asPlayer({ id, playerId, hasJoined, playing }: Connection): Player {
  return { connectionId: id, playerId, isJoining: !hasJoined, playing: hasJoined ? null : playing };
}
