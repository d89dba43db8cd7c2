// Limits the imports that are sent line by line: each keeps a connection for as long as its sender likes.

import { Problem } from "../../http/problem.ts";

const retryAfterSeconds = 1;

/** Admits so many at once, of one streamer and in all, and returns the function that ends one. Throws rate_limited. */
export function streamSlots({ perStreamer, inAll }: { perStreamer: number; inAll: number }): (streamerId: string) => () => void {
  const open = new Map<symbol, string>();
  return (streamerId) => {
    const own = [...open.values()].filter((other) => other === streamerId).length;
    if (own >= perStreamer || open.size >= inAll)
      throw new Problem("rate_limited", "As many imports as are allowed at once are being sent.", {
        headers: { "Retry-After": String(retryAfterSeconds) },
      });
    const slot = Symbol();
    open.set(slot, streamerId);
    return () => void open.delete(slot);
  };
}
