import { appendFileSync, readFileSync } from "node:fs";

import { target } from "../server/target.ts";

/** Notes what must be found neither in a log nor in the database: secrets, codes, tokens, cookies, right ones and wrong ones. */
export function remember(...secrets: (string | null | undefined)[]): void {
  const { oauth } = target();
  const lines = secrets.filter((secret) => secret && isTelling(secret)).map((secret) => `${secret}\n`);
  if (oauth) appendFileSync(oauth.secrets, lines.join(""));
}

/** "aaaa…" may stand anywhere: it gives nothing away. */
const isTelling = (secret: string): boolean => new Set(secret).size > 4;

/** Everything noted so far, keys and passwords of the run included. */
export function remembered(): string[] {
  const { keys, oauth } = target();
  if (!oauth) return [];
  const given = [...Object.values(keys), ...Object.values(oauth.passwords), ...Object.values(oauth.clients).map(({ secret }) => secret)];
  const noted = readFileSync(oauth.secrets, "utf8").split("\n");
  return [...new Set([...given, ...noted])].filter((secret) => secret !== null && secret !== "") as string[];
}
