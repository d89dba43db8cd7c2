// Reads the seed of a run.

/** `<seed>` or, to jump to one counterexample, `<seed>:<path>` as a failure prints it; without one, any seed. */
export function readSeed(text: string | undefined): { seed: number; path: string | null } {
  if (!text) return { seed: Math.floor(Math.random() * 2 ** 31), path: null };
  const [seed = "", ...path] = text.split(":");
  if (seed.trim() === "" || !Number.isInteger(Number(seed))) throw new Error(`SEED must be <number> or <number>:<path>, not "${text}"`);
  return { seed: Number(seed), path: path.length > 0 ? path.join(":") : null };
}
