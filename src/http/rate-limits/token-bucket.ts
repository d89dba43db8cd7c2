// Token buckets, each stored as one number: the time at which it will be full again (GCRA, ITU-T I.371).

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
type Draw = Readonly<{ fullAt: number | undefined; now: number; tokens?: number }>;

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

/** Numbers that the operator set, by policy. */
type LimitOverrides = Readonly<Record<string, Omit<Policy, "name">>>;

/** `x-rate-limits` of the contract. `perStreamer`: how many times as much all credentials of a streamer may take together. */
export type PublishedLimits = Readonly<Record<string, Omit<Policy, "name"> & { perStreamer?: number }>>;

/** The rate limits of the contract, with the numbers that the operator set. Throws an Error that names a policy which the contract does not have. */
export function policiesOf(published: PublishedLimits, overrides: LimitOverrides): Policy[] {
  for (const name of Object.keys(overrides))
    if (!published[name]) throw new Error(`RATE_LIMITS names "${name}"; there are ${Object.keys(published).join(", ")}`);
  return Object.entries(published).map(([name, { perStreamer, ...limit }]) => {
    const { quota, window, burst } = overrides[name] ?? limit;
    const policy = { name, quota, window, burst };
    return perStreamer === undefined ? policy : { ...policy, ofStreamer: multiplied(policy, perStreamer) };
  });
}

function multiplied({ name, quota, window, burst }: Policy, times: number): Policy {
  return { name: `${name}-streamer`, quota: quota * times, window, burst: burst * times };
}

export type Buckets = {
  /** Takes tokens, one by default. */
  take: (policy: Policy, key: string, tokens?: number) => Taken | Promise<Taken>;
  /** Reads the state of the bucket without taking tokens. */
  peek: (policy: Policy, key: string) => State | Promise<State>;
};

/** Buckets that answer at once. */
type MemoryBuckets = { take: (policy: Policy, key: string, tokens?: number) => Taken; peek: (policy: Policy, key: string) => State };

const sweepMs = 10_000;

/** Buckets in the memory of this process. `now`: a clock in milliseconds that never goes back. */
export function memoryBuckets(now: () => number = () => performance.now()): MemoryBuckets {
  const fullAt = new Map<string, number>();
  let sweptAt = now();

  /** Removes full buckets, which are the same as absent ones. */
  const sweep = (at: number) => {
    if (at - sweptAt < sweepMs) return;
    sweptAt = at;
    for (const [name, full] of fullAt) if (full <= at) fullAt.delete(name);
  };

  return {
    take: (policy, key, tokens) => {
      const at = now();
      sweep(at);
      const name = `${policy.name} ${key}`;
      const taken = take(policy, { fullAt: fullAt.get(name), now: at, tokens });
      fullAt.set(name, taken.fullAt);
      return taken;
    },
    peek: (policy, key) => {
      const at = now();
      return state(policy, fullAt.get(`${policy.name} ${key}`) ?? at, at);
    },
  };
}
