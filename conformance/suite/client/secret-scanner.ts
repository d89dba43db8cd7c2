// Searches logs, answers and tables for secrets that must not be there.

/** Searches texts and bytes for a fixed set of secrets. `parts`: texts, Buffers and objects of them. */
export type SecretScanner = { findIn: (parts: readonly unknown[]) => string[] };

/** By its first characters: a text that reveals a secret, and the secret. */
type Needles = ReadonlyMap<string, [needle: string, secret: string][]>;

const windowLength = 16;
const hashedLength = 6;
const hashes = 2 ** 20;
const factor = 0x01000193;
const factorOfFirst = Array.from({ length: hashedLength - 1 }).reduce<number>((power) => Math.imul(power, factor), 1);

/** A secret is found as text, in bytes and as hexadecimal digits. */
export function secretScanner(secrets: readonly string[]): SecretScanner {
  const found = new Map<string, [needle: string, secret: string][]>();
  const likely = new Uint8Array(hashes);
  for (const [needle, secret] of secrets.flatMap(needles)) {
    const beginning = needle.slice(0, windowLength);
    found.set(beginning, [...(found.get(beginning) ?? []), [needle, secret]]);
    likely[placeOf(hashOf(needle))] = 1;
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
  for (const run of runs) {
    let hash = hashOf(run);
    for (let at = 0; at + windowLength <= run.length; at += 1) {
      if (likely[placeOf(hash)] !== 0)
        for (const [needle, secret] of found.get(run.slice(at, at + windowLength)) ?? []) if (run.startsWith(needle, at)) hits.add(secret);
      hash = moved(hash, run.charCodeAt(at), run.charCodeAt(at + hashedLength));
    }
  }
  return [...hits];
}

/** A hash of the first characters, from which that of the following place is computed by `moved`. */
function hashOf(text: string): number {
  let hash = 0;
  for (let index = 0; index < hashedLength; index += 1) hash = (Math.imul(hash, factor) + text.charCodeAt(index)) | 0;
  return hash;
}

/** The hash without the first character of its place, and with the one behind it. */
const moved = (hash: number, first: number, next: number): number => (Math.imul(hash - Math.imul(first, factorOfFirst), factor) + next) | 0;

/** A number below `hashes`. */
const placeOf = (hash: number): number => ((hash ^ (hash >>> 12)) >>> 0) % hashes;

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
