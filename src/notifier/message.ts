// The format of a message: `<origin> <streamer id>,<streamer id>,…`. By the origin a process recognises its own messages.

export type Hints = { origin: string; streamerIds: string[] };

/** PostgreSQL refuses payloads of 8,000 bytes and more. */
const maxMessageBytes = 7_900;
const idLength = 36;

const pattern = /^(?<origin>[\w-]{1,32}) (?<ids>[0-9a-f-]{36}(?:,[0-9a-f-]{36})*)$/;

/** Packs the ids into as few messages as possible. */
export function packHints(origin: string, streamerIds: readonly string[]): string[] {
  const idsPerMessage = Math.floor((maxMessageBytes - origin.length) / (idLength + 1));
  const count = Math.ceil(streamerIds.length / idsPerMessage);
  return Array.from({ length: count }, (_, i) => `${origin} ${streamerIds.slice(i * idsPerMessage, (i + 1) * idsPerMessage).join(",")}`);
}

/** Null for a text of another format: any client of the broker can send to the channel. */
export function readHints(message: string): Hints | null {
  const { origin, ids } = pattern.exec(message)?.groups ?? {};
  return origin && ids ? { origin, streamerIds: ids.split(",") } : null;
}
