// Token buckets. Most get their tokens back one by one (GCRA, ITU-T I.371); those that count failures, all at once at the end of a window.

export type Policy = Readonly<{
  name: string;
  /** `quota` tokens are added in `window` seconds; the bucket holds at most `burst`. */
  quota: number;
  window: number;
  burst: number;
  /** All tokens come back `window` seconds after the first was taken. Such a bucket holds its `quota`. */
  refillsAtOnce?: true;
  /** The bucket of all credentials of a streamer together. */
  ofStreamer?: Policy;
}>;

/** What is stored of a bucket: when it will be full again, by the clock of `now`, and of one that refills at once the tokens that are taken. */
export type Stored = Readonly<{ fullAt: number; used: number }>;

export type Taken = Stored &
  Readonly<{
    allowed: boolean;
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

/** A bucket (without `fullAt`: a full one), the present time in milliseconds, and the tokens to take, one by default. */
type Draw = Readonly<{ fullAt: number | undefined; used?: number; now: number; tokens?: number }>;

/** Takes all the tokens, or none. More tokens than `burst` count as `burst`; negative ones are given back. */
export function take(policy: Policy, { fullAt, used = 0, now, tokens = 1 }: Draw): Taken {
  if (policy.refillsAtOnce) return takeOfWindow(policy, { fullAt, used, now, tokens });
  const perToken = tokenMs(policy);
  const before = Math.max(fullAt ?? now, now);
  const after = before + Math.min(tokens, policy.burst) * perToken;
  const tooMuch = after - now - policy.burst * perToken;
  const allowed = tooMuch <= slackMs;
  const wait = allowed ? 0 : Math.max(1, Math.ceil((tooMuch - slackMs) / 1000));
  return { allowed, wait, ...state(policy, { fullAt: allowed ? after : before, used: 0 }, now) };
}

function takeOfWindow(policy: Policy, { fullAt = 0, used, now, tokens }: Required<Draw>): Taken {
  const isOpen = fullAt > now;
  const before = isOpen ? used : 0;
  const after = Math.max(0, before + tokens);
  const allowed = after <= policy.burst;
  const end = isOpen ? fullAt : now + policy.window * 1000;
  const left = state(policy, { fullAt: end, used: allowed ? after : before }, now);
  return { allowed, wait: allowed ? 0 : left.nextIn, ...left };
}

/** Computes the state of a bucket without taking tokens. */
export function state(policy: Policy, { fullAt, used }: Stored, now: number): State {
  if (policy.refillsAtOnce) {
    const open = fullAt > now ? used : 0;
    return { fullAt, used: open, remaining: policy.burst - open, nextIn: secondsFrom(fullAt - now) };
  }
  const perToken = tokenMs(policy);
  const missingMs = Math.max(0, fullAt - now);
  const remaining = Math.max(0, Math.floor(policy.burst - (missingMs - slackMs) / perToken));
  const oneMoreIn = missingMs - (policy.burst - remaining - 1) * perToken;
  return { fullAt, used: 0, remaining: Math.min(policy.burst, remaining), nextIn: secondsFrom(oneMoreIn) };
}

function secondsFrom(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

/** Allows `quota` failures in `window` seconds from the first on. */
export function failureLimit(name: string, { quota, window }: Pick<Policy, "quota" | "window">): Policy {
  return { name, quota, window, burst: quota, refillsAtOnce: true };
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
const full = { fullAt: undefined, used: 0 };

/** Buckets in the memory of this process. `now`: a clock in milliseconds that never goes back. */
export function memoryBuckets(now: () => number = () => performance.now()): MemoryBuckets {
  const buckets = new Map<string, Stored>();
  let sweptAt = now();

  /** Removes full buckets, which are the same as absent ones. */
  const sweep = (at: number) => {
    if (at - sweptAt < sweepMs) return;
    sweptAt = at;
    for (const [name, { fullAt }] of buckets) if (fullAt <= at) buckets.delete(name);
  };

  return {
    take: (policy, key, tokens) => {
      const at = now();
      sweep(at);
      const name = `${policy.name} ${key}`;
      const { fullAt, used } = buckets.get(name) ?? full;
      const taken = take(policy, { fullAt, used, now: at, tokens });
      buckets.set(name, taken);
      return taken;
    },
    peek: (policy, key) => {
      const at = now();
      return state(policy, buckets.get(`${policy.name} ${key}`) ?? { fullAt: at, used: 0 }, at);
    },
  };
}
