// Which operations a rule is about: by the name of its file, by its title, or by what its file calls.

import { contract, operations } from "../contract/contract.ts";
import { offlineFamilies } from "../contract/offline-rules.ts";
import { calledOperations, measuredOf } from "./measured.ts";

const kebabCase = (id: string): string => id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Rule files whose calls do not say what they are about: made from the contract, for all operations, or asking with programs of their own. */
const isAboutAll = (family: string): boolean =>
  /^(derived|mcp)\//.test(family) || offlineFamilies.includes(family) || family === "transport/guides";

/** Whether rules of a file are about one of these operations. One that no rule has called yet, since it is new, may concern many files. */
export function isConcerned(family: string, changed: readonly string[]): boolean {
  const about = operationsOfFamily(family);
  if (about === null || about.some((id) => changed.includes(id))) return true;
  return namedOperation(family) === null && changed.some((id) => !calledOperations.has(id));
}

/** The operations that the rules of a file are about; null: all of them, as far as is known. */
export function operationsOfFamily(family: string): string[] | null {
  const named = namedOperation(family);
  if (named !== null) return [named];
  const called = measuredOf(family)?.operations ?? [];
  return isAboutAll(family) || called.length === 0 ? null : called;
}

/** The operation that a rule file is named after: `oauth/issue-token-pkce` is about issueToken, whatever it calls besides. */
function namedOperation(family: string): string | null {
  if (/^(interface|derived)\//.test(family)) return null; // named after members and keywords of schemas
  const name = family.slice(family.lastIndexOf("/") + 1);
  const named = operations.map(({ id }) => id).filter((id) => name === kebabCase(id) || name.startsWith(`${kebabCase(id)}-`));
  return named.toSorted((a, b) => b.length - a.length)[0] ?? null;
}

/**
 * Returns a pattern for titles (groups and title with spaces between them) that leaves out the rules of every operation but these:
 * `getMe: …`, at the beginning or after a group. A name that is a word, or a member such as `skipAlert`, leaves out nothing.
 */
export function titlesOfOperations(wanted: readonly string[]): RegExp {
  const others = operations.map(({ id }) => id).filter((id) => !wanted.includes(id) && /[A-Z]/.test(id) && !isMember(id));
  const names = others.join("|") || "(?!)";
  return new RegExp(`^(?!(?:${names})\\b|[\\s\\S]* (?:${names}): )`);
}

const text = JSON.stringify(contract);
const isMember = (name: string): boolean => text.includes(`"${name}":`);
