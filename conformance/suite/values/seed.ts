// Reads the seed of a run.

/** `<seed>` or, to jump to one counterexample, `<seed>:<path>` as a failure prints it; without one, any seed. */
export function readSeed(text: string | undefined): { seed: number; path: string | null } {
  if (!text) return { seed: Math.floor(Math.random() * 2 ** 31), path: null };
  const [seed = "", ...path] = text.split(":");
  if (seed.trim() === "" || !Number.isInteger(Number(seed))) throw new Error(`SEED must be <number> or <number>:<path>, not "${text}"`);
  return { seed: Number(seed), path: path.length > 0 ? path.join(":") : null };
}

// Pseudo-random numbers from a seed.

/** Returns pseudo-random numbers in [0, 1), the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
