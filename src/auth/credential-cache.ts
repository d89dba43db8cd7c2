// A bounded cache of verified credentials, so that a repeated credential needs neither the database nor a signature check.

import { hash } from "node:crypto";
import { Problem } from "../http/problem.ts";
import type { CredentialChanges } from "./revocation-feed.ts";
import type { VerifiedCredential } from "./verify-credential.ts";

export type CredentialCache = Readonly<{
  /** What was verified since the last revocation anywhere; null: verify the token again. */
  getCurrent: (token: string) => VerifiedCredential | null;
  /** What was verified last, possibly before a revocation. */
  getLast: (token: string) => VerifiedCredential | null;
  /** The cached credential, or else what `verify` resolves to, which is cached. */
  getOrVerify: (token: string, verify: (token: string) => Promise<VerifiedCredential>) => Promise<VerifiedCredential>;
  /** Every entry must be verified again before its next use. */
  invalidate: () => void;
}>;

type Entry = Readonly<{ verified: VerifiedCredential; generation: number }>;

const maxEntries = 10_000;

export function credentialCache(changes: () => Pick<CredentialChanges, "version">): CredentialCache {
  const entries = new Map<string, Entry>();
  let generation = 0;
  const keyOf = (token: string) => hash("sha256", token);

  const getCurrent = (token: string) => {
    const entry = entries.get(keyOf(token));
    return entry?.generation === generation ? entry.verified : null;
  };

  return {
    getCurrent,
    getLast: (token) => entries.get(keyOf(token))?.verified ?? null,
    getOrVerify: async (token, verify) => {
      const cached = getCurrent(token);
      if (cached) return cached;
      const { version } = changes();
      const [versionBefore, generationBefore] = [version(), generation];
      try {
        const verified = await verify(token);
        // A result that was read before a revocation arrived must not be cached after it.
        if (version() === versionBefore) insert(entries, keyOf(token), { verified, generation: generationBefore });
        return verified;
      } catch (error) {
        if (error instanceof Problem) entries.delete(keyOf(token));
        throw error;
      }
    },
    invalidate: () => {
      generation += 1;
    },
  };
}

/** Drops the oldest entry of a full cache; a Map keeps the order of insertion. */
function insert(entries: Map<string, Entry>, key: string, entry: Entry): void {
  if (entries.size >= maxEntries && !entries.has(key)) entries.delete(entries.keys().next().value as string);
  entries.set(key, entry);
}
