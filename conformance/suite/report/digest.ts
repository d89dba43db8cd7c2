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

// A digest of a failure that is the same for every seed: of the rule and of the kind of failure, not of values, ids or texts.

/** Rule file and title. */
export const nameOf = ({ family, title }: Pick<Rule, "family" | "title">): string => `${family} > ${title}`;

/** 16 hexadecimal digits; the same rule that fails in the same way has the same digest. */
export const digestOfFailure = (rule: Pick<Rule, "family" | "title" | "failure">): string =>
  createHash("sha256")
    .update(`${nameOf(rule)}\n${kindOf(rule)}`)
    .digest("hex")
    .slice(0, 16);

const undocumented = "was answered as the contract does not say";

/** How a rule failed, in words that no random value enters: the class of the last answer, unless another answer says more. */
export function kindOf({ failure }: Pick<Rule, "failure">): string {
  const statuses = (failure?.exchanges ?? []).map(({ status }) => status);
  const text = failure?.reason ?? failure?.message ?? "";
  if (statuses.some((status) => status !== null && status >= 500)) return "server error";
  if (text.includes(undocumented)) return "answer that the contract does not describe";
  if (text.includes("fails only while")) return "fails only under concurrency";
  if (text.includes("was not tried where it matters")) return "edge case never tried";
  const last = statuses.at(-1);
  if (last === undefined) return "no request";
  if (last === null) return "no answer";
  return last < 300 ? "wrong answer: accepted" : last < 400 ? "wrong answer: redirected" : "wrong answer: refused";
}
