import type { Rule, Run } from "./run.ts";

/** Returns the command that runs a failed rule again with the same values; for a mutant, the command that runs the mutant again. */
export function replayOf(rule: Rule, run: Pick<Run, "seed" | "profile" | "depth" | "lengthUnit" | "server" | "mutant">): string {
  const { seed, profile, depth, lengthUnit, server, mutant } = run;
  if (mutant !== null) return `make mutants MUTANTS=${shellWord(mutant)} SEED=${seed}`;
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

/** Returns the command that starts a server for the failed rule's request, with the key that the request needs; null: it runs elsewhere. */
export const startOf = ({ failure }: Rule, { mutant }: Pick<Run, "mutant">): string | null =>
  mutant === null ? (failure?.start ?? null) : null;

/** What stands beside the command of `startOf`. */
export const startHint = "start the server first; it prints a key: export API_KEY=…";

const shellWord = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
