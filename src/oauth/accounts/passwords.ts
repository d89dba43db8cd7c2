// Streamers' passwords: their rules, their hashes, and all SQL about them.

import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import type { Knex } from "knex";
import { recordAudit } from "../../audit/audit-log.ts";
import { storable } from "../../http/body/json.ts";
import { endSessions, lockPassword, type VerifiedPassword } from "./sessions.ts";

export type PasswordStore = ReturnType<typeof passwordStore>;

type StoredPassword = VerifiedPassword & { hash: Buffer; salt: Buffer; parameters: ScryptParameters };

/** `kept`: the key of the session that goes on. `replaces`: the password that must still be in force. */
type PasswordSetting = Readonly<{ kept?: string; replaces?: VerifiedPassword }>;

/** How many characters a password has, counted in code points. */
export const passwordLength = { minimum: 8, maximum: 1024 } as const;

type ScryptParameters = Readonly<{ N: number; r: number; p: number }>;

/** The lowest cost that OWASP recommends, in the variant that needs the least memory. */
export const currentParameters: ScryptParameters = { N: 2 ** 15, r: 8, p: 3 };

const hashLength = 32;

/** `parameters` are those of new hashes; stored hashes carry their own. */
export function passwordStore(knex: Knex, parameters: ScryptParameters = currentParameters) {
  const makeHash = async (password: string) => {
    const salt = randomBytes(16);
    return { salt, hash: await deriveHash(password, salt, parameters), parameters: JSON.stringify(parameters) };
  };
  const decoy = { hash: randomBytes(32), salt: randomBytes(16), parameters };

  return {
    /**
     * Sets the password and ends all sessions of the streamer but `kept`. Resolves to when it was set, as in VerifiedPassword; null when
     * another password was set since `replaces` was verified. Throws an Error that names the allowed length, in code points.
     */
    setPassword: async (streamerId: string, password: string, { kept, replaces }: PasswordSetting = {}): Promise<string | null> => {
      const row = await makeHash(requireLength(password));
      return await knex.transaction(async (trx) => {
        if (replaces && !(await lockPassword(trx, replaces, "update"))) return null;
        const [set] = await trx("streamer_passwords")
          .insert({ streamer_id: streamerId, ...row })
          .onConflict("streamer_id")
          .merge({ ...row, changed_at: trx.fn.now() })
          .returning(trx.raw(`changed_at::text as "changedAt"`));
        await endSessions(trx, streamerId, kept);
        await recordAudit(trx, { streamerId, action: "password.set", target: streamerId });
        return set.changedAt;
      });
    },

    /** When the streamer's password was set, as in VerifiedPassword; null when there is none. */
    findChangedAt: async (handle: string): Promise<string | null> => (await find(knex, handle))?.changedAt ?? null,

    hasPassword: async (streamerId: string): Promise<boolean> =>
      (await knex("streamer_passwords").where({ streamer_id: streamerId }).first("streamer_id")) !== undefined,

    /**
     * Null when handle or password is wrong. An unknown handle takes as long as a known one, so that the time does not reveal which handles
     * exist. The password may be changed meanwhile: what the answer allows is done under `lockPassword`. A hash with outdated parameters
     * is replaced.
     */
    verifyPassword: async (handle: string, password: string): Promise<VerifiedPassword | null> => {
      const stored = await find(knex, handle);
      const { hash, salt, parameters: storedParameters } = stored ?? decoy;
      const isRight = timingSafeEqual(await deriveHash(normalise(password), salt, storedParameters), hash);
      if (!stored || !isRight) return null;
      if (!isSame(storedParameters, parameters)) await replaceHash(knex, stored, await makeHash(normalise(password)));
      return { streamerId: stored.streamerId, changedAt: stored.changedAt };
    },
  };
}

function find(knex: Knex, handle: string): Promise<StoredPassword | undefined> {
  return knex("streamer_handles as s")
    .join("streamer_passwords as p", "p.streamer_id", "s.streamer_id")
    .where("s.handle", handle)
    .first(
      { streamerId: "s.streamer_id", hash: "p.hash", salt: "p.salt", parameters: "p.parameters" },
      knex.raw(`p.changed_at::text as "changedAt"`),
    );
}

/** Replaces only the verified hash, so that a password that was changed in the meantime stays. */
async function replaceHash(knex: Knex, { streamerId, hash }: StoredPassword, row: object): Promise<void> {
  await knex("streamer_passwords").where({ streamer_id: streamerId, hash }).update(row);
}

/**
 * NFKC (NIST SP 800-63B 5.1.1.2), so that the same characters typed on another keyboard are the same password: Thai sara am is one code
 * point on some keyboards and two on others.
 */
function normalise(password: string): string {
  return storable(password).normalize("NFKC");
}

function requireLength(password: string): string {
  const { minimum, maximum } = passwordLength;
  const points = [...password].length;
  if (points < minimum || points > maximum) throw new Error(`a password must have ${minimum} to ${maximum} characters`);
  return normalise(password);
}

function isSame(a: ScryptParameters, b: ScryptParameters): boolean {
  return a.N === b.N && a.r === b.r && a.p === b.p;
}

/** scrypt (RFC 7914). Each call takes 32 MiB and a third of a second of one core: check-password.ts limits how many run at once. */
export function deriveHash(password: string, salt: Buffer, { N, r, p }: ScryptParameters): Promise<Buffer> {
  const maxmem = 256 * N * r; // twice the memory that scrypt needs; Node's default limit is slightly too low
  return new Promise((resolve, reject) => {
    scrypt(password, salt, hashLength, { N, r, p, maxmem }, (error, hash) => (error ? reject(error) : resolve(hash)));
  });
}
