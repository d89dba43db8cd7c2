import type { Answer, Asked, Meddler } from "./proxy.ts";

// What gateways, caches and clients' libraries do to requests and answers that pass by them.

/** Changes answers. */
export const answering =
  (change: (answer: Answer, asked: Asked) => Answer): (() => Meddler) =>
  () =>
  async (asked, send) =>
    change(await send(asked), asked);

/** Changes requests. */
export const asking =
  (change: (asked: Asked) => Asked): (() => Meddler) =>
  () =>
  (asked, send) =>
    send(change(asked));

/** Leaves a header out of every answer. */
export const without = (name: string): (() => Meddler) =>
  answering(({ headers: { [name]: _gone, ...headers }, ...answer }) => ({ ...answer, headers }));

/** Keeps answers under a name for a while, and gives them to whoever asks by that name; null: not this request. */
export const keeping =
  (nameOf: (asked: Asked) => string | null, ms = Number.POSITIVE_INFINITY): (() => Meddler) =>
  () => {
    const kept = new Map<string, { answer: Answer; until: number }>();
    return async (asked, send) => {
      const name = nameOf(asked);
      const found = name === null ? undefined : kept.get(name);
      if (found && found.until > Date.now()) return found.answer;
      const answer = await send(asked);
      if (name !== null) kept.set(name, { answer, until: Date.now() + ms });
      return answer;
    };
  };

/** Changes the JSON of a body; anything else stays as it is. */
export function json<T extends { body: Buffer }>(message: T, change: (value: unknown) => unknown): T {
  try {
    return { ...message, body: Buffer.from(JSON.stringify(change(JSON.parse(message.body.toString())))) };
  } catch {
    return message;
  }
}

/** Changes every text in a value. */
export function everyText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => everyText(one, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, everyText(member, change)]));
}

export const creates = ({ method, path }: Asked): boolean => method === "POST" && path === "/api/v1/donations";

/** The idempotency key of a creation. */
export function keyOf(asked: Asked): string | null {
  if (!creates(asked)) return null;
  try {
    return JSON.parse(asked.body.toString()).idempotencyKey ?? null;
  } catch {
    return null;
  }
}
