// Whether the database answers, for /readyz: asked so seldom, and on a connection of its own, that nobody is kept waiting by asking.

export type ReadinessOptions = { freshMs?: number; patienceMs?: number; now?: () => number };

/** Null: it answers; else what is missing. Whoever asks while a check is under way, or soon after one, shares its outcome. */
export function makeReadiness(check: () => Promise<unknown>, options: ReadinessOptions = {}): () => Promise<string | null> {
  const { freshMs = 1_000, patienceMs = 1_500, now = () => performance.now() } = options;
  let known: { missing: string | null; at: number } | null = null;
  let underWay: Promise<string | null> | null = null;

  const note = (missing: string | null) => {
    known = { missing, at: now() };
    return missing;
  };
  const look = async (): Promise<string | null> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error("late")), patienceMs);
    });
    try {
      await Promise.race([check(), late]);
      return note(null);
    } catch {
      return note("database unavailable");
    } finally {
      clearTimeout(timer);
      underWay = null;
    }
  };
  return async () => (known && now() - known.at < freshMs ? known.missing : (underWay ??= look()));
}
