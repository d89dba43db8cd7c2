// Collects every secret that the run has made or seen.

import { appendFileSync, readFileSync } from "node:fs";

import { target } from "./target.ts";

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
