// The text of a message: `<origin> <streamer id>,<streamer id>,…`. The origin lets a process know its own again.

export type Hints = { origin: string; streamerIds: string[] };

/** PostgreSQL refuses payloads of 8,000 bytes. */
const longestBytes = 7_900;
const idLength = 36;

const pattern = /^(?<origin>[\w-]{1,32}) (?<ids>[0-9a-f-]{36}(?:,[0-9a-f-]{36})*)$/;

/** As few messages as the ids fit into. */
export function packHints(origin: string, streamerIds: readonly string[]): string[] {
  const most = Math.floor((longestBytes - origin.length) / (idLength + 1));
  const count = Math.ceil(streamerIds.length / most);
  return Array.from({ length: count }, (_, i) => `${origin} ${streamerIds.slice(i * most, (i + 1) * most).join(",")}`);
}

/** Null for a text that no notifier wrote: anybody can send to a channel. */
export function readHints(message: string): Hints | null {
  const { origin, ids } = pattern.exec(message)?.groups ?? {};
  return origin && ids ? { origin, streamerIds: ids.split(",") } : null;
}
