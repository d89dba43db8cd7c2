// The server's overlay operations, called with an overlay key.

import type { Acknowledgement } from "./acknowledgements.ts";
import type { Answer } from "./connection.ts";

export type StreamQuery = Readonly<{ player: string; plays: boolean; playing: string | null }>;

export type OverlayApi = {
  /** Rejects when the server can't be reached. */
  stream: (query: StreamQuery, signal: AbortSignal) => Promise<Answer>;
  /** Resolves to the answer's status. */
  acknowledge: (acknowledgement: Acknowledgement, player: string) => Promise<number>;
};

/** Milliseconds that an acknowledgement may take. */
const acknowledgementLimit = 10_000;

/** `address`: that of the API, with a slash at its end. */
export function overlayApi(address: string, key: string): OverlayApi {
  const common = { cache: "no-store", credentials: "omit", redirect: "error" } as const;
  const headers = { Authorization: `Bearer ${key}` };
  return {
    stream: async ({ player, plays, playing }, signal) => {
      const query = new URLSearchParams({ player, plays: String(plays), ...(playing !== null && { playing }) });
      const response = await fetch(`${address}overlay/stream?${query}`, {
        ...common,
        headers: { ...headers, Accept: "text/event-stream" },
        signal,
      });
      return answerOf(response);
    },
    acknowledge: async ({ playbackId, step }, player) => {
      const { status } = await fetch(`${address}overlay/playbacks/${encodeURIComponent(playbackId)}/${step}`, {
        ...common,
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json" },
        body: JSON.stringify({ player }),
        keepalive: true, // goes out even when the last page is closed now
        signal: AbortSignal.timeout(acknowledgementLimit),
      });
      return status;
    },
  };
}

function answerOf({ status, headers, body }: Response): Answer {
  const reader = body?.getReader();
  return {
    status,
    retryAfter: Number(headers.get("Retry-After")) || 0,
    read: async () => (await reader?.read())?.value ?? null,
  };
}
