// Passwords of streamers: all SQL about them, and the rules.

import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Knex } from "knex";
import { storable } from "../http/body.ts";
import { currentParameters, deriveHash, type ScryptParameters } from "./scrypt.ts";
import { endSessions } from "./sessions.ts";

export type PasswordStore = ReturnType<typeof passwordStore>;

type Stored = { streamerId: string; hash: Buffer; salt: Buffer; parameters: ScryptParameters };

const minLength = 8;
const maxLength = 1024;

/** `parameters` are those of new hashes; stored hashes carry their own. */
export function passwordStore(knex: Knex, parameters: ScryptParameters = currentParameters) {
  const makeHash = async (password: string) => {
    const salt = randomBytes(16);
    return { salt, hash: await deriveHash(password, salt, parameters), parameters: JSON.stringify(parameters) };
  };
  const nobody = { hash: randomBytes(32), salt: randomBytes(16), parameters };

  return {
    /** Ends all sessions of the streamer. Throws an Error that names the rule of length, in code points. */
    setPassword: async (streamerId: string, password: string): Promise<void> => {
      const row = await makeHash(requireLength(password));
      await knex.transaction(async (trx) => {
        await trx("streamer_passwords")
          .insert({ streamer_id: streamerId, ...row })
          .onConflict("streamer_id")
          .merge({ ...row, changed_at: trx.fn.now() });
        await endSessions(trx, streamerId);
      });
    },

    hasPassword: async (streamerId: string): Promise<boolean> =>
      (await knex("streamer_passwords").where({ streamer_id: streamerId }).first("streamer_id")) !== undefined,

    /**
     * The streamer's id, or null. An unknown handle costs the same work as a known one, so that time tells nobody which
     * handles exist. A hash with other parameters than today's is replaced. Throws unavailable under too many logins.
     */
    verifyPassword: async (handle: string, password: string): Promise<string | null> => {
      const stored = await find(knex, handle);
      const { hash, salt, parameters: made } = stored ?? nobody;
      const right = timingSafeEqual(await deriveHash(normalise(password), salt, made), hash);
      if (!stored || !right) return null;
      if (!isSame(made, parameters)) await replace(knex, stored, await makeHash(normalise(password)));
      return stored.streamerId;
    },
  };
}

function find(knex: Knex, handle: string): Promise<Stored | undefined> {
  return knex("streamers as s")
    .join("streamer_passwords as p", "p.streamer_id", "s.id")
    .where("s.handle", handle)
    .first({ streamerId: "s.id", hash: "p.hash", salt: "p.salt", parameters: "p.parameters" });
}

/** Only what was verified: a password that was changed meanwhile stays. */
async function replace(knex: Knex, { streamerId, hash }: Stored, row: object): Promise<void> {
  await knex("streamer_passwords").where({ streamer_id: streamerId, hash }).update(row);
}

/**
 * NFKC (NIST SP 800-63B 5.1.1.2): the same characters typed on another keyboard are the same password; Thai sara am is one
 * code point on one and two on the next.
 */
function normalise(password: string): string {
  return storable(password).normalize("NFKC");
}

function requireLength(password: string): string {
  const points = [...password].length;
  if (points < minLength || points > maxLength) throw new Error(`a password has ${minLength} to ${maxLength} characters`);
  return normalise(password);
}

function isSame(a: ScryptParameters, b: ScryptParameters): boolean {
  return a.N === b.N && a.r === b.r && a.p === b.p;
}
