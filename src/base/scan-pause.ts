// How often a process looks for work that others have left. Such a scan reads all streamers, and each process does so.

export const minScanPauseMs = 2_000;
const maxScanPauseMs = 60_000;
/** A scan begins after so many times as long as the one before it took. */
const scanFactor = 50;

/** From the beginning of a scan to the next one. `isFull`: it found as many as it may, so it is repeated when these are done. */
export const scanPauseMs = (tookMs: number, isFull = false): number =>
  isFull ? minScanPauseMs : Math.min(maxScanPauseMs, Math.max(minScanPauseMs, scanFactor * tookMs));
