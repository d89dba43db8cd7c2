/** Searches texts and bytes for a fixed set of secrets. `parts`: texts, Buffers and objects of them. */
export type SecretScanner = { findIn: (parts: readonly unknown[]) => string[] };

/** By its first characters: a text that reveals a secret, and the secret. */
type Needles = ReadonlyMap<string, [needle: string, secret: string][]>;

const windowLength = 16;
const hashedLength = 6;
const hashes = 2 ** 20;

/** A secret is found as text, in bytes and as hexadecimal digits. */
export function secretScanner(secrets: readonly string[]): SecretScanner {
  const found = new Map<string, [needle: string, secret: string][]>();
  const likely = new Uint8Array(hashes);
  for (const [needle, secret] of secrets.flatMap(needles)) {
    const beginning = needle.slice(0, windowLength);
    found.set(beginning, [...(found.get(beginning) ?? []), [needle, secret]]);
    likely[hashAt(needle, 0)] = 1;
  }
  return { findIn: (parts) => findSecrets(runsOf(parts), found, likely) };
}

const runsOf = (parts: readonly unknown[]): ReadonlySet<string> =>
  new Set(parts.flatMap(texts).flatMap((text) => text.match(/[^\s"'\\,;:=&?/<>(){}[\]]{16,}/g) ?? []));

/**
 * Every run of characters is searched for the beginnings of all secrets at once, then for the secret itself. `likely` leaves out the
 * places whose first characters begin no secret: a run of the suite has megabytes of text and tens of thousands of secrets.
 */
function findSecrets(runs: ReadonlySet<string>, found: Needles, likely: Uint8Array): string[] {
  const hits = new Set<string>();
  for (const run of runs)
    for (let at = 0; at + windowLength <= run.length; at += 1) {
      if (likely[hashAt(run, at)] === 0) continue;
      for (const [needle, secret] of found.get(run.slice(at, at + windowLength)) ?? []) if (run.startsWith(needle, at)) hits.add(secret);
    }
  return [...hits];
}

/** A number below `hashes` of the characters at this place. */
function hashAt(text: string, at: number): number {
  let hash = 0;
  for (let index = at; index < at + hashedLength; index += 1) hash = (Math.imul(hash, 0x01000193) ^ text.charCodeAt(index)) >>> 0;
  return (hash ^ (hash >>> 12)) % hashes;
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
