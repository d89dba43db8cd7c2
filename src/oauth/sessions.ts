// Who is logged in: all SQL about sessions, and their cookie.

import { hash } from "node:crypto";
import type { Knex } from "knex";
import { randomBase62 } from "../auth/key-text.ts";
import type { Site } from "../http/base-url.ts";
import type { CursorCodec } from "../http/cursor.ts";

export type Streamer = Readonly<{ id: string; handle: string }>;

export type Session = Readonly<{
  /** SHA-256 of the cookie in hex: what forms are bound to, before the login as after it. */
  key: string;
  /** Null: nobody has logged in. */
  streamer: Streamer | null;
  /** Set-Cookie lines that the answer must carry. */
  cookies: readonly string[];
}>;

export type SessionStore = ReturnType<typeof sessionStore>;

const idLength = 43; // 256 bits
const lifetime = 12 * 60 * 60;
/** What the seal of a cookie is for. */
const sealed = "session cookie";

/**
 * The database is asked about cookies alone that a login has set: `codec` seals in them whether one did, so that strangers who invent
 * cookies, or collect those of the login page, cost nothing.
 */
export function sessionStore(knex: Knex, site: Pick<Site, "brand" | "secure">, codec: CursorCodec) {
  const { cookieName, setCookie } = sessionCookie(site);
  const newId = (loggedIn: boolean) => codec.seal(sealed, { id: randomBase62(idLength), loggedIn });
  const readId = (id: string): { loggedIn: boolean } | null => {
    try {
      return codec.open(sealed, id) as { loggedIn: boolean };
    } catch {
      return null;
    }
  };
  return {
    /** The session of a Cookie header; a new one without anybody in it when there is none. */
    open: async (cookieHeader: string | undefined): Promise<Session> => {
      const sent = readCookie(cookieHeader, cookieName);
      const known = readId(sent);
      if (known) return { key: keyOf(sent), streamer: known.loggedIn ? await findStreamer(knex, keyOf(sent)) : null, cookies: [] };
      const id = newId(false);
      return { key: keyOf(id), streamer: null, cookies: [setCookie(id)] };
    },

    /** Logs a streamer in under a new id, so that an id known before the login is worth nothing. Returns the Set-Cookie line. */
    begin: async (before: Session, streamerId: string): Promise<string> => {
      const id = newId(true);
      await sweep(knex);
      await knex.transaction(async (trx) => {
        await trx("sessions")
          .where({ hash: bytes(before.key) })
          .delete();
        const expiresAt = trx.raw("now() + ? * interval '1 second'", [lifetime]);
        await trx("sessions").insert({ hash: bytes(keyOf(id)), streamer_id: streamerId, expires_at: expiresAt });
      });
      return setCookie(id, lifetime);
    },

    /** Logs out. Returns the Set-Cookie line. */
    end: async ({ key }: Session): Promise<string> => {
      await knex("sessions")
        .where({ hash: bytes(key) })
        .delete();
      return setCookie("", 0);
    },
  };
}

/** Ends every session of a streamer. */
export async function endSessions(trx: Knex, streamerId: string): Promise<void> {
  await trx("sessions").where({ streamer_id: streamerId }).delete();
}

/** `__Host-` keeps other hosts of the domain from planting a cookie of this name (RFC 6265bis 4.1.3.2). */
function sessionCookie({ brand, secure }: Pick<Site, "brand" | "secure">) {
  const cookieName = `${secure ? "__Host-" : ""}${brand}_session`;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
  const setCookie = (id: string, maxAge?: number) =>
    `${cookieName}=${id}; ${attributes}${maxAge === undefined ? "" : `; Max-Age=${maxAge}`}`;
  return { cookieName, setCookie };
}

function readCookie(header: string | undefined, name: string): string {
  const pairs = (header ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
}

async function findStreamer(knex: Knex, key: string): Promise<Streamer | null> {
  const row = await knex("sessions as n")
    .join("streamers as s", "s.id", "n.streamer_id")
    .where("n.hash", bytes(key))
    .where("n.expires_at", ">", knex.fn.now())
    .first("s.id", "s.handle");
  return row ?? null;
}

/** Deletes what has expired. Two at once skip each other's rows rather than meet in a deadlock. */
async function sweep(knex: Knex): Promise<void> {
  const expired = knex("sessions").where("expires_at", "<=", knex.fn.now()).select("hash").forUpdate().skipLocked();
  await knex("sessions").whereIn("hash", expired).delete();
}

function keyOf(id: string): string {
  return hash("sha256", id);
}

function bytes(key: string): Buffer {
  return Buffer.from(key, "hex");
}
