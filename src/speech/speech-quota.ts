// What one streamer's alerts may have spoken: an overlay that claims to have shown whatever it is given must not fill the database.

import { memoryBuckets } from "../http/rate-limits/memory-buckets.ts";

/** Bytes of audio that are kept for a streamer. */
export const maxKeptBytes = 50_000_000;

/** No overlay that really plays its alerts needs more: each is shown for two seconds at least. */
const rate = { name: "speech", quota: 30, window: 60, burst: 30 };

/** Whether one more may be made for the streamer; counted by each process. `now` in milliseconds, never going back. */
export function speechRate(now?: () => number): (streamerId: string) => Promise<boolean> {
  const buckets = memoryBuckets(now);
  return async (streamerId) => (await buckets.take(rate, streamerId)).allowed;
}
