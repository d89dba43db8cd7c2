// scrypt (RFC 7914), with a limit on concurrent calls: each call takes 32 MiB and a third of a second of one core.

import { scrypt } from "node:crypto";
import pLimit from "p-limit";
import { Problem } from "../../http/problem.ts";

export type ScryptParameters = Readonly<{ N: number; r: number; p: number }>;

/** The lowest cost that OWASP recommends, in the variant that needs the least memory. */
export const currentParameters: ScryptParameters = { N: 2 ** 15, r: 8, p: 3 };

const hashLength = 32;
const maxConcurrent = 2;
const maxWaiting = 20;

const limitCalls = pLimit(maxConcurrent);

/** Throws unavailable when too many calls are waiting. */
export async function deriveHash(password: string, salt: Buffer, parameters: ScryptParameters): Promise<Buffer> {
  if (limitCalls.pendingCount >= maxWaiting) throw new Problem("unavailable", "Too many people are logging in at once.");
  return await limitCalls(derive, password, salt, parameters);
}

function derive(password: string, salt: Buffer, { N, r, p }: ScryptParameters): Promise<Buffer> {
  const maxmem = 256 * N * r; // twice the memory that scrypt needs; Node's default limit is slightly too low
  return new Promise((resolve, reject) => {
    scrypt(password, salt, hashLength, { N, r, p, maxmem }, (error, hash) => (error ? reject(error) : resolve(hash)));
  });
}
