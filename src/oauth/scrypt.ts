// scrypt (RFC 7914), a few at a time: each takes 32 MiB and a third of a second of one core.

import { scrypt } from "node:crypto";
import { Problem } from "../http/problem.ts";

export type ScryptParameters = Readonly<{ N: number; r: number; p: number }>;

/** OWASP's lowest cost, in the variant that needs the least memory. */
export const currentParameters: ScryptParameters = { N: 2 ** 15, r: 8, p: 3 };

const hashLength = 32;
const atOnce = 2;
const inLine = 20;

let free = atOnce;
const line: (() => void)[] = [];

/** Throws unavailable when too many are waiting already. */
export async function deriveHash(password: string, salt: Buffer, parameters: ScryptParameters): Promise<Buffer> {
  await enter();
  try {
    return await derive(password, salt, parameters);
  } finally {
    leave();
  }
}

function derive(password: string, salt: Buffer, { N, r, p }: ScryptParameters): Promise<Buffer> {
  const maxmem = 256 * N * r; // twice what it needs; Node's own limit is just too low
  return new Promise((resolve, reject) => {
    scrypt(password, salt, hashLength, { N, r, p, maxmem }, (error, hash) => (error ? reject(error) : resolve(hash)));
  });
}

async function enter(): Promise<void> {
  if (free > 0) {
    free -= 1;
    return;
  }
  if (line.length >= inLine) throw new Problem("unavailable", "Too many people are logging in at once.");
  await new Promise<void>((resolve) => line.push(resolve));
}

/** Hands the place to whoever has waited longest. */
function leave(): void {
  const next = line.shift();
  if (next) next();
  else free += 1;
}
