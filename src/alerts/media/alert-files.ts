// Images and sounds that a streamer has uploaded for alerts.

import { randomBytes } from "node:crypto";
import type { Knex } from "knex";
import { recordAudit } from "../../audit/audit-log.ts";
import { lockByName } from "../../db/advisory-lock.ts";
import { maxFileBytes, maxItemsOfList, maxLengthOf, maxTotalFileBytes } from "../../http/contract/published.ts";
import { readOverlay, withOverlay } from "../queue/overlay.ts";
import { inspectFile } from "./inspect-file.ts";
import type { FileRefusal, FileType } from "./inspection.ts";

/** `isUsed`: by a variation. Sizes in bytes. */
export type AlertFile = FileType & Readonly<{ id: string; name: string; size: number; createdAt: Date; isUsed: boolean }>;

type NewFile = Readonly<{ name: string; bytes: Buffer }>;

export type AlertFiles = Readonly<{
  /** Newest first. */
  list: (streamerId: string) => Promise<readonly AlertFile[]>;
  /** Resolves to the stored file, or to why it is refused. Of a long name the end is kept, with the extension. */
  add: (streamerId: string, file: NewFile) => Promise<AlertFile | { refused: FileRefusal | "too_large" | "no_room" }>;
  /** A file that a variation uses is not deleted. */
  remove: (streamerId: string, fileId: string) => Promise<"removed" | "unknown" | "in_use">;
  /** Null for an unknown file. Whoever knows the id may read it. */
  read: (fileId: string) => Promise<{ mime: FileType["mime"]; bytes: Buffer } | null>;
}>;

export const maxFiles = maxItemsOfList("AlertFiles");
const maxNameLength = maxLengthOf("alertFileName");

export function openAlertFiles(knex: Knex): AlertFiles {
  return {
    list: (streamerId) => list(knex, streamerId),
    add: async (streamerId, { name, bytes }) => {
      if (bytes.length > maxFileBytes) return { refused: "too_large" };
      const inspected = inspectFile(bytes);
      return "refused" in inspected
        ? inspected
        : insert(knex, streamerId, { ...inspected, name: [...name].slice(-maxNameLength).join(""), bytes });
    },
    remove: async (streamerId, fileId) => (isFileId(fileId) ? remove(knex, streamerId, fileId) : "unknown"),
    read: async (fileId) => (isFileId(fileId) ? ((await knex("alert_files").where("id", fileId).first("mime", "bytes")) ?? null) : null),
  };
}

function isFileId(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

type FileRow = Pick<AlertFile, "id" | "kind" | "mime" | "name" | "size" | "width" | "height"> & { created_at: Date };

async function list(knex: Knex, streamerId: string): Promise<AlertFile[]> {
  const { rows } = await knex.raw<{ rows: FileRow[] }>(
    `select id, kind, mime, name, octet_length(bytes) as size, width, height, created_at
     from alert_files where streamer_id = ? order by created_at desc, id`,
    [streamerId],
  );
  const { settings } = (await readOverlay(knex, streamerId)) ?? { settings: { variations: [] } };
  const used = new Set(settings.variations.flatMap(({ image, sound }) => [image, sound]));
  return rows.map(({ created_at: createdAt, ...file }) => ({ ...file, createdAt, isUsed: used.has(file.id) }));
}

/** Uploads of one streamer are stored one after another, so that together they do not exceed the streamer's room. */
function insert(knex: Knex, streamerId: string, file: FileType & NewFile): Promise<AlertFile | { refused: "no_room" }> {
  return knex.transaction(async (trx) => {
    await lockByName(trx, `alert files of ${streamerId}`);
    const { rows } = await trx.raw<{ rows: { files: number; bytes: number }[] }>(
      `select count(*)::int as files, coalesce(sum(octet_length(bytes)), 0)::float8 as bytes from alert_files where streamer_id = ?`,
      [streamerId],
    );
    const { files = 0, bytes = 0 } = rows[0] ?? {};
    if (files >= maxFiles || bytes + file.bytes.length > maxTotalFileBytes) return { refused: "no_room" } as const;
    const id = randomBytes(32).toString("base64url");
    const [row] = await trx("alert_files").insert({ id, streamer_id: streamerId, ...file }, ["created_at"]);
    await recordAudit(trx, { streamerId, action: "alert_file.added", details: { kind: file.kind, bytes: file.bytes.length } });
    const { bytes: stored, ...described } = file;
    return { ...described, id, size: stored.length, createdAt: row.created_at as Date, isUsed: false };
  });
}

/** Holds the lock of the overlay, under which a variation may begin to use the file. */
function remove(knex: Knex, streamerId: string, fileId: string): Promise<"removed" | "unknown" | "in_use"> {
  return withOverlay(knex, streamerId, async (trx, { settings }) => {
    if (settings.variations.some(({ image, sound }) => image === fileId || sound === fileId)) return "in_use";
    const removed = await trx("alert_files").where({ id: fileId, streamer_id: streamerId }).delete();
    if (removed > 0) await recordAudit(trx, { streamerId, action: "alert_file.removed" });
    return removed > 0 ? "removed" : "unknown";
  });
}
