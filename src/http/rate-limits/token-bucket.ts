// A token bucket as one number: the time at which it will be full again (GCRA, ITU-T I.371). Pure.

export type Policy = Readonly<{
  name: string;
  /** Tokens that flow in during `window` seconds, and how many fit in. */
  quota: number;
  window: number;
  burst: number;
  /** The bucket of all credentials of a streamer together. */
  ofStreamer?: Policy;
}>;

export type Taken = Readonly<{
  allowed: boolean;
  /** When the bucket will be full again, in the clock of `now`; keep it for the next time. */
  fullAt: number;
  /** Whole tokens left. */
  remaining: number;
  /** Seconds until there is one more, rounded up. */
  nextIn: number;
  /** Seconds after which what was refused is allowed, rounded up; 0 where it was allowed. */
  wait: number;
}>;

/** A bucket that was looked at. */
export type State = Omit<Taken, "allowed" | "wait">;

/** Floating point: a bucket that misses exactly n tokens must not seem to miss a little more. */
const slackMs = 0.001;

/** When a bucket was full before, undefined if it is; and what it is asked for now (milliseconds). */
export type Draw = Readonly<{ fullAt: number | undefined; now: number; tokens?: number }>;

/** Takes all the tokens, or none. Whoever asks for more than fit in takes a full bucket. */
export function take(policy: Policy, { fullAt, now, tokens = 1 }: Draw): Taken {
  const perToken = tokenMs(policy);
  const before = Math.max(fullAt ?? now, now);
  const after = before + Math.min(tokens, policy.burst) * perToken;
  const tooMuch = after - now - policy.burst * perToken;
  const allowed = tooMuch <= slackMs;
  const wait = allowed ? 0 : Math.max(1, Math.ceil((tooMuch - slackMs) / 1000));
  return { allowed, wait, ...state(policy, allowed ? after : before, now) };
}

/** How full it is, without taking any. */
export function state(policy: Policy, fullAt: number, now: number): State {
  const perToken = tokenMs(policy);
  const missingMs = Math.max(0, fullAt - now);
  const remaining = Math.max(0, Math.floor(policy.burst - (missingMs - slackMs) / perToken));
  const oneMoreIn = missingMs - (policy.burst - remaining - 1) * perToken;
  return { fullAt, remaining: Math.min(policy.burst, remaining), nextIn: Math.max(1, Math.ceil(oneMoreIn / 1000)) };
}

/** How long one token takes to flow in, in milliseconds. */
export function tokenMs({ quota, window }: Policy): number {
  return (window * 1000) / quota;
}
