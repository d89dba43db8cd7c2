// The overlays table: one row for each streamer, locked by every change of a playback.

import type { Knex } from "knex";
import { eachPart } from "../../db/citus/layout.ts";
import { type Settings, type StoredSettings, withDefaults } from "../settings/settings.ts";

export type Overlay = Readonly<{
  streamerId: string;
  paused: boolean;
  /** It is paused because of alerts that came while no player was connected. */
  asking: boolean;
  /** Everything is hidden: no alert starts. */
  hidden: boolean;
  settings: Settings;
  /** When the last alert left the screen; null before the first. */
  clearedAt: number | null;
  takenSequence: number;
  /** Alerts up to here are held if they have to be. */
  examinedSequence: number;
  lease: Lease;
  /** The player that the streamer has made lead; null: none. */
  chosenPlayerId: string | null;
  version: number;
  /** How often the widget of one of the streamer's overlay keys was changed. */
  widgetChanges: number;
  /** Sequence of the donation recorded last. */
  lastSequence: number;
  /** Time of the database's clock, in milliseconds since 1970. */
  now: number;
  /** By how much the database's clock was ahead of that of this process. */
  clockAheadMs: number;
}>;

type OverlayRow = Omit<Overlay, "streamerId" | "settings" | "lease" | "clockAheadMs"> & Lease & { settings: StoredSettings };

/** A streamer without a row has the defaults. */
const columns = `coalesce(o.paused, false) as paused, coalesce(o.asking, false) as asking, coalesce(o.hidden, false) as hidden,
  coalesce(o.settings, '{}') as settings, to_millis(o.cleared_at) as "clearedAt", coalesce(o.taken_sequence, 0) as "takenSequence",
  coalesce(o.examined_sequence, 0) as "examinedSequence", o.player_id as "playerId", o.connection_id as "connectionId",
  to_millis(o.player_until) as until, coalesce(o.player_rank, 0) as rank, o.chosen_player_id as "chosenPlayerId",
  coalesce(o.version, 0) as version, coalesce(o.widget_changes, 0) as "widgetChanges",
  s.last_sequence as "lastSequence", to_millis(clock_timestamp()) as now`;

/** Runs `work` in a transaction that holds the lock of the streamer's overlay. */
export function withOverlay<T>(knex: Knex, streamerId: string, work: (trx: Knex, overlay: Overlay) => Promise<T>): Promise<T> {
  return knex.transaction(async (trx) => work(trx, await lockOverlay(trx, streamerId)));
}

/** Locks the streamer's overlay, which is made on demand, until the transaction ends. */
export async function lockOverlay(trx: Knex, streamerId: string): Promise<Overlay> {
  return (await lock(trx, streamerId)) ?? (await insertAndLock(trx, streamerId));
}

/** Reads the overlay without a lock; null for an unknown streamer. */
export async function readOverlay(knex: Knex, streamerId: string): Promise<Overlay | null> {
  const { rows } = await knex.raw<{ rows: OverlayRow[] }>(
    `select ${columns} from streamers s left join overlays o on o.streamer_id = s.id where s.id = ?`,
    [streamerId],
  );
  return rows[0] ? fromRow(streamerId, rows[0]) : null;
}

type OverlayChange = Partial<
  Pick<Overlay, "paused" | "asking" | "hidden" | "takenSequence" | "examinedSequence" | "lease" | "chosenPlayerId" | "widgetChanges"> & {
    storedSettings: StoredSettings;
  }
>;

/** Writes the change and raises the version, by which other processes notice the change. Resolves to the new version. */
export async function changeOverlay(trx: Knex, { streamerId }: Overlay, change: OverlayChange): Promise<number> {
  const { paused, asking, hidden, takenSequence, examinedSequence, lease, chosenPlayerId, widgetChanges, storedSettings } = change;
  const [row] = await trx("overlays")
    .where("streamer_id", streamerId)
    .update({
      version: trx.raw("version + 1"),
      ...(paused !== undefined && { paused }),
      ...(asking !== undefined && { asking }),
      ...(hidden !== undefined && { hidden }),
      ...(takenSequence !== undefined && { taken_sequence: takenSequence }),
      ...(examinedSequence !== undefined && { examined_sequence: examinedSequence }),
      ...(chosenPlayerId !== undefined && { chosen_player_id: chosenPlayerId }),
      ...(widgetChanges !== undefined && { widget_changes: widgetChanges }),
      ...(storedSettings !== undefined && { settings: JSON.stringify(storedSettings) }),
      ...(lease && {
        player_id: lease.playerId,
        connection_id: lease.connectionId,
        player_rank: lease.rank,
        player_until: lease.until === null ? null : trx.raw("from_millis(?)", [Math.round(lease.until)]),
      }),
    })
    .returning<{ version: number }[]>("version");
  return row?.version ?? 0;
}

/** Reads the clock after the lock is held (the select depends on the locked row), so that time never goes back for a streamer. */
async function lock(trx: Knex, streamerId: string): Promise<Overlay | null> {
  const { rows } = await trx.raw<{ rows: OverlayRow[] }>(
    `with o as materialized (select * from overlays where streamer_id = ? for update)
     select ${columns} from o join streamers s on s.id = o.streamer_id where s.id = ?`,
    [streamerId, streamerId],
  );
  return rows[0] ? fromRow(streamerId, rows[0]) : null;
}

async function insertAndLock(trx: Knex, streamerId: string): Promise<Overlay> {
  await trx("overlays").insert({ streamer_id: streamerId }).onConflict("streamer_id").ignore();
  const inserted = await lock(trx, streamerId);
  if (!inserted) throw new Error("an overlay that was just made must be there");
  return inserted;
}

/** Notes that the widget of one of the streamer's overlay keys was changed, so that every process reads these widgets again. */
export function noteWidgetChange(knex: Knex, streamerId: string): Promise<number> {
  return withOverlay(knex, streamerId, (trx, overlay) => changeOverlay(trx, overlay, { widgetChanges: overlay.widgetChanges + 1 }));
}

function fromRow(streamerId: string, { settings, playerId, connectionId, until, rank, ...row }: OverlayRow): Overlay {
  const lease = { playerId, connectionId, until, rank };
  return { streamerId, ...row, settings: withDefaults(settings), lease, clockAheadMs: row.now - Date.now() };
}

/** `rank`: that of the player's page, see `rankOf`. */
export type Lease = Readonly<{ playerId: string | null; connectionId: string | null; until: number | null; rank: number }>;

export function isLive({ until }: Lease, now: number): boolean {
  return until !== null && until > now;
}

export function releasedLease(lease: Lease, now: number): Lease {
  return { ...lease, connectionId: null, until: Math.min(lease.until ?? now, now) };
}

export type QueueVersion = {
  streamerId: string;
  lastSequence: number;
  version: number;
  /** Nobody holds the lease. */
  isLeaseFree: boolean;
};

/** The versions of these streamers' queues. */
export async function readVersions(knex: Knex, streamerIds: readonly string[]): Promise<QueueVersion[]> {
  return eachPart(knex, streamerIds, async (ids) => {
    const { rows } = await knex.raw<{ rows: QueueVersion[] }>(
      `select s.id as "streamerId", s.last_sequence as "lastSequence", coalesce(o.version, 0)::bigint as version,
         coalesce(o.player_until < clock_timestamp(), true) as "isLeaseFree"
       from streamers s left join overlays o on o.streamer_id = s.id where s.id = any(?::uuid[])`,
      [ids],
    );
    return rows;
  });
}
