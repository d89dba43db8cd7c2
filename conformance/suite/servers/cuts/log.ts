// The log of a streamer as it is listed at the end, when nothing is added to it any more.

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
