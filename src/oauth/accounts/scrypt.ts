// scrypt (RFC 7914). Each call takes 32 MiB and a third of a second of one core: check-password.ts limits how many run at once.

import { scrypt } from "node:crypto";

export type ScryptParameters = Readonly<{ N: number; r: number; p: number }>;

/** The lowest cost that OWASP recommends, in the variant that needs the least memory. */
export const currentParameters: ScryptParameters = { N: 2 ** 15, r: 8, p: 3 };

const hashLength = 32;

export function deriveHash(password: string, salt: Buffer, { N, r, p }: ScryptParameters): Promise<Buffer> {
  const maxmem = 256 * N * r; // twice the memory that scrypt needs; Node's default limit is slightly too low
  return new Promise((resolve, reject) => {
    scrypt(password, salt, hashLength, { N, r, p, maxmem }, (error, hash) => (error ? reject(error) : resolve(hash)));
  });
}
