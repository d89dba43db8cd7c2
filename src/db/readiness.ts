// Whether the database answers, for /readyz. It is checked at most once a second, on a connection of its own.

export type ReadinessOptions = { freshMs?: number; timeoutMs?: number; now?: () => number };

/** The returned function answers null when the database is ready, otherwise what is missing. Calls within `freshMs` of a check share its outcome. */
export function makeReadiness(check: () => Promise<unknown>, options: ReadinessOptions = {}): () => Promise<string | null> {
  const { freshMs = 1_000, timeoutMs = 1_500, now = () => performance.now() } = options;
  let lastCheck: { missing: string | null; at: number } | null = null;
  let underWay: Promise<string | null> | null = null;

  const remember = (missing: string | null) => {
    lastCheck = { missing, at: now() };
    return missing;
  };
  const runCheck = async (): Promise<string | null> => {
    let timer: NodeJS.Timeout | undefined;
    const expired = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error("timeout")), timeoutMs);
    });
    try {
      await Promise.race([check(), expired]);
      return remember(null);
    } catch {
      return remember("database unavailable");
    } finally {
      clearTimeout(timer);
      underWay = null;
    }
  };
  return async () => (lastCheck && now() - lastCheck.at < freshMs ? lastCheck.missing : (underWay ??= runCheck()));
}
