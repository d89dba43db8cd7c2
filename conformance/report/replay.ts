import { hasSources } from "../harness/server/sources.ts";
import type { Rule, Run } from "./run.ts";

/** Returns the command that runs a failed rule again with the same values; for a mutant, the command that runs the mutant again. */
export function replayOf(rule: Rule, run: Pick<Run, "seed" | "profile" | "depth" | "lengthUnit" | "server" | "mutant">): string {
  const { seed, profile, depth, lengthUnit, server, mutant } = run;
  if (mutant !== null) return `make mutants MUTANTS=${shellWord(mutant)} SEED=${seed}`;
  const options: [name: string, value: string][] = [
    ["url", server.ours ? "" : server.url],
    ["profile", profile === "contract" ? "" : profile],
    ["length-unit", profile === "contract" || lengthUnit === "all" ? "" : lengthUnit],
    ["depth", depth === "full" ? "" : depth],
    ["seed", rule.failure?.seed ?? String(seed)],
    ["only", rule.title],
  ];
  const given = options.filter(([, value]) => value !== "");
  if (!hasSources) return `npx namjai-conformance ${given.map(([name, value]) => `--${name} ${shellWord(value)}`).join(" ")}`;
  const variables = given.map(([name, value]) => `${name.toUpperCase().replace("-", "_")}=${shellWord(value)}`);
  return `make conformance ${variables.join(" ")}`;
}

/** Returns the command that starts a server for the failed rule's request, with the key that the request needs; null: it runs elsewhere. */
export const startOf = ({ failure }: Rule, { mutant }: Pick<Run, "mutant">): string | null =>
  mutant === null ? (failure?.start ?? null) : null;

/** What stands beside the command of `startOf`. */
export const startHint = "start the server first; it prints a key: export API_KEY=…";

const shellWord = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
