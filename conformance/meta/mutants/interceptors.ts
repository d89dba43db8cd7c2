// Interceptors: change requests and answers between suite and server, as gateways, caches and client libraries do.

import type { Answer, Interceptor, ProxiedRequest } from "./proxy.ts";

/** An interceptor that changes answers. */
export const changeAnswer =
  (change: (answer: Answer, request: ProxiedRequest) => Answer): (() => Interceptor) =>
  () =>
  async (request, send) =>
    change(await send(request), request);

/** An interceptor that changes requests. */
export const changeRequest =
  (change: (request: ProxiedRequest) => ProxiedRequest): (() => Interceptor) =>
  () =>
  (request, send) =>
    send(change(request));

/** An interceptor that removes a header from every answer, or from those to requests that `isMeant` says. */
export const removeHeader = (name: string, isMeant: (request: ProxiedRequest) => boolean = () => true): (() => Interceptor) =>
  changeAnswer(({ headers, ...answer }, request) => {
    const { [name]: _gone, ...others } = headers;
    return { ...answer, headers: isMeant(request) ? others : headers };
  });

/** An interceptor that caches answers under a key for `ms`; a request whose key is null is not cached. */
export const cacheAnswers =
  (cacheKeyOf: (request: ProxiedRequest) => string | null, ms = Number.POSITIVE_INFINITY): (() => Interceptor) =>
  () => {
    const cache = new Map<string, { answer: Answer; until: number }>();
    return async (request, send) => {
      const key = cacheKeyOf(request);
      const found = key === null ? undefined : cache.get(key);
      if (found && found.until > Date.now()) return found.answer;
      const answer = await send(request);
      if (key !== null) cache.set(key, { answer, until: Date.now() + ms });
      return answer;
    };
  };

/** Changes a JSON body; any other body stays unchanged. */
export function changeJson<T extends { body: Buffer }>(message: T, change: (value: unknown) => unknown): T {
  try {
    return { ...message, body: Buffer.from(JSON.stringify(change(JSON.parse(message.body.toString())))) };
  } catch {
    return message;
  }
}

/** Changes every string in a JSON value. */
export function changeTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => changeTexts(one, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, changeTexts(member, change)]));
}

export const isCreation = ({ method, path }: ProxiedRequest): boolean => method === "POST" && path === "/api/v1/donations";

/** Returns the idempotency key of a request that creates a donation; null for other requests. */
export function idempotencyKeyOf(request: ProxiedRequest): string | null {
  if (!isCreation(request)) return null;
  try {
    return JSON.parse(request.body.toString()).idempotencyKey ?? null;
  } catch {
    return null;
  }
}
