// Records donations and moves alerts while servers and database fail: a request that is not answered is sent again.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

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

export function startWriters(writing: Writing, count: number): Writers {
  const state: State = { ...writing, isOver: false, recorded: [] };
  const running = Promise.all([...Array.from({ length: count }, () => donate(state)), control(state), play(state)]);
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
