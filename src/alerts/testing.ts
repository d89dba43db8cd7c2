// A database with streamers, hubs that stand for server processes, and pages that do what overlay pages do.

import type { Readable } from "node:stream";
import type { Knex } from "knex";
import { uuidv7 } from "uuidv7";
import type { Database } from "../db/database.ts";
import { silent, useDatabase } from "../db/testing.ts";
import type { NewDonation } from "../donations/donation.ts";
import { insertBatch } from "../donations/record/batch.ts";
import { someDonation } from "../donations/testing.ts";
import type { Schemas } from "../http/operations.ts";
import type { Notifier } from "../notifier/notifier.ts";
import type { HubDeps } from "./connections/channel.ts";
import type { OverlayEvent } from "./connections/connection.ts";
import { type Hub, openHub } from "./connections/hub.ts";
import { type OverlayService, openOverlay } from "./open-alerts.ts";
import { type Acknowledged, acknowledgeEnd } from "./queue/end.ts";
import type { State } from "./queue/playbacks.ts";
import { acknowledgeStart } from "./queue/start.ts";
import { defaultTimes, type Times } from "./timeouts.ts";

export type OverlayFixture = ReturnType<typeof openOverlayFixture>;

/** What the widgets of a streamer without donations show. */
export const noWidgets: Schemas["Widgets"] = {
  asOf: "2026-11-21T00:00:00.000Z",
  goal: null,
  goals: [],
  totals: { today: { amount: 0, count: 0 }, month: { amount: 0, count: 0 }, all: { amount: 0, count: 0 } },
  recent: [],
  top: [],
  topOf: { day: [], week: [], month: [] },
  largest: { day: null, week: null, month: null, all: null },
  timer: null,
};

/** No hub does anything by itself but what it is told to: time passes by `age`. */
const noTimers: Times = {
  ...defaultTimes,
  pollIntervalMs: 3_600_000,
  renewIntervalMs: 3_600_000,
  heartbeatIntervalMs: 3_600_000,
  sweepIntervalMs: 3_600_000,
  hintIntervalMs: 0,
  widgetIntervalMs: 0,
};

function openOverlayFixture(database: Database) {
  const { knex } = database;
  const hubs: Pick<Hub, "leave" | "close">[] = [];
  return {
    knex,
    /** What steps of queues, and operations on them, are taken with. */
    stepDeps: { knex, times: defaultTimes, speech: null },
    /** A pool of a server process' own; destroying it is as good as killing the process. */
    newPool: () => database.pool(hubPool),
    newStreamer: () => newStreamer(knex),
    donate: (streamerId: string, donation: Partial<NewDonation> = {}) => donate(knex, streamerId, donation),
    /** A server process. */
    newHub: (deps: Partial<Omit<HubDeps, "times">> & { times?: Partial<Times> } = {}) => {
      const hub = newHub(database, deps);
      hubs.push(hub);
      return hub;
    },
    /** The operations of a server process. */
    newOverlay: () => {
      const overlay = newOverlay(database);
      hubs.push(overlay);
      return overlay;
    },
    /** Lets time pass for everything of a streamer. */
    age: (streamerId: string, ms: number) => advanceTime(knex, streamerId, ms),
    /** States of the playbacks of a streamer, in the order in which they were made. */
    states: async (streamerId: string): Promise<State[]> =>
      knex("playbacks").where("streamer_id", streamerId).orderBy("waits_since").orderBy("id").pluck("state"),
    /** What the donation's record says of its alert. */
    alertOf: async (donationId: string) => {
      const { rows } = await knex.raw("select status, reason, shown_at is not null as shown from alerts where donation_id = ?", [
        donationId,
      ]);
      return rows[0] as { status: State; reason: string | null; shown: boolean } | undefined;
    },
    close: async () => {
      for (const hub of hubs) hub.leave();
      for (const hub of hubs) await hub.close();
    },
  };
}

/** Opens the fixture for the tests of this file, which have it from then on. */
export function useOverlayFixture(): OverlayFixture {
  const fixture = {} as OverlayFixture;
  useDatabase(async (database) => {
    Object.assign(fixture, openOverlayFixture(database));
    return fixture.close;
  });
  return fixture;
}

const hubPool = { max: 4, applicationName: "hub under test" };

function newHub(database: Database, { times, ...deps }: Partial<Omit<HubDeps, "times">> & { times?: Partial<Times> }): Hub {
  return openHub({ ...processDeps(database), ...deps, times: { ...noTimers, ...times } });
}

function newOverlay(database: Database): OverlayService {
  const recordTest = () => Promise.reject(new Error("nothing is recorded"));
  return openOverlay(processDeps(database), recordTest);
}

