// How long things take at most, in milliseconds. Handed in, so that tests need not wait.

export type Times = Readonly<typeof usualTimes>;

export const usualTimes = {
  /** A player's lease, unless renewed. */
  lease: 8_000,
  /** Between two renewals. */
  renew: 2_500,
  /** A player that was handed a playback says that it has begun. */
  start: 10_000,
  /** A player that went away in mid-play comes back. */
  comeBack: 10_000,
  /** What a playback may take beyond the streamer's maximum and its speech. */
  overrun: 30_000,
  /** Speech of unknown length. */
  unknownSpeech: 20_000,
  /** Speech is made, or the alert plays without it. */
  prepare: 6_000,
  /** Time without a connected player after which an alert is no news any more. */
  absence: 600_000,
  /** Between two looks for what other processes changed. */
  poll: 1_000,
  /** Between two comments on a stream; the contract promises 15 s. */
  heartbeat: 14_000,
  /** Between two looks for what was left behind. */
  sweep: 2_000,
  /** Between two steps of one streamer that hints ask for. */
  hintRest: 40,
  /** Between two readings of one streamer's widgets. */
  widgetRest: 250,
  /** Until a step that failed is tried again. */
  retry: 1_000,
};
