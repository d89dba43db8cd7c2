// One streamer's connections in this process, and who drives its queue for them: one step at a time, after each of which every
// connection is told what is new for it.

import type { Knex } from "knex";
import type { Logger } from "pino";
import { Problem } from "../http/problem.ts";
import { describeFailure } from "../telemetry/describe-failure.ts";
import { type Connection, openConnection, type Visitor } from "./connection.ts";
import type { ReadWidgets, Speech } from "./dependencies.ts";
import { preparations } from "./prepare-speech.ts";
import { advance, look } from "./store/advance.ts";
import { readOverlay } from "./store/overlay.ts";
import type { Held, Mark } from "./store/presence.ts";
import type { Player, View } from "./store/queue-step.ts";
import { tell } from "./sync-connection.ts";
import type { Times } from "./timeouts.ts";
import { widgetBoard } from "./widget-board.ts";

export type ChannelParts = {
  knex: Knex;
  log: Logger;
  times: Times;
  speech: Speech | null;
  readWidgets: ReadWidgets;
};

export type Channel = {
  /** Resolves when the connection has got its snapshot. */
  open: (visitor: Visitor) => Promise<Connection>;
  connections: () => Iterable<Connection>;
  /** Something has changed: takes a step, or one more after the one under way. */
  wake: () => void;
  /** The same, but not at once when a step was taken just now. */
  hint: () => void;
  /** What the poll has found. */
  compare: (mark: Mark) => void;
  /** Connections that may hold the lease. */
  players: () => Held[];
  /** Takes no more steps; resolves when the one under way is done, with what may hold the lease then: also what went meanwhile. */
  stop: () => Promise<Held[]>;
};

type Opening = { resolve: () => void; reject: (error: unknown) => void };

/** `onEmpty`: the last connection has gone, and what it held is let go of. */
export function makeChannel(parts: ChannelParts, streamerId: string, onEmpty: () => void): Channel {
  const { knex, log, times, speech } = parts;
  const connections = new Map<string, Connection>();
  const openings = new Map<string, Opening>();
  const stepParts = { knex, times, speaks: speech !== null };
  let gone: readonly string[] = [];
  let view: View | null = null;
  let running: Promise<void> | null = null;
  let again = false;
  let steppedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | null = null;
  let hinted: NodeJS.Timeout | null = null;
  let stopped = false;

  const complain = (error: unknown, what: string) => log.warn({ streamerId, error: describeFailure(error) }, what);

  const board = widgetBoard({
    read: async (goal) => {
      const before = await readOverlay(knex, streamerId);
      return { ...(await parts.readWidgets(streamerId, goal)), sequence: before?.lastSequence ?? 0 };
    },
    onChange: () => tellAll(),
    onFailure: (error) => complain(error, "the widgets could not be read"),
    restMs: times.widgetRest,
    retryMs: times.retry,
  });

  const wake = () => {
    again = true;
    if (!running && !stopped) running = run();
  };

  const run = async () => {
    while (again && !stopped) {
      again = false;
      setTimer(null);
      try {
        await step();
      } catch (error) {
        complain(error, "a step of the alert queue failed");
        fail(error);
        if (!stopped) setTimer(times.retry);
      }
    }
    running = null;
    if (connections.size === 0 && gone.length === 0) close();
  };

  const step = async () => {
    const present = [...connections.values()].filter(({ ready }) => ready);
    const players = present.filter(({ plays }) => plays);
    const newcomers = players.filter(({ joined }) => !joined);
    const attendance = { players: players.map(asPlayer), gone };
    const acts = players.length > 0 || gone.length > 0;
    for (const player of newcomers) player.joined = true; // whoever leaves from now on may have got the lease
    try {
      view = acts ? await advance(stepParts, streamerId, attendance) : await look(stepParts, streamerId);
    } catch (error) {
      for (const player of newcomers) player.joined = false;
      throw error;
    }
    steppedAt = performance.now();
    if (!view) return;
    gone = gone.filter((id) => !attendance.gone.includes(id));
    for (const connection of present) connection.heard = true;
    board.want({ sequence: view.overlay.lastSequence, goal: view.overlay.settings.goal });
    tellAll();
    if (view.cut) connections.get(view.cut)?.cut();
    if (holdsHere()) preparing.start(view);
    if (view.more) again = true;
    else if (acts && view.dueIn !== null) setTimer(Math.max(view.dueIn, 0) + 5);
  };

  const preparing = preparations({ knex, speech, times, onDone: wake, complain });

  const tellAll = () => {
    const widgets = board.current();
    if (!view || !widgets) return;
    for (const connection of connections.values()) {
      if (!connection.heard) continue;
      tell(connection, view, widgets);
      openings.get(connection.id)?.resolve();
      openings.delete(connection.id);
    }
  };

  /** Whoever waits for a snapshot does not get one. */
  const fail = (error: unknown) => {
    for (const { reject } of openings.values()) reject(error);
    openings.clear();
  };

  const setTimer = (ms: number | null) => {
    if (timer) clearTimeout(timer);
    timer = ms === null ? null : setTimeout(wake, ms);
  };

  const holdsHere = () => view?.holder != null && connections.has(view.holder);

  const left = (connection: Connection) => {
    connections.delete(connection.id);
    openings.get(connection.id)?.reject(closedEarly());
    openings.delete(connection.id);
    if (stopped) return;
    if (connection.joined) gone = [...gone, connection.id];
    if (gone.length > 0) wake();
    else if (connections.size === 0 && !running) close();
  };

  const close = () => {
    if (stopped) return;
    stopped = true;
    setTimer(null);
    board.close();
    onEmpty();
  };

  const mayHold = () => [...connections.values()].filter(({ joined }) => joined).map(({ id }) => id);
  const held = (ids: readonly string[]): Held[] => ids.map((connectionId) => ({ streamerId, connectionId }));

  const open = async (visitor: Visitor) => {
    const connection = openConnection(visitor, left);
    connections.set(connection.id, connection);
    try {
      const before = await readOverlay(knex, streamerId);
      if (!before) throw new Error("an overlay key's streamer must be there");
      // Widgets first: from the moment a player joins, the queue waits for it.
      await board.include({ sequence: before.lastSequence, goal: before.settings.goal });
      await new Promise<void>((resolve, reject) => {
        openings.set(connection.id, { resolve, reject });
        connection.ready = true;
        wake();
      });
      return connection;
    } catch (error) {
      connection.cut();
      throw error;
    }
  };

  return {
    open,
    connections: () => connections.values(),
    wake,
    hint: () => {
      if (hinted || stopped) return;
      const rest = running ? times.hintRest : steppedAt + times.hintRest - performance.now();
      if (rest <= 0) return wake();
      hinted = setTimeout(() => {
        hinted = null;
        wake();
      }, rest);
    },
    compare: ({ lastSequence, version, free }) => {
      const moved = !view || view.overlay.lastSequence !== lastSequence || view.overlay.version !== version;
      const wanted = free && [...connections.values()].some(({ joined }) => joined);
      if (moved || wanted) wake();
      board.refresh();
    },
    players: () => held(mayHold()),
    stop: async () => {
      stopped = true;
      setTimer(null);
      if (hinted) clearTimeout(hinted);
      board.close();
      fail(closedEarly());
      const here = mayHold(); // they are ended while the step is under way
      await running;
      return held([...here, ...gone]);
    },
  };
}

function asPlayer({ id, playerId, joined, playing }: Connection): Player {
  return { connectionId: id, playerId, joining: !joined, playing: joined ? null : playing };
}

function closedEarly(): Problem {
  return new Problem("unavailable", "The stream was closed before it began.");
}