function processDeps({ pool }: Database): HubDeps {
  return {
    knex: pool(hubPool),
    log: silent,
    notifier: immediateNotifier(),
    speech: null,
    readWidgets: async () => ({ widgets: { ...noWidgets }, validUntil: Number.POSITIVE_INFINITY }),
    revokedAmong: async () => [],
    settingsOfKeys: async () => new Map(),
    recordUse: () => {},
    times: noTimers,
  };
}

/** Each hint once, and at once: the real one repeats itself a moment later. */
function immediateNotifier(): Notifier {
  const listeners: ((streamerId: string) => void)[] = [];
  return {
    notify: (streamerId) => {
      for (const listener of listeners) listener(streamerId);
    },
    subscribe: (listener) => {
      listeners.push(listener);
    },
    close: async () => {},
  };
}

async function newStreamer(knex: Knex): Promise<string> {
  const id = uuidv7();
  await knex("streamers").insert({ id });
  return id;
}

/** Records it. Answers its id. */
async function donate(knex: Knex, streamerId: string, members: Partial<NewDonation>): Promise<string> {
  const donation = someDonation(streamerId, members);
  await insertBatch(knex, [donation], false);
  return donation.id;
}

async function advanceTime(knex: Knex, streamerId: string, ms: number): Promise<void> {
  const columns = {
    overlays: ["player_until", "cleared_at"],
    playbacks: ["waits_since", "leased_at", "started_at"],
    overlay_absences: ["gone_at", "back_at"],
    alerts: ["received_at"],
  };
  await knex.transaction(async (trx) => {
    for (const [table, names] of Object.entries(columns)) {
      const earlier = names.map((name) => `${name} = ${name} - interval '${ms} milliseconds'`);
      await trx.raw(`update ${table} set ${earlier.join(", ")} where streamer_id = ?`, [streamerId]);
    }
  });
}

export type Page = {
  events: OverlayEvent[];
  /** The next event that was not looked at. */
  next: () => Promise<OverlayEvent>;
  /** The next event of this kind; those before it are skipped. */
  nextOf: <Name extends OverlayEvent["event"]>(name: Name) => Promise<Extract<OverlayEvent, { event: Name }>["data"]>;
  /** Resolves when the stream has ended or was cut. */
  closed: Promise<void>;
  /** The page goes away. */
  disconnect: () => void;
  started: (playbackId: string) => Promise<Acknowledged>;
  ended: (playbackId: string) => Promise<Acknowledged>;
};

export type PageOptions = {
  knex: Knex;
  hub: Hub;
  streamerId: string;
  player?: string;
  plays?: boolean;
  playing?: string | null;
  keyId?: string;
  isInObs?: boolean;
  isActive?: boolean;
};

const timeoutMs = 5_000;

/** Connects; the first event is the snapshot. */
export async function connectPage({
  knex,
  hub,
  streamerId,
  player = "p",
  plays = true,
  playing = null,
  keyId = uuidv7(),
  isInObs = false,
  isActive = true,
}: PageOptions): Promise<Page> {
  const stream = await hub.open({ keyId, streamerId, playerId: player, plays, playing, isInObs, isActive });
  const events: OverlayEvent[] = [];
  let seen = 0;
  let arrived = () => {};
  const closed = new Promise<void>((resolve) => stream.once("close", resolve));
  readEvents(stream, (event) => {
    events.push(event);
    arrived();
  });
  const next = async (): Promise<OverlayEvent> => {
    const deadline = performance.now() + timeoutMs;
    while (seen >= events.length) {
      if (performance.now() > deadline) throw new Error(`no event came after ${JSON.stringify(events.map(({ event }) => event))}`);
      await new Promise<void>((resolve) => {
        arrived = resolve;
        setTimeout(resolve, 50);
      });
    }
    return events[seen++] as OverlayEvent;
  };
  const answer = async (acknowledge: typeof acknowledgeStart, playbackId: string) => {
    const acknowledged = await acknowledge(knex, { streamerId, playbackId, playerId: player });
    hub.changed(streamerId);
    return acknowledged;
  };
  return {
    events,
    next,
    nextOf: async (name) => {
      for (;;) {
        const event = await next();
        if (event.event === name) return event.data as never;
      }
    },
    closed,
    disconnect: () => void stream.destroy(),
    started: (playbackId) => answer(acknowledgeStart, playbackId),
    ended: (playbackId) => answer(acknowledgeEnd, playbackId),
  };
}

function readEvents(stream: Readable, onEvent: (event: OverlayEvent) => void): void {
  let text = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) if (!block.startsWith(":")) onEvent(parse(block));
  });
}

function parse(block: string): OverlayEvent {
  const [, event, data] = /^event: ([^\n]*)\ndata: ([^\n]*)$/.exec(block) ?? [];
  return { event, data: JSON.parse(data ?? "null") } as OverlayEvent;
}
