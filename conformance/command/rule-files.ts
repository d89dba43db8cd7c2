import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

import type { Settings } from "./options.ts";

export const folder = fileURLToPath(new URL("..", import.meta.url));

/** Rule files that a quick run leaves out, each with the reason. */
const fullOnly: Record<string, string> = {
  "oauth/access-token-forged": "waits for a token to expire",
  "transport/attacks": "starts a server of its own and waits until it loses patience",
  "oauth/client-authentication": "waits for other processes to hear of it",
  "oauth/client-documents": "starts servers of its own and waits for slow documents",
  "oauth/consent": "logs in again and again, which is slow on purpose",
  "deployment/database-stops": "starts a server of its own and stops its database",
  "donations/donations-any-order": "needs many steps to meet every edge",
  "reports/get-channel-breakdown": "waits for the operator's command line again and again",
  "transport/guides": "samples lean on those above them, and starts a server of its own",
  "oauth/guessing": "starts a server of its own and guesses passwords, which is slow on purpose",
  "deployment/leaks": "starts a server of its own",
  "transport/overload": "starts a server of its own and locks its database",
  "transport/pages-under-load": "starts a server of its own and locks its database",
  "deployment/revocation": "waits for keys to expire",
  "transport/streamer-limits": "starts a server of its own and makes many keys",
  "oauth/revoke-token": "keeps the server busy",
  "deployment/two-processes": "starts servers of its own",
  "deployment/workers": "starts servers of its own, and kills their workers",
};

export type Chosen = {
  /** Relative to `conformance/`. */
  files: string[];
  leftOut: { family: string; reason: string }[];
  /** Of the titles to run; undefined: all. */
  titles: RegExp | undefined;
};

/** A rule family is named by its folder and file: `donations/created-at`, `interface/created-at`. */
export const familyOf = (file: string): string => file.replace(/^rules\//, "").replace(/\.test\.ts$/, "");

/** The rule files of the profile, less what the depth or `--only` leaves out. */
export function chosen({ profile, depth, only }: Pick<Settings, "profile" | "depth" | "only">): Chosen {
  const all = profile === "interface" ? inFolder("interface") : [...inFolder("interface"), ...inFolder("derived"), ...inFolder("rules")];
  const named = only === null ? [] : all.filter((file) => pattern(only).test(familyOf(file)));
  const asked = named.length > 0 ? named : all;
  const slow = (file: string): boolean => depth === "quick" && familyOf(file) in fullOnly;
  return {
    files: asked.filter((file) => !slow(file)),
    leftOut: asked.filter(slow).map((file) => ({ family: familyOf(file), reason: `full only: ${fullOnly[familyOf(file)]}` })),
    titles: only !== null && named.length === 0 ? pattern(only) : undefined,
  };
}

/** `/…/` is a regular expression, anything else a text. vitest joins titles by a blank, reports by " > ": either is meant. */
export function pattern(text: string): RegExp {
  const [, expression] = /^\/(.+)\/$/.exec(text) ?? [];
  const literal = text.replace(/[.*+?^$()|[\]{}\\]/g, "\\$&").replaceAll(" > ", " (?:> )?");
  return new RegExp(expression ?? literal, "i");
}

function inFolder(name: string): string[] {
  if (!existsSync(`${folder}${name}`)) return [];
  const entries = readdirSync(`${folder}${name}`, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"));
  return files.map(({ parentPath, name: file }) => `${parentPath}/${file}`.slice(folder.length)).sort();
}
