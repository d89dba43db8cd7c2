// Limits the wait for an answer of Redis or the primary, so that a rate limit does not delay requests.

/** Rejects when the answer takes longer. What has arrived while this process was busy is read first. */
export async function withStoreTimeout<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    const late = () => reject(new Error(`no answer within ${timeoutMs} ms`));
    timer = setTimeout(() => setImmediate(late), timeoutMs); // timers run before arrived answers are read, immediates after them
  });
  try {
    return await Promise.race([promise, expired]);
  } finally {
    clearTimeout(timer);
  }
}
