/** Searches a fixed set of texts and bytes for secrets. */
export type SecretScanner = { find: (secrets: readonly string[]) => string[] };

const windowLength = 16;

/** `parts`: texts, Buffers and objects of them. A secret is found as text, in bytes and as hexadecimal digits. */
export function secretScanner(parts: readonly unknown[]): SecretScanner {
  const runs = new Set(parts.flatMap(texts).flatMap((text) => text.match(/[^\s"'\\,;:=&?/<>(){}[\]]{16,}/g) ?? []));
  return { find: (secrets) => findSecrets(runs, secrets) };
}

/** Every run of characters is searched for the beginnings of all secrets at once, then for the secret itself. */
function findSecrets(runs: ReadonlySet<string>, secrets: readonly string[]): string[] {
  const beginnings = new Map<string, [needle: string, secret: string][]>();
  for (const [needle, secret] of secrets.flatMap(needles)) {
    const beginning = needle.slice(0, windowLength);
    beginnings.set(beginning, [...(beginnings.get(beginning) ?? []), [needle, secret]]);
  }
  const hits = new Set<string>();
  for (const run of runs)
    for (let at = 0; at + windowLength <= run.length; at += 1)
      for (const [needle, secret] of beginnings.get(run.slice(at, at + windowLength)) ?? [])
        if (run.startsWith(needle, at)) hits.add(secret);
  return [...hits];
}

/** The texts that reveal a secret: itself, the signature of a JWT, or what follows the public prefix of a key or token. */
function needles(secret: string): [needle: string, secret: string][] {
  const [, tail = secret] = /^eyJ[^.]*\.[^.]*\.(.+)$/.exec(secret) ?? /^[a-z0-9]+_[a-z]1_(?:.{8}(?=.{38}$))?(.+)$/.exec(secret) ?? [];
  const parts = tail.split(/[\s"'\\,;:=&?/<>(){}[\]]+/).filter((part) => part.length >= windowLength);
  return parts.flatMap((part) => [part, Buffer.from(part).toString("hex")].map((needle): [string, string] => [needle, secret]));
}

function texts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Buffer.isBuffer(value)) return [value.toString("latin1")];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(texts);
}
