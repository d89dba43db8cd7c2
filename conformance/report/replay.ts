import type { Rule, Run } from "./run.ts";

/** Returns the command that runs a failed rule again with the same values. */
export function replayOf(rule: Rule, { seed, profile, depth, server }: Pick<Run, "seed" | "profile" | "depth" | "server">): string {
  const options = [
    ...(server.ours ? [] : [`URL=${shellWord(server.url)}`]),
    ...(profile === "contract" ? [] : [`PROFILE=${profile}`]),
    ...(depth === "full" ? [] : [`DEPTH=${depth}`]),
    `SEED=${shellWord(rule.failure?.seed ?? String(seed))}`,
    `ONLY=${shellWord(rule.title.replaceAll("$", "$$$$"))}`,
  ];
  return `make conformance ${options.join(" ")}`;
}

const shellWord = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
