// The commands that run a failed rule again.

import { shellWord } from "../client/launches.ts";
import { hasSources } from "../contract/sources.ts";
import type { Rule, Run } from "./run.ts";

type ReplayedRun = Pick<Run, "seed" | "profile" | "depth" | "lengthUnit" | "server" | "mutant" | "options">;

/** Profile of a run that tests a receiver of webhooks instead of a server. */
export const receiverProfile = "receiver";

/** Returns the command that runs a failed rule again with the same values; for a mutant, the command that runs the mutant again. */
export function replayOf(rule: Rule, run: ReplayedRun): string {
  const { seed, profile, depth, lengthUnit, server, mutant, options: given } = run;
  if (profile === receiverProfile)
    return `${hasSources ? "npm run conformance --" : "npx namjai-conformance"} receiver ${shellWord(server.url)} --only ${shellWord(rule.title)}`;
  if (mutant !== null) return `make mutants MUTANTS=${shellWord(mutant)} SEED=${seed}`;
  const options = [
    ...option("url", server.ours ? "" : server.url),
    ...option("profile", profile === "contract" ? "" : profile),
    ...option("length-unit", profile === "contract" || lengthUnit === "all" ? "" : lengthUnit),
    ...option("depth", depth === "full" ? "" : depth),
    ...given,
    ...option("seed", rule.failure?.seed ?? String(seed)),
    ...option("only", rule.title),
  ];
  if (!hasSources)
    return `npx namjai-conformance ${options.map(([name, word]) => `--${name}${word === null ? "" : ` ${word}`}`).join(" ")}`;
  return `make conformance ${options.map(([name, word]) => `${name.toUpperCase().replaceAll("-", "_")}=${word ?? 1}`).join(" ")}`;
}

const option = (name: string, value: string): Run["options"] => (value === "" ? [] : [[name, shellWord(value)]]);

/** Returns the command that starts a server for the failed rule's request, with the key that the request needs; null: it runs elsewhere. */
export const startOf = ({ failure }: Rule, { mutant }: Pick<Run, "mutant">): string | null =>
  mutant === null ? (failure?.start ?? null) : null;

/** What stands beside the command of `startOf`. */
export const startHint = "start the server first; it prints a key: export API_KEY=…";
