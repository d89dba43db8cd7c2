// A token bucket as one number: the time at which it will be full again (GCRA, ITU-T I.371). Pure.

export type Policy = Readonly<{
  name: string;
  /** Tokens that flow in during `window` seconds, and how many fit in. */
  quota: number;
  window: number;
  burst: number;
}>;

export type Taken = Readonly<{
  allowed: boolean;
  /** When the bucket will be full again, in the clock of `now`; keep it for the next time. */
  fullAt: number;
  /** Whole tokens left. */
  remaining: number;
  /** Seconds until there is one more, rounded up. */
  nextIn: number;
}>;

/** Floating point: a bucket that misses exactly n tokens must not seem to miss a little more. */
const slackMs = 0.001;

/** Takes a token at `now` (milliseconds). `fullAt` is what the bucket's last call said; undefined is a full one. */
export function take(policy: Policy, fullAt: number | undefined, now: number): Taken {
  const perToken = tokenMs(policy);
  const before = Math.max(fullAt ?? now, now);
  const after = before + perToken;
  const allowed = after - now <= policy.burst * perToken + slackMs;
  return { allowed, ...state(policy, allowed ? after : before, now) };
}

/** How full it is, without taking any. */
export function state(policy: Policy, fullAt: number, now: number): Omit<Taken, "allowed"> {
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
