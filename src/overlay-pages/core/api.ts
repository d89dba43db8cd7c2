// Calls the server's overlay operations with an overlay key. The events of the stream and their data are those of the contract.

import type { components } from "../../../generated/api.d.ts";
import type { Acknowledgement } from "./acknowledgements.ts";
import type { StreamResponse } from "./connection.ts";

export type StreamQuery = Readonly<{ player: string; plays: boolean; playing: string | null; isInObs: boolean; isActive: boolean }>;

export type OverlayApi = {
  /** Rejects when the server can't be reached. */
  stream: (query: StreamQuery, signal: AbortSignal) => Promise<StreamResponse>;
  /** Resolves to the response's status; rejects when there is no response. */
  acknowledge: (acknowledgement: Acknowledgement, player: string) => Promise<number>;
};

/** How long an acknowledgement may take. */
const acknowledgementLimitMs = 10_000;

/** `address`: the API's address, with a slash at its end. */
export function overlayApi(address: string, key: string): OverlayApi {
  const common = { cache: "no-store", credentials: "omit", redirect: "error" } as const;
  const headers = { Authorization: `Bearer ${key}` };
  return {
    stream: async ({ player, plays, playing, isInObs, isActive }, signal) => {
      const page = { client: isInObs ? "obs" : "browser", active: String(isActive) };
      const query = new URLSearchParams({ player, plays: String(plays), ...(plays && page), ...(playing !== null && { playing }) });
      const response = await fetch(`${address}overlay/stream?${query}`, {
        ...common,
        headers: { ...headers, Accept: "text/event-stream" },
        signal,
      });
      return toStreamResponse(response);
    },
    acknowledge: async ({ playbackId, step }, player) => {
      const { status } = await fetch(`${address}overlay/playbacks/${encodeURIComponent(playbackId)}/${step}`, {
        ...common,
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json" },
        body: JSON.stringify({ player }),
        keepalive: true, // is sent even if the last page is closed now
        signal: AbortSignal.timeout(acknowledgementLimitMs),
      });
      return status;
    },
  };
}

function toStreamResponse({ status, headers, body }: Response): StreamResponse {
  const reader = body?.getReader();
  return {
    status,
    retryAfter: Number(headers.get("Retry-After")) || 0,
    read: async () => (await reader?.read())?.value ?? null,
  };
}

type Schemas = components["schemas"];

export type Playback = Schemas["Playback"];
export type PageSettings = Schemas["PageSettings"];
export type OverlaySound = Schemas["OverlaySound"];
export type Role = Schemas["PlayerRole"];
export type Widgets = Schemas["Widgets"];
export type WidgetSettings = Schemas["WidgetSettings"];
export type StreamEvent = Schemas["OverlayEvent"];
