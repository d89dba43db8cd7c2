// Quotas of speech for one streamer, because an overlay that acknowledges alerts without showing them must not fill the database.

import { memoryBuckets } from "../http/rate-limits/memory-buckets.ts";

/** Bytes of audio that are stored for a streamer. */
export const maxStoredBytes = 50_000_000;

/** An overlay that plays its alerts needs no more, because each is shown for at least two seconds. */
const rate = { name: "speech", quota: 30, window: 60, burst: 30 };

/** Takes one from the streamer's quota, which each process counts by itself; false: it is used up. `now`: milliseconds that never go back. */
export function speechRate(now?: () => number): (streamerId: string) => Promise<boolean> {
  const buckets = memoryBuckets(now);
  return async (streamerId) => (await buckets.take(rate, streamerId)).allowed;
}
