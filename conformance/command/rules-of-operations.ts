// Which operation a rule is about: by the name of its file, or by its title. What is about no single operation is about all.

import { contract, operations } from "../harness/oracle/contract.ts";

const kebabCase = (id: string): string => id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Rule files of the interface document that are not about createDonation; null: about no single operation. */
const interfaceFiles: Record<string, string | null> = {
  "interface/oauth-token": "issueToken",
  "interface/oauth-revoke": "revokeToken",
  "interface/oracle": null,
  "interface/paths": null,
  "interface/published-contract": null,
};

/** Returns the operation that every rule of a file is about; null: no single one. `oauth/issue-token-pkce` is about issueToken. */
export function operationOfFamily(family: string): string | null {
  if (family.startsWith("interface/")) return family in interfaceFiles ? (interfaceFiles[family] ?? null) : "createDonation";
  if (family.startsWith("derived/")) return null;
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
