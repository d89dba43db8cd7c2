// Replaces secrets in everything that is printed or reported, and collects those that a log or the database must not contain.

import { appendFileSync, readFileSync } from "node:fs";
import { type Holder, keyVariables, type Target, target } from "./target.ts";

/** The same text with every secret replaced. */
export type Redactor = (text: string) => string;

type Known = Pick<Target, "keys" | "client" | "oauth">;

const hidden = "…";
const minSecretLength = 8;
const names = "access_token|refresh_token|client_secret|code_verifier|password|token|csrf";

/** Patterns that recognise secrets, known or not, and their replacements. */
const secretPatterns: [RegExp, string][] = [
  [/eyJ[\w-]{8,}\.[\w-]*\.[\w-]*/g, hidden],
  [/\b[a-z0-9][a-z0-9_]{1,38}_[a-z]\d_[A-Za-z0-9]{16,}/g, hidden],
  [new RegExp(`("(?:${names})"\\s*:\\s*")(?!\\$|'"\\$)(?:[^"\\\\]|\\\\.)*(?=")`, "g"), `$1${hidden}`],
  [/("code"\s*:\s*")[\w.~-]{28,}(?=")/g, `$1${hidden}`],
  [new RegExp(`\\b(${names}|code)=[^&\\s'"$]+`, "g"), `$1=${hidden}`],
  [/\b(Basic|Bearer)\s+[\w.~+/=-]{12,}/gi, `$1 ${hidden}`],
  [/\b((?:set-)?cookie:\s*[^=\s;]+)=[^;\s'"]+/gi, `$1=${hidden}`],
];

/** A run of characters that may be a secret: no blank, quote or delimiter in it. */
const possibleSecret = /[^\s"'\\,;:=&?/<>(){}[\]]{8,}/g;

/** Replaces keys by the names of their variables; clients' secrets, passwords and `others` by dots. */
export function redactor(known: Known, others: readonly string[] = []): Redactor {
  const exact = named(known)
    .filter(([secret]) => secret.length >= minSecretLength)
    .toSorted(([a], [b]) => b.length - a.length);
  const seen = new Set(others);
  return (text) => {
    const shown = replaced(text, exact).replace(possibleSecret, (word) => (seen.has(word) ? hidden : word));
    return secretPatterns.reduce((rest, [pattern, by]) => rest.replace(pattern, by), shown);
  };
}

/** Every secret that the run was given, with the name to print instead. */
export function named({ keys, client, oauth }: Known): [secret: string, name: string][] {
  const holders = Object.entries(keys) as [Holder, string | null][];
  const credentials: [string | null | undefined, string][] = [
    ...holders.map(([holder, key]): [string | null, string] => [key, `$${keyVariables[holder]}`]),
    [client?.secret, "$OAUTH_CLIENT_SECRET"],
    ...Object.values(oauth?.clients ?? {}).map(({ secret }): [string | null, string] => [secret, hidden]),
    ...Object.values(oauth?.logins ?? {}).map(({ password }): [string, string] => [password, hidden]),
  ];
  return credentials.filter((pair): pair is [string, string] => Boolean(pair[0]));
}

const replaced = (text: string, words: readonly [string, string][]): string =>
  words.reduce((shown, [secret, name]) => shown.replaceAll(secret, name).replaceAll(encodeURIComponent(secret), name), text);

// Collects every secret that the run has made or seen.

/** Records secrets, codes, tokens and cookies, valid or not, that must appear neither in a log nor in the database. */
export function remember(...secrets: (string | null | undefined)[]): void {
  const { oauth } = target();
  const lines = secrets.filter((secret) => secret && isDistinctive(secret)).map((secret) => `${secret}\n`);
  if (oauth) appendFileSync(oauth.secrets, lines.join(""));
}

/** A text such as "aaaa…" is no secret: it may occur anywhere. */
const isDistinctive = (secret: string): boolean => new Set(secret).size > 4;

/** Every secret recorded so far, including keys and passwords of the run. */
export function remembered(): string[] {
  const { keys, oauth } = target();
  if (!oauth) return [];
  const credentials = [
    ...Object.values(keys),
    ...Object.values(oauth.logins).map(({ password }) => password),
    ...Object.values(oauth.clients).map(({ secret }) => secret),
  ];
  const noted = readFileSync(oauth.secrets, "utf8").split("\n");
  return [...new Set([...credentials, ...noted])].filter((secret) => secret !== null && secret !== "") as string[];
}
