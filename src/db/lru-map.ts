// A map that drops the entries least recently used when all of them take more memory than its limit.

export type LruMap<Value> = Readonly<{
  /** The value of the key, which counts as used now; undefined when there is none. */
  use: (key: string) => Value | undefined;
  /** The value of the key, whose last use stays when it was. */
  peek: (key: string) => Value | undefined;
  /** Sets the value of the key, which counts as used now. `bytes`: about what it takes in memory. */
  set: (key: string, value: Value, bytes: number) => void;
  delete: (key: string) => void;
  keys: () => Iterable<string>;
}>;

/** `maxBytes`: the limit of all entries together. */
export function lruMap<Value>(maxBytes: number): LruMap<Value> {
  const entries = new Map<string, { value: Value; bytes: number }>(); // in the order of their last use
  let total = 0;

  const remove = (key: string) => {
    total -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };
  const append = (key: string, value: Value, bytes: number) => {
    remove(key);
    entries.set(key, { value, bytes });
    total += bytes;
  };

  return {
    use: (key) => {
      const entry = entries.get(key);
      if (entry) append(key, entry.value, entry.bytes);
      return entry?.value;
    },
    peek: (key) => entries.get(key)?.value,
    set: (key, value, bytes) => {
      append(key, value, bytes);
      for (const oldest of entries.keys()) {
        if (total <= maxBytes) break;
        remove(oldest);
      }
    },
    delete: remove,
    keys: () => entries.keys(),
  };
}
