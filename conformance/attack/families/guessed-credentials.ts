// Guessing credentials: many invalid credentials from one address are refused, valid ones from the same address are not.

import { crc32 } from "node:zlib";

import { type Attack, type AttackedServer, byScale } from "../attack.ts";
import { formatStatusCounts } from "../sockets.ts";
import { logIn, statusOfLogin } from "../studio-browser.ts";

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A key of the right form (interface 5.2) with a valid checksum, so that the server has to look it up in the database. */
function wellFormedKey(number: number): string {
  const body = `namjai_v1_${String(number).padStart(40, "Z")}`;
  let remaining = crc32(body);
  let sum = "";
  for (let place = 0; place < 6; place += 1) {
    sum = digits[remaining % 62] + sum;
    remaining = Math.floor(remaining / 62);
  }
  return body + sum;
}

async function statusOfMe({ url }: AttackedServer, key: string): Promise<number> {
  const answer = await fetch(`${url}/api/v1/me`, { headers: { Authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  return answer.status;
}

async function repeat(count: number, one: (index: number) => Promise<number>): Promise<number[]> {
  const statuses: number[] = [];
  for (let first = 0; first < count; first += 20)
    statuses.push(...(await Promise.all(Array.from({ length: Math.min(20, count - first) }, (_, index) => one(first + index)))));
  return statuses;
}

/** Guesses a password until that is refused. */
async function guess(server: AttackedServer, handle: string, known?: string): Promise<number[]> {
  const statuses: number[] = [];
  while (statuses.at(-1) !== 429 && statuses.length < 60)
    statuses.push(await statusOfLogin(server, { handle, password: "a guess" }, known));
  return statuses;
}

export const guessedCredentials: readonly Attack[] = [
  {
    rule: "an address that sent many invalid credentials is answered 429 for invalid credentials, well-formed ones included, and is served with a valid one",
    run: async (server, scale) => {
      const malformed = await repeat(byScale(scale, 80, 500), (index) => statusOfMe(server, `nonsense-${index}`));
      const unknown = await repeat(byScale(scale, 200, 5_000), (index) => statusOfMe(server, wellFormedKey(index)));
      const valid = await repeat(10, () => statusOfMe(server, server.keys.regularClient));
      if (valid.some((status) => status !== 200)) throw new Error(`valid credentials: ${formatStatusCounts(valid)}`);
      if (malformed.at(-1) !== 429 || !unknown.includes(429))
        throw new Error(`malformed ${formatStatusCounts(malformed)}; unknown ${formatStatusCounts(unknown)}`);
      return `malformed ${formatStatusCounts(malformed)}; unknown ${formatStatusCounts(unknown)}; valid ${formatStatusCounts(valid)}`;
    },
  },
  {
    rule: "an address that sent twenty wrong passwords is answered 429, and the browser in which the streamer logged in before is not",
    fullScaleOnly: "it locks this address out of the login page for 15 minutes",
    run: async (server) => {
      const { handle } = server.uploaderLogin;
      const known = await logIn(server);
      const guesses = await guess(server, handle);
      const others = await guess(server, "somebody");
      const ofBrowser = await statusOfLogin(server, server.uploaderLogin, known);
      const told = `guesses ${formatStatusCounts(guesses)}; of another handle ${formatStatusCounts(others)}; of the browser ${ofBrowser}`;
      if (guesses.filter((status) => status === 403).length !== 20 || others[0] !== 429 || ofBrowser !== 303) throw new Error(told);
      return told;
    },
  },
  {
    rule: "the cookie of a browser in which the streamer logged in is worth ten guesses where others have none",
    fullScaleOnly: "it runs after the rule before, whose address is locked out",
    run: async (server) => {
      const known = await logIn(server);
      const { handle } = server.uploaderLogin;
      const guesses = await guess(server, handle, known);
      if (guesses.filter((status) => status === 403).length !== 10) throw new Error(formatStatusCounts(guesses));
      return formatStatusCounts(guesses);
    },
  },
];
