// Who is logged in: all SQL about sessions, and their cookie.

import { hash } from "node:crypto";
import type { Knex } from "knex";
import { actWith } from "../../audit/actor.ts";
import { recordAudit } from "../../audit/audit-log.ts";
import { randomBase62 } from "../../auth/keys.ts";
import type { Site } from "../../http/base-url.ts";
import { type CursorCodec, openOrNull } from "../../http/cursor.ts";

export type Streamer = Readonly<{ id: string; handle: string }>;

/**
 * A live session of a streamer. `id`: names it among the streamer's, as the audit log does, and tells nothing of its cookie. `browser`: such as
 * `Chrome, Windows`; null for unknown. `isThis`: of the browser that asks.
 */
export type SessionEntry = Readonly<{ id: string; browser: string | null; createdAt: Date; lastUsedAt: Date; isThis: boolean }>;

export type Session = Readonly<{
  /** SHA-256 of the cookie in hex: what forms are bound to, before the login as after it. */
  key: string;
  /** Null: nobody has logged in. */
  streamer: Streamer | null;
  /** Somebody had logged in with this cookie, and is logged in no longer. */
  hasEnded: boolean;
  /** Of the streamer's pages; null: the usual one. */
  timeZone: string | null;
  /** Set-Cookie lines that the answer must carry. */
  cookies: readonly string[];
}>;

export type SessionStore = ReturnType<typeof sessionStore>;

/**
 * A password that was right a moment ago. Checking one takes a third of a second, in which it may be changed. `changedAt`: when the password was
 * set, as the database writes it; it tells one password of a streamer from the next.
 */
export type VerifiedPassword = Readonly<{ streamerId: string; changedAt: string }>;

const idLength = 43; // 256 bits
const lifetime = 12 * 60 * 60;
/** What the seal of a cookie is for. */
const sealed = "session cookie";

/**
 * The database is asked about cookies alone that a login has set: `codec` seals in them whether one did, so that strangers who invent
 * cookies, or collect those of the login page, cost nothing.
 */
export function sessionStore(knex: Knex, site: Site, codec: CursorCodec) {
  const { cookieName, setCookie } = cookieOf(site, { name: "session", sameSite: "Lax" });
  const newId = (loggedIn: boolean) => codec.seal(sealed, { id: randomBase62(idLength), loggedIn });
  return {
    /** The session of a Cookie header; a new one without anybody in it when there is none. */
    open: async (cookieHeader: string | undefined): Promise<Session> => {
      const sent = readCookie(cookieHeader, cookieName);
      const known = openOrNull(codec, sealed, sent) as { loggedIn: boolean } | null;
      const nobody = { streamer: null, timeZone: null };
      const found = known?.loggedIn ? await findStreamer(knex, keyOf(sent)) : null;
      const hasEnded = known?.loggedIn === true && found === null;
      if (known) return { key: keyOf(sent), ...(found ?? nobody), hasEnded, cookies: [] };
      const id = newId(false);
      return { key: keyOf(id), ...nobody, hasEnded, cookies: [setCookie(id)] };
    },

    /**
     * Logs a streamer in under a new id, so that an id known before the login is worth nothing. `browser`: its name, for the list of sessions.
     * Returns the Set-Cookie line; null when the password was changed since it was verified, because the change has ended all sessions of the
     * old one.
     */
    begin: async (before: Session, verified: VerifiedPassword, browser: string | null = null): Promise<string | null> => {
      const id = newId(true);
      await sweep(knex);
      return await knex.transaction(async (trx) => {
        if (!(await lockPassword(trx, verified, "share"))) return null;
        await trx("sessions")
          .where({ hash: bytes(before.key) })
          .delete();
        const expiresAt = trx.raw("now() + ? * interval '1 second'", [lifetime]);
        const { streamerId } = verified;
        await trx("sessions").insert({ hash: bytes(keyOf(id)), streamer_id: streamerId, browser, expires_at: expiresAt });
        const actor = { kind: "session", id: streamerId, session: shortKey(keyOf(id)) } as const;
        await actWith(actor, () => recordAudit(trx, { streamerId, action: "login.succeeded", target: streamerId }));
        return setCookie(id, lifetime);
      });
    },

    /** Logs out. Returns the Set-Cookie line. */
    end: async ({ key }: Session): Promise<string> => {
      await knex.transaction(async (trx) => {
        const [ended] = await trx("sessions")
          .where({ hash: bytes(key) })
          .delete(["streamer_id"]);
        if (ended) await recordAudit(trx, { streamerId: ended.streamer_id, action: "session.ended", target: ended.streamer_id });
      });
      return setCookie("", 0);
    },
  };
}

