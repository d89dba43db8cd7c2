// Many bad credentials from one address: they are refused, and good ones at the same address are not.

import { crc32 } from "node:zlib";

import { type Arena, type Attack, chosen } from "../arena.ts";
import { tally } from "../sockets.ts";

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** As a key of this server is written (interface 5.2), checksum included: only the database knows that there is none. */
function wellFormedKey(number: number): string {
  const body = `namjai_v1_${String(number).padStart(40, "Z")}`;
  let rest = crc32(body);
  let sum = "";
  for (let place = 0; place < 6; place += 1) {
    sum = digits[rest % 62] + sum;
    rest = Math.floor(rest / 62);
  }
  return body + sum;
}

async function me({ url }: Arena, key: string): Promise<number> {
  const answer = await fetch(`${url}/api/v1/me`, { headers: { Authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  return answer.status;
}

async function times(count: number, one: (index: number) => Promise<number>): Promise<number[]> {
  const statuses: number[] = [];
  for (let first = 0; first < count; first += 20)
    statuses.push(...(await Promise.all(Array.from({ length: Math.min(20, count - first) }, (_, index) => one(first + index)))));
  return statuses;
}

export const guessedCredentials: readonly Attack[] = [
  {
    rule: "after many bad credentials of an address the bad ones are 429, those that look good too, and good ones pass",
    run: async (arena, scale) => {
      const malformed = await times(chosen(scale, 80, 500), (index) => me(arena, `nonsense-${index}`));
      const unknown = await times(chosen(scale, 200, 5_000), (index) => me(arena, wellFormedKey(index)));
      const good = await times(10, () => me(arena, arena.keys.neighbour));
      if (good.some((status) => status !== 200)) throw new Error(`good credentials: ${tally(good)}`);
      if (malformed.at(-1) !== 429 || !unknown.includes(429)) throw new Error(`malformed ${tally(malformed)}; unknown ${tally(unknown)}`);
      return `malformed ${tally(malformed)}; unknown ${tally(unknown)}; good ${tally(good)}`;
    },
  },
];
