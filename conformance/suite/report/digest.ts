// Digests of what the rules have sent.

import { createHash } from "node:crypto";

import type { Rule } from "./run.ts";

/** Folders whose rules send the same bytes for the same seed. Rules of other folders send secrets and times, which no seed determines. */
const reproducibleFolders = ["interface", "derived"];

export type Digest = { folder: string; digest: string; requests: number };

/** Returns a digest of the bytes that the rules of each folder sent; the order of rules and requests does not change it. */
export function digestsOf(rules: readonly Rule[]): Digest[] {
  return reproducibleFolders.flatMap((folder) => {
    const sent = rules.filter(({ family, requests }) => family.startsWith(`${folder}/`) && requests > 0);
    const lines = sent.map(({ family, title, requests, digest }) => `${family} > ${title}: ${requests} ${digest}`).sort();
    const digest = createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 16);
    return sent.length > 0 ? [{ folder, digest, requests: sent.reduce((total, rule) => total + rule.requests, 0) }] : [];
  });
}
