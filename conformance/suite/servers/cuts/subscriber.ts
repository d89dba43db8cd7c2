// A program that follows a streamer's events, and is cut again and again: it goes on from the last cursor that it has received.

import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { createServer, connect as dial, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import type { Seen } from "./log.ts";

type Way = "stream" | "socket" | "list";

export type Subscriber = {
  types: string[] | null;
  received: Seen[];
  /** What was received before it went back to an earlier cursor, and the place of that cursor in `received`. */
  earlier: { from: number; seen: Seen[] }[];
  /** Readings of each way that ended, because they were cut or because a page was read. */
  readings: Record<Way, number>;
  /** Streams that were cut while they were open, and readers that paused. */
  cuts: number;
  holds: number;
  rewinds: number;
  stop: () => Promise<void>;
};

type Subscribing = Readonly<{
  urls: readonly string[];
  key: string;
  after: string;
  types: string[] | null;
  random: () => number;
  /** Longest time between two cuts, in milliseconds. */
  cutMs: number;
}>;

type State = Subscribing & { subscriber: Subscriber; relays: Relay[]; isOver: boolean; isCalm: boolean };

/** Follows until it is stopped. `calm` ends the cuts, so that it can come to the end of the log. */
export async function startSubscriber(subscribing: Subscribing): Promise<Subscriber & { calm: () => void }> {
  const relays = await Promise.all(subscribing.urls.map(startRelay));
  const subscriber: Subscriber = {
    types: subscribing.types,
    received: [],
    earlier: [],
    readings: { stream: 0, socket: 0, list: 0 },
    cuts: 0,
    holds: 0,
    rewinds: 0,
    stop: async () => {
      state.isOver = true;
      for (const { close } of relays) close();
      await running;
    },
  };
  const state: State = { ...subscribing, subscriber, relays, isOver: false, isCalm: false };
  const running = follow(state);
  return Object.assign(subscriber, {
    calm: () => {
      state.isCalm = true;
    },
  });
}

const ways: readonly Way[] = ["stream", "stream", "stream", "socket", "socket", "list"];
const pick = <T>(all: readonly T[], random: () => number): T => all[Math.floor(random() * all.length)] as T;

async function follow(state: State): Promise<void> {
  const { random, subscriber } = state;
  while (!state.isOver) {
    const way = pick(ways, random);
    const relay = pick(state.relays, random);
    if (!state.isCalm && random() < 0.02) rewind(state);
    const position = subscriber.received.at(-1)?.cursor ?? state.after;
    const failed = await read[way](state, relay, position).then(
      () => false,
      () => true,
    );
    subscriber.readings[way] += 1;
    if (failed) await sleep(20 + 80 * random());
  }
}

/** Goes back to a cursor that it received earlier: what follows must come again as it came. */
function rewind({ subscriber, random }: State): void {
  const { received } = subscriber;
  let from = Math.floor(random() * received.length);
  while (received[from]?.cursor === received[from + 1]?.cursor && from < received.length) from += 1; // to the end of its page
  subscriber.earlier.push({ from: from + 1, seen: received.splice(from + 1) });
  subscriber.rewinds += 1;
}

const queryOf = ({ types }: State, others: Record<string, string>): string =>
  new URLSearchParams([...Object.entries(others), ...(types ?? []).map((type) => ["types", type])] as [string, string][]).toString();

type Reading = (state: State, relay: Relay, position: string) => Promise<void>;

const read: Record<Way, Reading> = {
  list: async (state, relay, position) => {
    const limit = String(1 + Math.floor(20 * state.random()));
    const answer = await fetch(`${relay.url}/api/v1/events?${queryOf(state, { after: position, limit })}`, {
      headers: { Authorization: `Bearer ${state.key}`, Connection: "close" },
      signal: AbortSignal.timeout(10_000),
    });
    if (!answer.ok) throw new Error(`a page was answered ${answer.status}`);
    const { data, pagination } = (await answer.json()) as { data: { id: string }[]; pagination: { nextCursor: string } };
    // Of a page only the cursor after all of it is known.
    state.subscriber.received.push(...data.map(({ id }) => ({ id, cursor: pagination.nextCursor })));
  },
  stream: (state, relay, position) =>
    cutAtRandom(state, relay, (ended) => {
      const byHeader = state.random() < 0.5;
      const path = `/api/v1/events/stream?${queryOf(state, byHeader ? {} : { after: position })}`;
      const headers = { Authorization: `Bearer ${state.key}`, ...(byHeader ? { "Last-Event-ID": position } : {}) };
      const outgoing = httpRequest(`${relay.url}${path}`, { agent: false, headers }, (answer) => {
        if (answer.statusCode !== 200) return void outgoing.destroy(new Error(`a stream was answered ${answer.statusCode}`));
        let text = "";
        answer.setEncoding("utf8").on("data", (chunk: string) => {
          const blocks = (text + chunk).split("\n\n");
          text = blocks.pop() as string;
          for (const block of blocks) collect(state, block);
        });
        answer.once("close", () => ended(null)).on("error", () => {});
      });
      outgoing.on("error", ended).end();
      return () => outgoing.destroy();
    }),
  socket: (state, relay, position) =>
    cutAtRandom(state, relay, (ended) => {
      const client = new WebSocket(`${relay.url.replace("http", "ws")}/api/v1/events/socket`);
      client.addEventListener("open", () =>
        client.send(JSON.stringify({ token: state.key, after: position, ...(state.types ? { types: state.types } : {}) })),
      );
      let isOpen = true;
      client.addEventListener("message", ({ data }) => {
        const { cursor, event } = JSON.parse(String(data)) as { cursor: string; event?: { id: string } };
        if (event && isOpen) state.subscriber.received.push({ cursor, id: event.id });
      });
      const close = (): void => {
        isOpen = false;
        ended(null);
      };
      client.addEventListener("error", close);
      client.addEventListener("close", close);
      return () => client.close();
    }),
};

function collect({ subscriber }: State, block: string): void {
  const [, cursor, data] = /^id: (.*)\nevent: .*\ndata: (.*)$/.exec(block) ?? [];
  if (cursor !== undefined && data !== undefined) subscriber.received.push({ cursor, id: (JSON.parse(data) as { id: string }).id });
}

/** Opens a stream, lets it be for a random time, and cuts it, sometimes after a time without reading. `open` returns how to end it. */
async function cutAtRandom(state: State, relay: Relay, open: (ended: (error: Error | null) => void) => () => void): Promise<void> {
  const { random, subscriber, cutMs } = state;
  let isEnded = false;
  let close = (): void => {};
  const ending = new Promise<void>((resolve, reject) => {
    close = open((error) => {
      isEnded = true;
      if (error) reject(error);
      else resolve();
    });
  });
  ending.catch(() => {}); // awaited below
  for (const until = Date.now() + cutMs * random(); !isEnded && !state.isOver && (state.isCalm || Date.now() < until); ) await sleep(10);
  if (!isEnded && !state.isCalm && random() < 0.1) {
    relay.hold(cutMs * 2);
    subscriber.holds += 1;
    await sleep(cutMs * (0.5 + 2 * random()));
  }
  if (!isEnded && !state.isOver) subscriber.cuts += 1;
  if (!isEnded) {
    if (random() < 0.8) relay.cut(0);
    else close();
  }
  await ending;
}

// A TCP relay whose connections a test can cut.

/** A TCP relay from a client to the server whose connections can be cut. Its address stays the same when the server restarts. */
export type Relay = {
  url: string;
  /** Closes all connections and accepts none for this time. */
  cut: (ms: number) => void;
  /** Passes nothing to the client for this time, as if the client read nothing. */
  hold: (ms: number) => void;
  close: () => void;
};

export async function startRelay(address: string): Promise<Relay> {
  const { hostname, port } = new URL(address);
  const sockets = new Set<Socket>();
  /** The sides of open connections: client and server. */
  const pairs = new Map<Socket, Socket>();
  let cutUntil = 0;
  const track = (socket: Socket, other: () => Socket): void => {
    sockets.add(socket);
    socket
      .on("error", () => {})
      .on("close", () => {
        sockets.delete(socket);
        pairs.delete(socket);
        other().destroy();
      });
  };
  const server = createServer((near) => {
    if (performance.now() < cutUntil) return void near.destroy();
    const far = dial(Number(port), hostname);
    track(near, () => far);
    track(far, () => near);
    pairs.set(near, far);
    near.pipe(far).pipe(near);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = server.address();
  if (own === null || typeof own === "string") throw new Error("no TCP port");
  const cut = (ms: number): void => {
    cutUntil = performance.now() + ms;
    for (const socket of sockets) socket.destroy();
  };
  const hold = (ms: number): void => {
    for (const [near, far] of pairs) {
      far.unpipe(near).pause();
      setTimeout(() => far.pipe(near), ms).unref();
    }
  };
  const close = (): void => {
    server.close();
    cut(0);
  };
  return { url: `http://127.0.0.1:${own.port}`, cut, hold, close };
}
