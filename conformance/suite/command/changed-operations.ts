// Which operations differ between the contract at a commit and the present one (--changed-since).

import { execFileSync } from "node:child_process";
import { isDeepStrictEqual } from "node:util";
import { contract, operationsIn, resolved, type Schema } from "../contract/contract.ts";
import { checkout, hasSources } from "../contract/sources.ts";
import { countSelected } from "./rule-files.ts";
import type { Settings } from "./settings.ts";
import { UsageError } from "./usage-error.ts";

type ContractChanges = {
  /** Operations of the present contract that are new or differ, with every schema that they use. */
  changed: string[];
  /** Operations that the present contract has no longer. */
  removed: string[];
  /** Parts that belong to no operation and differ, such as `info` or `x-rate-limits`. */
  parts: string[];
};

/** Parts that only describe: no operation answers differently because of them. */
const describing = ["info", "tags"];

const gitTimeoutMs = 10_000;

/** Returns what differs since the commit, branch or tag `ref`. Throws UsageError where there is no contract to compare with. */
function changesSince(ref: string): ContractChanges {
  if (!hasSources) throw new UsageError("--changed-since needs the project's git repository: the package has none");
  return compareContracts(contractAt(ref), contract);
}

/** The operations whose rules are run; null: all, since a part that every operation may depend on differs. */
export const affectedOperations = ({ changed, parts }: ContractChanges): string[] | null =>
  parts.some((part) => !describing.includes(part)) ? null : changed;

const isUnchanged = ({ changed, removed, parts }: ContractChanges): boolean => changed.length + removed.length + parts.length === 0;

/** Compares each operation with all references replaced by what they point to; the order of members does not count. */
export function compareContracts(before: Schema, present: Schema): ContractChanges {
  const [old, now] = [nodesOf(before), nodesOf(present)];
  const names = new Set([...Object.keys(before), ...Object.keys(present)]).difference(new Set(["paths", "components"]));
  const parts = [...names].filter((name) => !isDeepStrictEqual(before[name], present[name]));
  const unused = unusedComponentsDiffer(before, present) ? ["components"] : [];
  return {
    changed: [...now].filter(([id, node]) => !isDeepStrictEqual(node, old.get(id))).map(([id]) => id),
    removed: [...old.keys()].filter((id) => !now.has(id)),
    parts: [...parts, ...unused],
  };
}

function contractAt(ref: string): Schema {
  if (ref.startsWith("-")) throw new UsageError(`--changed-since: "${ref}" is no commit, branch or tag`);
  const options = { cwd: checkout, encoding: "utf8", timeout: gitTimeoutMs, maxBuffer: 64_000_000, stdio: "pipe" } as const;
  try {
    return JSON.parse(execFileSync("git", ["show", `${ref}:./generated/openapi.json`], options));
  } catch (error) {
    const { stderr = "", message } = error as { stderr?: string; message: string };
    const [reason = message] = stderr.trim().split("\n").filter(Boolean);
    throw new UsageError(`--changed-since: generated/openapi.json of "${ref}" cannot be read: ${reason}`);
  }
}

/** Each operation by its id: method, path and node, with references expanded and the security schemes that it names. */
function nodesOf(document: Schema): Map<string, unknown> {
  const { securitySchemes = {} } = (document.components ?? {}) as { securitySchemes?: Record<string, unknown> };
  return new Map(
    operationsIn(document).map(({ id, method, path, parameters, pointer, security }) => {
      const schemes = security.flatMap((one) => Object.keys(one)).map((name) => securitySchemes[name]);
      const node = expanded({ parameters, node: { $ref: pointer } }, document, []);
      return [id, { method, path, security, schemes, node }];
    }),
  );
}

/** Replaces each `$ref` by what it points to; one inside of itself stays. `within`: the references around the node. */
function expanded(node: unknown, document: Schema, within: readonly string[]): unknown {
  if (Array.isArray(node)) return node.map((one) => expanded(one, document, within));
  if (typeof node !== "object" || node === null) return node;
  const { $ref, ...members } = node as { $ref?: unknown };
  const rest = Object.fromEntries(Object.entries(members).map(([name, value]) => [name, expanded(value, document, within)]));
  if (typeof $ref !== "string") return $ref === undefined ? rest : { $ref: expanded($ref, document, within), ...rest };
  if (within.includes($ref)) return { $ref, ...rest };
  return { target: expanded(resolved({ $ref: decodeURIComponent($ref) }, document), document, [...within, $ref]), ...rest };
}

/** Whether a component differs to which no operation refers, before or now: it may stand in texts, or be used by events. */
function unusedComponentsDiffer(before: Schema, present: Schema): boolean {
  const [old, now] = [componentsOf(before), componentsOf(present)];
  const used = new Set<string>();
  for (const document of [before, present]) collectReferences(document.paths, document, used);
  const unused = Object.keys({ ...old, ...now }).filter(
    (pointer) => !used.has(pointer) && !pointer.startsWith(`${components}securitySchemes/`),
  );
  return unused.some((pointer) => !isDeepStrictEqual(old[pointer], now[pointer]));
}

const components = "#/components/";

/** Every component by its pointer. */
function componentsOf(document: Schema): Record<string, unknown> {
  const groups = Object.entries((document.components ?? {}) as Record<string, Record<string, unknown>>);
  return Object.fromEntries(
    groups.flatMap(([group, members]) => Object.entries(members).map(([name, value]) => [`${components}${group}/${name}`, value])),
  );
}

function collectReferences(node: unknown, document: Schema, used: Set<string>): void {
  if (typeof node !== "object" || node === null) return;
  for (const [name, value] of Object.entries(node)) {
    if (name !== "$ref" || typeof value !== "string") collectReferences(value, document, used);
    else if (!used.has(value)) {
      used.add(value);
      collectReferences(resolved({ $ref: decodeURIComponent(value) }, document), document, used);
    }
  }
}

// Narrows a run to the rules of changed operations, and removes reports that would be taken for its own.

/**
 * Applies `--changed-since`: returns settings that select the rules concerned, and what to say about it, nothing with `--list`. `settings` is
 * null when no rule is concerned. Throws UsageError where the contract of that commit cannot be read.
 */
export async function narrow(settings: Settings, ref: string): Promise<{ settings: Settings | null; text: string }> {
  const changes = changesSince(ref);
  if (isUnchanged(changes)) return { settings: null, text: `the contract has not changed since ${ref}: nothing to run\n` };
  const narrowed = { ...settings, operations: affectedOperations(changes) };
  if (settings.list) return { settings: narrowed, text: "" };
  const { selected, all } = await countSelected(narrowed);
  const text = `changed since ${ref}: ${describe(changes)}\n${selected} of ${all} rules call these operations, or may be about all\n`;
  return { settings: selected > 0 ? narrowed : null, text };
}

function describe({ changed, removed, parts }: ContractChanges): string {
  return [...changed, ...removed.map((id) => `${id} (removed)`), ...parts.map((part) => `${part} (of no operation)`)].join(", ");
}
