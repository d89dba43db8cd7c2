// The durations that the overlay works with, in milliseconds. They are passed as an argument, so that tests need not wait.

export type Times = Readonly<{
  /** A player's lease, unless it is renewed. */
  leaseMs: number;
  /** Between two renewals of leases. */
  renewIntervalMs: number;
  /** From handing out a playback to the acknowledgement of its start. */
  startLimitMs: number;
  /** From the end of a player's lease during a playback to the player's return. */
  returnLimitMs: number;
  /** How much longer a playback may take than the streamer's maximum and its speech. */
  overrunMs: number;
  /** Assumed for speech of unknown length. */
  unknownSpeechMs: number;
  /** How long making speech may take; after that the alert plays without it. */
  speechLimitMs: number;
  /** Time without a connected player after which a waiting alert expires. */
  absenceLimitMs: number;
  /** Between two polls for changes that other processes made. */
  pollIntervalMs: number;
  /** Between two comments on a stream; the contract promises 15 s. */
  heartbeatIntervalMs: number;
  /** Between two sweeps for abandoned playbacks and expired alerts. */
  sweepIntervalMs: number;
  /** Between two steps of one streamer's queue that hints ask for. */
  hintIntervalMs: number;
  /** Between two readings of one streamer's widgets. */
  widgetIntervalMs: number;
  /** Until a step or reading that failed is tried again. */
  retryDelayMs: number;
}>;

export const defaultTimes: Times = {
  leaseMs: 8_000,
  renewIntervalMs: 2_500,
  startLimitMs: 10_000,
  returnLimitMs: 10_000,
  overrunMs: 30_000,
  unknownSpeechMs: 20_000,
  speechLimitMs: 6_000,
  absenceLimitMs: 600_000,
  pollIntervalMs: 1_000,
  heartbeatIntervalMs: 14_000,
  sweepIntervalMs: 2_000,
  hintIntervalMs: 40,
  widgetIntervalMs: 250,
  retryDelayMs: 1_000,
};
