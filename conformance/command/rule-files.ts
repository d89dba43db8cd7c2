import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

import type { Settings } from "./options.ts";

export const folder = fileURLToPath(new URL("..", import.meta.url));

/** Rule files that a quick run leaves out, each with the reason. */
const fullOnly: Record<string, string> = {
  "access-token-forged": "waits for a token to expire",
  attacks: "starts a server of its own and waits until it loses patience",
  "client-authentication": "waits for other processes to hear of it",
  "client-documents": "starts servers of its own and waits for slow documents",
  consent: "logs in again and again, which is slow on purpose",
  "database-stops": "starts a server of its own and stops its database",
  "donations-any-order": "needs many steps to meet every edge",
  "get-channel-breakdown": "waits for the operator's command line again and again",
  guides: "samples lean on those above them, and starts a server of its own",
  guessing: "starts a server of its own and guesses passwords, which is slow on purpose",
  leaks: "starts a server of its own",
  overload: "starts a server of its own and locks its database",
  "pages-under-load": "starts a server of its own and locks its database",
  revocation: "waits for keys to expire",
  "streamer-limits": "starts a server of its own and makes many keys",
  "revoke-token": "keeps the server busy",
  "two-processes": "starts servers of its own",
  workers: "starts servers of its own, and kills their workers",
};

export type Chosen = {
  /** Relative to `conformance/`. */
  files: string[];
  leftOut: { family: string; reason: string }[];
  /** Of the titles to run; undefined: all. */
  titles: RegExp | undefined;
};

/** A rule family is named by its file: `created-at`, `interface/created-at`. */
export const familyOf = (file: string): string => file.replace(/\.test\.ts$/, "");

/** The rule files of the profile, less what the depth or `--only` leaves out. */
export function chosen({ profile, depth, only }: Pick<Settings, "profile" | "depth" | "only">): Chosen {
  const all = profile === "interface" ? inFolder("interface") : [...inFolder("interface"), ...inFolder("derived"), ...inFolder("")];
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
  const entries = readdirSync(`${folder}${name}`, { withFileTypes: true, recursive: name !== "" });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"));
  return files.map(({ parentPath, name: file }) => `${parentPath}/${file}`.replaceAll("//", "/").slice(folder.length)).sort();
}
