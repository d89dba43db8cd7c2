// Streamers and the names of applications: their SQL, and the operation getMe.

import type { Knex } from "knex";
import { recordAudit } from "../audit/audit-log.ts";
import type { BatchedReads } from "../db/batched-reads.ts";
import { newId } from "../db/ids.ts";
import type { Handler, Principal } from "../http/operations.ts";

export type Streamer = { id: string; handle: string };

const handlePattern = /^[a-z0-9][a-z0-9_-]{0,38}$/;

export function streamerStore(knex: Knex) {
  return {
    /** Creates a streamer. Throws an Error that names the broken rule when the handle is invalid or taken. */
    create: async (handle: string): Promise<Streamer> => {
      if (!handlePattern.test(handle))
        throw new Error(`HANDLE must be 1 to 39 of a-z, 0-9, "_" and "-", starting with a letter or digit, not "${handle}"`);
      const row = { id: newId(), handle };
      return knex.transaction(async (trx) => {
        const named = await trx("streamer_handles")
          .insert({ handle, streamer_id: row.id })
          .onConflict("handle")
          .ignore()
          .returning("handle");
        if (named.length === 0) throw new Error(`there is a streamer "${handle}" already`);
        await trx("streamers").insert({ id: row.id });
        await recordAudit(trx, { streamerId: null, action: "streamer.created", target: row.id });
        return row;
      });
    },

    /** The streamer with this handle. Throws an Error for an unknown handle. */
    require: async (handle: string): Promise<Streamer> => {
      const streamer = await knex("streamer_handles").where({ handle }).first({ id: "streamer_id", handle: "handle" });
      if (!streamer) throw new Error(`there is no streamer "${handle}"`);
      return streamer;
    },

    list: (): Promise<Streamer[]> => knex("streamer_handles").orderBy("handle").select({ id: "streamer_id", handle: "handle" }),
  };
}

type Names = { streamer: Streamer; application: { id: string; name: string } };

/** The names behind a principal's ids. Throws when there are none: a principal was found by them. */
async function namesOf(reads: BatchedReads, { streamerId, applicationId }: Principal): Promise<Names> {
  const [row] = await reads<{ handle: string; name: string }>(
    (bind) =>
      `select s.handle, a.name from streamer_handles s, applications a
       where s.streamer_id = ${bind(streamerId, "uuid")} and a.id = ${bind(applicationId, "uuid")}`,
  );
  if (!row) throw new Error("the streamer or the application of a credential is gone");
  return { streamer: { id: streamerId, handle: row.handle }, application: { id: applicationId, name: row.name } };
}

export const getMe = (reads: BatchedReads): Handler<"getMe"> => {
  const read = (principal: Principal) => namesOf(reads, principal);
  const readOnce = keepNames(read);
  return async (_request, principal) => {
    const { credential, scopes } = principal;
    if (credential.kind === "overlay_key") throw new Error("the router keeps overlay keys out");
    // The names behind an API key never change; the application of an OAuth client is renamed with its client.
    const { streamer, application } = await (credential.kind === "api_key" ? readOnce : read)(principal);
    return { status: 200, body: { data: { streamer, credential: credential.kind, application, scopes: [...scopes] } } };
  };
};

/** Keeps the names for as long as the credential is cached: its principal is the same object until it is verified again. */
function keepNames(read: (principal: Principal) => Promise<Names>): (principal: Principal) => Names | Promise<Names> {
  const kept = new WeakMap<Principal, Names>();
  const readAndKeep = async (principal: Principal) => {
    const names = await read(principal);
    kept.set(principal, names);
    return names;
  };
  return (principal) => kept.get(principal) ?? readAndKeep(principal);
}
