// All SQL about streamers and the names of applications.

import type { Knex } from "knex";
import { uuidv7 } from "uuidv7";

export type Streamer = { id: string; handle: string };
export type Streamers = ReturnType<typeof streamerStore>;

const handlePattern = /^[a-z0-9][a-z0-9_-]{0,38}$/;

export function streamerStore(knex: Knex) {
  return {
    /** Creates a streamer. Throws an Error that names the rule when the handle is bad or taken. */
    create: async (handle: string): Promise<Streamer> => {
      if (!handlePattern.test(handle))
        throw new Error(`HANDLE must be 1 to 39 of a-z, 0-9, "_" and "-", starting with a letter or digit, not "${handle}"`);
      const [streamer] = await knex("streamers").insert({ id: uuidv7(), handle }).onConflict("handle").ignore().returning(["id", "handle"]);
      if (!streamer) throw new Error(`there is a streamer "${handle}" already`);
      return streamer;
    },

    /** By handle. Throws an Error for an unknown one. */
    require: async (handle: string): Promise<Streamer> => {
      const streamer = await knex("streamers").where({ handle }).first("id", "handle");
      if (!streamer) throw new Error(`there is no streamer "${handle}"`);
      return streamer;
    },

    list: (): Promise<Streamer[]> => knex("streamers").orderBy("handle").select("id", "handle"),

    /** The names behind a principal's ids. */
    names: async (
      streamerId: string,
      applicationId: string,
    ): Promise<{ streamer: Streamer; application: { id: string; name: string } }> => {
      const [streamer, application] = await Promise.all([
        knex("streamers").where("id", streamerId).first("id", "handle"),
        knex("applications").where("id", applicationId).first("id", "name"),
      ]);
      return { streamer, application };
    },
  };
}
