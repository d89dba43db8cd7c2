// All SQL about overlay keys, the credential of overlay and widget pages. A streamer has several, each revoked alone.

import type { Knex } from "knex";
import { recordAudit } from "../audit/audit-log.ts";
import { newId } from "../db/ids.ts";
import type { Schemas } from "../http/operations.ts";
import { makeKey, readKey, recordKeyUses, requireQuota, revokeKey } from "./keys.ts";
import { raiseCredentialVersion } from "./revocations.ts";

/** The widget of a key: its kind, and the parameters of its page that do not have their usual value. */
export type KeyWidget = Readonly<{ kind: Schemas["WidgetKind"]; parameters: Readonly<Record<string, string>> }>;

export type KeySound = Schemas["OverlaySound"];

/** A key that works, without its secret. `widget`: null when it has none. */
export type OverlayKeyEntry = {
  id: string;
  publicId: string;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  widget: KeyWidget | null;
  sound: KeySound;
};

type StoredOverlayKey = { id: string; streamer_id: string; secret_hash: Buffer; revoked_at: Date | null };

export type OverlayKeys = ReturnType<typeof overlayKeyStore>;

/** The name of a key that was given none. */
export const defaultOverlayKeyName = "OBS";

/** Of a key's name, in code points. A limit of the studio and the command line; the contract has none. */
export const maxOverlayKeyName = 60;

export function overlayKeyStore(knex: Knex, brand: string) {
  return {
    /** Creates a key and returns it, which is never shown again. The streamer's other keys stay as they are. Throws TooManyKeys. */
    create: (streamerId: string, name: string, widget: KeyWidget | null = null): Promise<string> =>
      createKey(knex, brand, { streamerId, name, widget, replaces: false }),

    /** The same, and revokes all other keys of the streamer: every process refuses them within a second. */
    replaceAll: (streamerId: string, name: string): Promise<string> =>
      createKey(knex, brand, { streamerId, name, widget: null, replaces: true }),

    /** The streamer's keys that work, oldest first. */
    list: (streamerId: string): Promise<OverlayKeyEntry[]> => listKeys(knex, streamerId),

    /**
     * Revokes a key by its id or public part, and only a key of `streamerId` when that is not null. Every process refuses the key, and
     * ends its streams, within a second. Returns false when there is no such key or it was revoked before.
     */
    revoke: (idOrPublicId: string, streamerId: string | null = null): Promise<boolean> =>
      revokeKey(knex, "overlay_key", { idOrPublicId, streamerId }),

    find: (publicId: string): Promise<StoredOverlayKey | undefined> =>
      knex("overlay_keys").where("public_id", publicId).first("id", "streamer_id", "secret_hash", "revoked_at"),

    /** The ids among these that belong to revoked keys. */
    revokedAmong: (ids: readonly string[]): Promise<string[]> =>
      knex("overlay_keys")
        .whereRaw("id = any(?)", [[...ids]])
        .whereNotNull("revoked_at")
        .pluck("id"),

    /**
     * Changes the widget of a key of this streamer, which must be `from` until now. False when it is another one, because it was changed
     * elsewhere, and when there is no such key or it was revoked. `alsoWrite` runs in the same transaction when it is changed.
     */
    changeWidget: (streamerId: string, keyId: string, { from, to, alsoWrite }: WidgetChange): Promise<boolean> =>
      changeKey(knex, streamerId, { keyId, from, set: { widget: JSON.stringify(to) }, alsoWrite }),

    /** Changes when pages with a key of this streamer play sound. False when there is no such key. `alsoWrite`: as of `changeWidget`. */
    changeSound: (streamerId: string, keyId: string, { sound, alsoWrite }: SoundChange): Promise<boolean> =>
      changeKey(knex, streamerId, { keyId, set: { sound }, alsoWrite }),

    /** What the streamer has chosen for these keys. */
    settingsOf: async (ids: readonly string[]): Promise<Map<string, Pick<OverlayKeyEntry, "widget" | "sound">>> => {
      const rows: Pick<OverlayKeyEntry, "id" | "widget" | "sound">[] = await knex("overlay_keys")
        .whereRaw("id = any(?)", [[...ids]])
        .select("id", "widget", "sound");
      return new Map(rows.map(({ id, ...settings }) => [id, settings]));
    },

    /** Writes when keys were last used. */
    recordUses: (uses: ReadonlyMap<string, Date>): Promise<void> => recordKeyUses(knex, "overlay_keys", uses),
  };
}

type NewKey = { streamerId: string; name: string; widget: KeyWidget | null; replaces: boolean };
type WidgetChange = Readonly<{ from: KeyWidget; to: KeyWidget; alsoWrite: (trx: Knex) => Promise<unknown> }>;
type SoundChange = Readonly<{ sound: KeySound; alsoWrite: (trx: Knex) => Promise<unknown> }>;

async function createKey(knex: Knex, brand: string, { streamerId, name, widget, replaces }: NewKey): Promise<string> {
  const key = makeKey(brand, "o1");
  const parts = readKey(brand, "o1", key);
  if (!parts) throw new Error("a new key must read back");
  await knex.transaction(async (trx) => {
    await requireQuota(trx, streamerId, { of: "overlay_keys", replaces });
    const live = trx("overlay_keys").where("streamer_id", streamerId).whereNull("revoked_at");
    const revoked: { id: string }[] = replaces ? await live.update({ revoked_at: trx.fn.now() }, ["id"]) : [];
    const own = { id: newId(), streamer_id: streamerId, name, widget: widget && JSON.stringify(widget) };
    const row = { ...own, public_id: parts.publicId, secret_hash: parts.hash };
    await trx("overlay_keys").insert(row);
    if (revoked.length > 0) await raiseCredentialVersion(trx);
    for (const { id } of revoked) await recordAudit(trx, { streamerId, action: "overlay_key.revoked", target: id });
    await recordAudit(trx, { streamerId, action: "overlay_key.created", target: row.id });
  });
  return key;
}

function listKeys(knex: Knex, streamerId: string): Promise<OverlayKeyEntry[]> {
  return knex("overlay_keys").where("streamer_id", streamerId).whereNull("revoked_at").orderBy(["created_at", "id"]).select({
    id: "id",
    publicId: "public_id",
    name: "name",
    createdAt: "created_at",
    lastUsedAt: "last_used_at",
    widget: "widget",
    sound: "sound",
  });
}

type KeyChange = Pick<WidgetChange, "alsoWrite"> & Readonly<{ keyId: string; from?: KeyWidget; set: Readonly<Record<string, string>> }>;

/** `from`: the widget that the key must have. */
function changeKey(knex: Knex, streamerId: string, { keyId, from, set, alsoWrite }: KeyChange): Promise<boolean> {
  return knex.transaction(async (trx) => {
    const own = trx("overlay_keys").where("streamer_id", streamerId).whereNull("revoked_at").whereRaw("id::text = ?", [keyId]);
    if (from) own.whereRaw("widget = ?::jsonb", [JSON.stringify(from)]);
    if ((await own.update(set)) === 0) return false;
    await alsoWrite(trx);
    await recordAudit(trx, { streamerId, action: "overlay_key.changed", target: keyId });
    return true;
  });
}
