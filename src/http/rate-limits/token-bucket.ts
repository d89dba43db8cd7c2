// The token bucket, stored as one number: the time at which it will be full again (GCRA, ITU-T I.371). Pure.

export type Policy = Readonly<{
  name: string;
  /** `quota` tokens are added in `window` seconds; the bucket holds at most `burst`. */
  quota: number;
  window: number;
  burst: number;
  /** The bucket of all credentials of a streamer together. */
  ofStreamer?: Policy;
}>;

export type Taken = Readonly<{
  allowed: boolean;
  /** When the bucket will be full again, by the clock of `now`; the next call needs it. */
  fullAt: number;
  /** Whole tokens left. */
  remaining: number;
  /** Seconds until there is one more token, rounded up. */
  nextIn: number;
  /** Seconds after which a refused request is allowed, rounded up; 0 when it was allowed. */
  wait: number;
}>;

/** The state of a bucket. */
export type State = Omit<Taken, "allowed" | "wait">;

/** Tolerance of floating-point numbers: a bucket without exactly n tokens must not seem to lack a little more. */
const slackMs = 0.001;

/** When the bucket will be full (undefined: it is), the present time in milliseconds, and the tokens to take, one by default. */
export type Draw = Readonly<{ fullAt: number | undefined; now: number; tokens?: number }>;

/** Takes all the tokens, or none. More tokens than `burst` count as `burst`. */
export function take(policy: Policy, { fullAt, now, tokens = 1 }: Draw): Taken {
  const perToken = tokenMs(policy);
  const before = Math.max(fullAt ?? now, now);
  const after = before + Math.min(tokens, policy.burst) * perToken;
  const tooMuch = after - now - policy.burst * perToken;
  const allowed = tooMuch <= slackMs;
  const wait = allowed ? 0 : Math.max(1, Math.ceil((tooMuch - slackMs) / 1000));
  return { allowed, wait, ...state(policy, allowed ? after : before, now) };
}

/** Computes the state of a bucket without taking tokens. */
export function state(policy: Policy, fullAt: number, now: number): State {
  const perToken = tokenMs(policy);
  const missingMs = Math.max(0, fullAt - now);
  const remaining = Math.max(0, Math.floor(policy.burst - (missingMs - slackMs) / perToken));
  const oneMoreIn = missingMs - (policy.burst - remaining - 1) * perToken;
  return { fullAt, remaining: Math.min(policy.burst, remaining), nextIn: Math.max(1, Math.ceil(oneMoreIn / 1000)) };
}

/** Milliseconds in which one token is added. */
export function tokenMs({ quota, window }: Policy): number {
  return (window * 1000) / quota;
}
