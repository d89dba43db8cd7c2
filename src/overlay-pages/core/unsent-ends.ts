// Ends of playbacks that the server has not yet answered. They are stored beyond the life of their page: when it is reloaded while the
// server can't be reached, the alert must not be shown again, and its end must still be acknowledged.

export type UnsentEnds = {
  add: (playbackId: string) => void;
  settle: (playbackId: string) => void;
  /** Oldest first. */
  list: () => readonly string[];
};

/** Holds one text for each overlay key, shared by all pages of a browser. */
export type TextStorage = { read: () => string | null; write: (text: string) => void };

/** Older ends are dropped. */
const maxEnds = 50;

export function makeUnsentEnds({ read, write }: TextStorage): UnsentEnds {
  /** Without storage, an end is kept as long as its page. */
  const local = new Set<string>();
  const list = () => [...new Set([...parse(read()), ...local])].slice(-maxEnds);
  const save = (ids: readonly string[]) => write(JSON.stringify(ids));
  return {
    add: (playbackId) => {
      local.add(playbackId);
      for (const old of local) if (local.size > maxEnds) local.delete(old);
      save(list());
    },
    settle: (playbackId) => {
      local.delete(playbackId);
      const others = list().filter((id) => id !== playbackId);
      if (others.length < parse(read()).length) save(others);
    },
    list,
  };
}

/** Accepts any text, because another program may have written it. */
function parse(text: string | null): string[] {
  try {
    const parsed: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(parsed) ? parsed.filter((id) => typeof id === "string").slice(-maxEnds) : [];
  } catch {
    return [];
  }
}

/** The name under which they are stored. It holds a short checksum of the key, because the key is a secret and must not be stored. */
export function unsentEndsName(key: string): string {
  let sum = 0x811c9dc5; // FNV-1a
  for (const byte of new TextEncoder().encode(key)) sum = Math.imul(sum ^ byte, 0x01000193) >>> 0;
  return `overlay.unsettled.${sum.toString(16)}`;
}
