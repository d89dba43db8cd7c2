// Limits the wait for an answer of Redis or the primary, so that a rate limit does not delay requests.

const storeTimeoutMs = 250;

/** Rejects when the answer takes longer than 250 ms. */
export async function withStoreTimeout<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${storeTimeoutMs} ms`)), storeTimeoutMs);
  });
  try {
    return await Promise.race([promise, expired]);
  } finally {
    clearTimeout(timer);
  }
}
