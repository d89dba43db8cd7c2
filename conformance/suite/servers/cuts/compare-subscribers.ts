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
