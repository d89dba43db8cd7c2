// Limits the imports that are sent line by line, and those of files: each keeps a connection or memory for as long as it lasts.

import { type Problem, rateLimited } from "../../http/problem.ts";

type StreamLimits = Readonly<{ perStreamer: number; inAll: number }>;

/** `lost`: aborted when the place was given to a streamer with fewer. `noteUse`: the sender has sent a donation. */
export type StreamSlot = Readonly<{ release: () => void; lost: AbortSignal; noteUse: () => void }>;

type OpenSlot = { streamerId: string; usedAt: number; lost: AbortController };

/** Admits so many at once, of one streamer and in all, and returns the function that ends one. Throws rate_limited. */
export function streamSlots({ perStreamer, inAll }: StreamLimits): (streamerId: string) => () => void {
  const open = new Map<symbol, string>();
  return (streamerId) => {
    const own = [...open.values()].filter((other) => other === streamerId).length;
    if (own >= perStreamer || open.size >= inAll) throw tooMany();
    const slot = Symbol();
    open.set(slot, streamerId);
    return () => void open.delete(slot);
  };
}

/**
 * As `streamSlots`, for streams that last as long as their sender likes: when all places are taken, the streamer who has most of them loses
 * one to a streamer who then still has no more. It is the one that has sent no donation for longest.
 */
export function sharedStreamSlots({ perStreamer, inAll }: StreamLimits): (streamerId: string) => StreamSlot {
  const open = new Set<OpenSlot>();
  const of = (streamerId: string) => [...open].filter((slot) => slot.streamerId === streamerId);
  return (streamerId) => {
    const own = of(streamerId).length;
    if (own >= perStreamer) throw tooMany();
    if (open.size >= inAll) {
      const most = [...open].map((slot) => of(slot.streamerId)).reduce((best, slots) => (slots.length > best.length ? slots : best));
      if (most.length < own + 2) throw tooMany();
      const [idlest] = most.sort((a, b) => a.usedAt - b.usedAt) as [OpenSlot];
      open.delete(idlest);
      idlest.lost.abort();
    }
    const slot: OpenSlot = { streamerId, usedAt: performance.now(), lost: new AbortController() };
    open.add(slot);
    return {
      release: () => void open.delete(slot),
      lost: slot.lost.signal,
      noteUse: () => {
        slot.usedAt = performance.now();
      },
    };
  };
}

function tooMany(): Problem {
  return rateLimited("As many imports as are allowed at once are being sent.", 1);
}
