// Reads the challenges of WWW-Authenticate (RFC 9110 11.6.1): in any order, in any case, with values quoted or not.

import type { Reply } from "../contract/http-request.ts";

/** The parameters of a challenge by their names in small letters. */
export type Challenge = { [parameter: string]: string };

const part = /([!#$%&'*+.^_`|~\w-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))?/g;

/** The challenge of this scheme; null when the answer has none. */
export function challengeOf({ headers }: Pick<Reply, "headers">, scheme: string): Challenge | null {
  const challenges = new Map<string, Challenge>();
  let latest: Challenge = {};
  for (const [, name = "", quoted, token] of [headers["www-authenticate"] ?? []].flat().join(", ").matchAll(part)) {
    const value = quoted?.replace(/\\(.)/g, "$1") ?? token;
    if (value === undefined) challenges.set(name.toLowerCase(), (latest = {}));
    else latest[name.toLowerCase()] = value;
  }
  return challenges.get(scheme.toLowerCase()) ?? null;
}
