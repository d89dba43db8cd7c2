// Ends that the server is not known to have heard. They outlive their page: whoever reloads it while the server is away must not see
// the alert again, nor lose that it was shown.

export type Unsettled = {
  add: (playbackId: string) => void;
  settle: (playbackId: string) => void;
  /** Oldest first. */
  list: () => readonly string[];
};

/** One text for each overlay key, which all pages of a browser share. */
export type Kept = { read: () => string | null; write: (text: string) => void };

/** An end that is not heard within so many others will not be. */
const most = 50;

export function makeUnsettled({ read, write }: Kept): Unsettled {
  /** Where storage is switched off, an end lasts as long as its page. */
  const own = new Set<string>();
  const list = () => [...new Set([...parse(read()), ...own])].slice(-most);
  const keep = (ids: readonly string[]) => write(JSON.stringify(ids));
  return {
    add: (playbackId) => {
      own.add(playbackId);
      for (const old of own) if (own.size > most) own.delete(old);
      keep(list());
    },
    settle: (playbackId) => {
      own.delete(playbackId);
      const others = list().filter((id) => id !== playbackId);
      if (others.length < parse(read()).length) keep(others);
    },
    list,
  };
}

/** Whatever stands there: another program may have written it. */
function parse(text: string | null): string[] {
  try {
    const found: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(found) ? found.filter((id) => typeof id === "string").slice(-most) : [];
  } catch {
    return [];
  }
}

/** The name under which they are kept. A short sum of the key, because the key itself is a secret and belongs into no storage. */
export function nameOfUnsettled(key: string): string {
  let sum = 0x811c9dc5; // FNV-1a
  for (const byte of new TextEncoder().encode(key)) sum = Math.imul(sum ^ byte, 0x01000193) >>> 0;
  return `overlay.unsettled.${sum.toString(16)}`;
}
