import { createHash } from "node:crypto";

import type { Rule } from "./run.ts";

/** Where the same seed sends the same bytes. Elsewhere rules need what no seed decides, such as secrets and the time. */
const reproducible = ["interface", "derived"];

export type Digest = { folder: string; digest: string; requests: number };

/** Of each folder whose rules were run, what they sent: the order of rules and of requests does not count. */
export function digestsOf(rules: readonly Rule[]): Digest[] {
  return reproducible.flatMap((folder) => {
    const sent = rules.filter(({ family, requests }) => family.startsWith(`${folder}/`) && requests > 0);
    const lines = sent.map(({ family, title, requests, digest }) => `${family} > ${title}: ${requests} ${digest}`).sort();
    const digest = createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 16);
    return sent.length > 0 ? [{ folder, digest, requests: sent.reduce((total, rule) => total + rule.requests, 0) }] : [];
  });
}
