/** A place in which secrets are looked for. */
export type Haystack = { find: (secrets: readonly string[]) => string[] };

const window = 16;

/** Texts, Buffers and objects of them. A secret is found as it stands, in bytes, and as hexadecimal digits. */
export function haystack(parts: readonly unknown[]): Haystack {
  const runs = new Set(parts.flatMap(texts).flatMap((text) => text.match(/[^\s"'\\,;:=&?/<>(){}[\]]{16,}/g) ?? []));
  return { find: (secrets) => found(runs, secrets) };
}

/** Every run of characters is searched for the beginnings of all secrets at once, then for the secret itself. */
function found(runs: ReadonlySet<string>, secrets: readonly string[]): string[] {
  const beginnings = new Map<string, [needle: string, secret: string][]>();
  for (const [needle, secret] of secrets.flatMap(needles)) {
    const beginning = needle.slice(0, window);
    beginnings.set(beginning, [...(beginnings.get(beginning) ?? []), [needle, secret]]);
  }
  const hits = new Set<string>();
  for (const run of runs)
    for (let at = 0; at + window <= run.length; at += 1)
      for (const [needle, secret] of beginnings.get(run.slice(at, at + window)) ?? []) if (run.startsWith(needle, at)) hits.add(secret);
  return [...hits];
}

/** What gives a secret away: it, or of a JWT its signature, or of a key or token what follows the public prefix. */
function needles(secret: string): [needle: string, secret: string][] {
  const [, tail = secret] = /^eyJ[^.]*\.[^.]*\.(.+)$/.exec(secret) ?? /^[a-z0-9]+_[a-z]1_(?:.{8}(?=.{38}$))?(.+)$/.exec(secret) ?? [];
  const parts = tail.split(/[\s"'\\,;:=&?/<>(){}[\]]+/).filter((part) => part.length >= window);
  return parts.flatMap((part) => [part, Buffer.from(part).toString("hex")].map((needle): [string, string] => [needle, secret]));
}

function texts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Buffer.isBuffer(value)) return [value.toString("latin1")];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(texts);
}