/** Ends every session of a streamer but the one with the key `kept`. */
export async function endSessions(trx: Knex, streamerId: string, kept?: string): Promise<void> {
  const ended = trx("sessions").where({ streamer_id: streamerId });
  if (kept !== undefined) ended.whereNot({ hash: bytes(kept) });
  await ended.delete();
}

/** Ends one session of a streamer, by the id of its entry. Resolves to whether there was one. */
export async function endSession(trx: Knex, streamerId: string, id: string): Promise<boolean> {
  if (!shortKeyPattern.test(id)) return false;
  const ended = await trx("sessions")
    .where({ streamer_id: streamerId })
    .whereRaw("substring(hash from 1 for 6) = ?", [bytes(id)])
    .delete();
  return ended > 0;
}

/** The live sessions of a streamer, those used last first. `key`: of the session that asks. */
export async function listSessions(knex: Knex, streamerId: string, key: string): Promise<SessionEntry[]> {
  const rows = await knex("sessions")
    .where({ streamer_id: streamerId })
    .where("expires_at", ">", knex.fn.now())
    .orderBy("last_used_at", "desc")
    .select({ hash: "hash", browser: "browser", createdAt: "created_at", lastUsedAt: "last_used_at" });
  return rows.map(({ hash: found, ...entry }) => ({ ...entry, id: shortKey(found.toString("hex")), isThis: bytes(key).equals(found) }));
}

/**
 * Keeps a verified password from being changed until the transaction ends. False when it was changed since it was verified. `update`: the
 * caller changes it.
 */
export async function lockPassword(trx: Knex, { streamerId, changedAt }: VerifiedPassword, lock: "share" | "update"): Promise<boolean> {
  const query = trx("streamer_passwords").where({ streamer_id: streamerId }).whereRaw("changed_at = ?::timestamptz", [changedAt]);
  const row = await (lock === "share" ? query.forShare() : query.forUpdate()).first("streamer_id");
  return row !== undefined;
}

/** A cookie of this server alone. `__Host-` keeps other hosts of the domain from planting one of this name (RFC 6265bis 4.1.3.2). */
export function cookieOf({ brand, secure }: Site, { name, sameSite }: { name: string; sameSite: "Lax" | "Strict" }) {
  const cookieName = `${secure ? "__Host-" : ""}${brand}_${name}`;
  const attributes = `Path=/; HttpOnly; SameSite=${sameSite}${secure ? "; Secure" : ""}`;
  const setCookie = (value: string, maxAge?: number) =>
    `${cookieName}=${value}; ${attributes}${maxAge === undefined ? "" : `; Max-Age=${maxAge}`}`;
  return { cookieName, setCookie };
}

/** The value of a cookie in a Cookie header; empty when there is none. */
export function readCookie(header: string | undefined, name: string): string {
  const pairs = (header ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
}

/** Finds who has logged in, and notes that the session is used: once a minute, because a page may ask every two seconds. */
async function findStreamer(knex: Knex, key: string): Promise<Pick<Session, "streamer" | "timeZone"> | null> {
  const row = await knex("sessions as n")
    .join("streamer_handles as s", "s.streamer_id", "n.streamer_id")
    .leftJoin("streamer_preferences as p", "p.streamer_id", "n.streamer_id")
    .where("n.hash", bytes(key))
    .where("n.expires_at", ">", knex.fn.now())
    .first(
      { id: "s.streamer_id", handle: "s.handle", timeZone: "p.time_zone" },
      knex.raw(`n.last_used_at < now() - interval '1 minute' as "isOld"`),
    );
  if (!row) return null;
  const { id, handle, timeZone, isOld } = row;
  if (isOld)
    await knex("sessions")
      .where({ hash: bytes(key) })
      .update({ last_used_at: knex.fn.now() });
  return { streamer: { id, handle }, timeZone };
}

/** Deletes what has expired. Two at once skip each other's rows rather than meet in a deadlock. */
async function sweep(knex: Knex): Promise<void> {
  const expired = knex("sessions").where("expires_at", "<=", knex.fn.now()).select("hash").forUpdate().skipLocked();
  await knex("sessions").whereIn("hash", expired).delete();
}

function keyOf(id: string): string {
  return hash("sha256", id);
}

/** The part of a session's key that names it in lists and in the audit log. */
const shortKey = (key: string) => key.slice(0, 12);
const shortKeyPattern = /^[0-9a-f]{12}$/;

function bytes(key: string): Buffer {
  return Buffer.from(key, "hex");
}
