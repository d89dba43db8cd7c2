import type { Rule, Run } from "./run.ts";

type Replayed = Pick<Run, "seed" | "profile" | "depth" | "lengthUnit" | "server">;

/** Returns the command that runs a failed rule again with the same values. */
export function replayOf(rule: Rule, { seed, profile, depth, lengthUnit, server }: Replayed): string {
  const options = [
    ...(server.ours ? [] : [`URL=${shellWord(server.url)}`]),
    ...(profile === "contract" ? [] : [`PROFILE=${profile}`]),
    ...(profile === "contract" || lengthUnit === "all" ? [] : [`LENGTH_UNIT=${lengthUnit}`]),
    ...(depth === "full" ? [] : [`DEPTH=${depth}`]),
    `SEED=${shellWord(rule.failure?.seed ?? String(seed))}`,
    `ONLY=${shellWord(rule.title.replaceAll("$", "$$$$"))}`,
  ];
  return `make conformance ${options.join(" ")}`;
}

const shellWord = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
