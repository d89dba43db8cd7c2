// What is recorded while servers and database fail, and the log of a streamer as it is listed at the end, when nothing is added to it any more.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

/** How long servers and subscribers may take to come to the end of the log. */
export const catchUpMs = 60_000;

/** Ends what waits and plays, so that nothing is added to the log any more. */
export async function emptyQueue(url: string, key: string): Promise<void> {
  const headers = { Authorization: `Bearer ${key}` };
  for (const deadline = Date.now() + catchUpMs; Date.now() < deadline; await sleep(100)) {
    for (const control of ["pause", "skip", "clear"]) await fetch(`${url}/api/v1/alerts/${control}`, { method: "POST", headers });
    const answer = await fetch(`${url}/api/v1/alerts`, { headers });
    const { data } = (await answer.json()) as { data: { playing: object | null; waitingCount: number } };
    if (data.playing === null && data.waitingCount === 0) return;
  }
  throw new Error("the queue did not become empty");
}

type Listed = { ids: string[]; position: string };

/** Lists every event after a cursor. */
export async function listFrom(url: string, key: string, after: string, types: string[] | null = null): Promise<Listed> {
  const ids: string[] = [];
  for (let position = after; ; ) {
    const query = new URLSearchParams([
      ["after", position],
      ["limit", "1000"],
      ...(types ?? []).map((type) => ["types", type] as [string, string]),
    ]);
    const answer = await fetch(`${url}/api/v1/events?${query}`, { headers: { Authorization: `Bearer ${key}` } });
    if (!answer.ok) throw new Error(`a list was answered ${answer.status}: ${await answer.text()}`);
    const { data, pagination } = (await answer.json()) as { data: { id: string }[]; pagination: { nextCursor: string; hasMore: boolean } };
    ids.push(...data.map(({ id }) => id));
    position = pagination.nextCursor;
    if (!pagination.hasMore) return { ids, position };
  }
}

// Compares what a subscriber has received with the log as it is listed at the end.

/** An event as it was received: its id, and the cursor after it. */
export type Seen = Readonly<{ cursor: string; id: string }>;

export type Breaches = Readonly<{
  /** Events of the log that were not received. */
  missed: number;
  /** Events that were received more than once, although the subscriber went on from what it had. */
  doubled: number;
  /** Events that were received in another place than that of the log, or that are not in it. */
  misplaced: number;
}>;

export const noBreach: Breaches = { missed: 0, doubled: 0, misplaced: 0 };

/** `received`: in the order in which it came. `listed`: ids of the log. */
export function compare(received: readonly Seen[], listed: readonly string[]): Breaches {
  const counts = new Map<string, number>();
  for (const { id } of received) counts.set(id, (counts.get(id) ?? 0) + 1);
  const places = new Map(listed.map((id, place) => [id, place]));
  let before = -1;
  let misplaced = 0;
  for (const { id } of received) {
    const place = places.get(id);
    if (place === undefined || place < before) misplaced += 1;
    else before = place;
  }
  return {
    missed: listed.filter((id) => !counts.has(id)).length,
    doubled: [...counts.values()].reduce((sum, count) => sum + count - 1, 0),
    misplaced,
  };
}

export const sum = (all: readonly Breaches[]): Breaches =>
  all.reduce(
    (one, other) => ({
      missed: one.missed + other.missed,
      doubled: one.doubled + other.doubled,
      misplaced: one.misplaced + other.misplaced,
    }),
    noBreach,
  );

// Records donations and moves alerts while servers and database fail: a request that is not answered is sent again.

type Writing = Readonly<{
  urls: readonly string[];
  key: string;
  overlayKey: string;
  random: () => number;
  /** Milliseconds between two donations of one writer. */
  pauseMs: number;
}>;

type Writers = { recorded: () => number; stop: () => Promise<void> };

type State = Writing & { isOver: boolean; recorded: string[] };

export function startWriters(writing: Writing): Writers {
  const state: State = { ...writing, isOver: false, recorded: [] };
  const running = Promise.all([...Array.from({ length: 3 }, () => donate(state)), control(state), play(state)]);
  return {
    recorded: () => state.recorded.length,
    stop: async () => {
      state.isOver = true;
      await running;
    },
  };
}

/** Donations, each with a key of its own, until one is over. A repeated one must be no second event. */
async function donate(state: State): Promise<void> {
  while (!state.isOver) {
    const body = { donatorName: "Somsri", amount: 1 + Math.floor(99 * state.random()), idempotencyKey: randomUUID() };
    for (let repeats = state.random() < 0.1 ? 2 : 1; repeats > 0 && !state.isOver; ) {
      const answer = await post(state, "/api/v1/donations", { body });
      if (!answer?.ok) await sleep(50);
      else {
        repeats -= 1;
        if (answer.status === 201) state.recorded.push(((await answer.json()) as { data: { id: string } }).data.id);
      }
    }
    await sleep(state.pauseMs * 2 * state.random());
  }
}

/** Clears the queue, ends what plays, and replays what was shown or skipped. */
async function control(state: State): Promise<void> {
  while (!state.isOver) {
    const donation = state.recorded[Math.floor(state.random() * state.recorded.length)];
    const choice = state.random();
    if (choice < 0.3) await post(state, "/api/v1/alerts/clear");
    else if (choice < 0.6) await post(state, "/api/v1/alerts/skip");
    else if (donation) await post(state, `/api/v1/donations/${donation}/replay`);
    await sleep(state.pauseMs * 4 * state.random());
  }
}

/** The part of an overlay page: plays every alert at once. */
async function play(state: State): Promise<void> {
  const player = randomUUID();
  while (!state.isOver) {
    await playUntilCut(state, player).catch(() => {});
    await sleep(100);
  }
}

async function playUntilCut(state: State, player: string): Promise<void> {
  const url = urlOf(state);
  const ending = new AbortController();
  const watching = setInterval(() => state.isOver && ending.abort(), 100);
  try {
    const answer = await fetch(`${url}/api/v1/overlay/stream?player=${player}&plays=true`, {
      headers: { Authorization: `Bearer ${state.overlayKey}` },
      signal: ending.signal,
    });
    let text = "";
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (text + chunk).split("\n\n");
      text = blocks.pop() as string;
      for (const block of blocks) {
        const [, data] = /^event: playback\ndata: (.*)$/.exec(block) ?? [];
        if (data === undefined) continue;
        const { id } = JSON.parse(data) as { id: string };
        for (const step of ["started", "ended"])
          await post(state, `/api/v1/overlay/playbacks/${id}/${step}`, { body: { player }, key: state.overlayKey, url });
      }
    }
  } finally {
    clearInterval(watching);
  }
}

const urlOf = ({ urls, random }: State): string => urls[Math.floor(random() * urls.length)] as string;

type Sent = { body?: object; key?: string; url?: string };

/** Null: no answer came. */
async function post(state: State, path: string, { body, key = state.key, url = urlOf(state) }: Sent = {}): Promise<Response | null> {
  const headers = { Authorization: `Bearer ${key}`, ...(body ? { "Content-Type": "application/json" } : {}) };
  const answer = await fetch(`${url}${path}`, {
    method: "POST",
    headers,
    signal: AbortSignal.timeout(10_000),
    ...(body ? { body: JSON.stringify(body) } : {}),
  }).catch(() => null);
  if (answer && !answer.ok) await answer.arrayBuffer().catch(() => {});
  return answer;
}
