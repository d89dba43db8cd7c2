// Narrows a run to the rules of changed operations, and removes reports that would be taken for its own.

import { prepareFolder } from "../report/write.ts";
import { affectedOperations, type ContractChanges, changesSince, isUnchanged } from "./changed-operations.ts";
import { countSelected } from "./list.ts";
import type { Settings } from "./settings.ts";

/**
 * Applies `--changed-since`: returns settings that select the rules concerned, and what to say about it. `settings` is null when no rule
 * is concerned. Throws UsageError where the contract of that commit cannot be read.
 */
export async function narrow(settings: Settings, ref: string): Promise<{ settings: Settings | null; text: string }> {
  const changes = changesSince(ref);
  if (isUnchanged(changes)) return { settings: null, text: `the contract has not changed since ${ref}: nothing to run\n` };
  const narrowed = { ...settings, operations: affectedOperations(changes) };
  const { selected, all } = await countSelected(narrowed);
  const text = `changed since ${ref}: ${describe(changes)}\n${selected} of ${all} rules call these operations, or may be about all\n`;
  return { settings: selected > 0 ? narrowed : null, text };
}

function describe({ changed, removed, parts }: ContractChanges): string {
  return [...changed, ...removed.map((id) => `${id} (removed)`), ...parts.map((part) => `${part} (of no operation)`)].join(", ");
}

/** Removes the reports of an earlier run, so that nobody takes them for those of a run that ran nothing. */
export const removeReports = ({ report }: Settings): void => prepareFolder(report);
