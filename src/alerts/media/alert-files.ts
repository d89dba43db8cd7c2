// Images and sounds that a streamer has uploaded for alerts: where they are stored, the operations on them, and the page that serves them to
// whoever asks. The id can't be guessed.

import { randomBytes } from "node:crypto";
import type { Knex } from "knex";
import { recordAudit } from "../../audit/audit-log.ts";
import { formatInstant } from "../../base/instant.ts";
import { lockByName } from "../../db/advisory-lock.ts";
import { network } from "../../http/addresses.ts";
import { maxFileBytes, maxItemsOfList, maxLengthOf, maxTotalFileBytes } from "../../http/contract/published.ts";

import type { Handler, Schemas } from "../../http/operations.ts";
import { type Fault, Problem, refusal } from "../../http/problem.ts";
import type { Limits } from "../../http/rate-limits/rate-limits.ts";
import type { PageRoutes } from "../../ui/serve-pages.ts";
import { readOverlay, withOverlay } from "../queue/overlay.ts";
import { inspectFile } from "./inspect-file.ts";
import { type FileRefusal, type FileType, maxFrames, maxPixels, maxSide } from "./inspection.ts";
import { sharedFiles } from "./shared-files.ts";

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

const maxFiles = maxItemsOfList("AlertFiles");
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

type FileRow = Omit<AlertFile, "createdAt" | "isUsed"> & { created_at: Date };

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

const mebibyte = 1_048_576;
const noRoom = `The streamer has ${maxFiles} files, or would have more than ${maxTotalFileBytes / mebibyte} MiB of them with this one: delete others first.`;

export const listAlertFiles =
  (files: AlertFiles): Handler<"listAlertFiles"> =>
  async (_request, { streamerId }) => ({ status: 200, body: { data: (await files.list(streamerId)).map(toRecord) } });

export const uploadAlertFile =
  (files: AlertFiles): Handler<"uploadAlertFile"> =>
  async ({ query, body }, { streamerId }) => {
    const added = await files.add(streamerId, { name: query.name, bytes: body });
    if (!("refused" in added)) return { status: 201, body: { data: toRecord(added) } };
    if (added.refused === "no_room") return refusal("alert_files_full", noRoom);
    throw problemOfFile(added.refused);
  };

export const deleteAlertFile =
  (files: AlertFiles): Handler<"deleteAlertFile"> =>
  async ({ path }, { streamerId }) => {
    const outcome = await files.remove(streamerId, path.fileId);
    if (outcome === "unknown") return refusal("file_not_found", "There is no such file.");
    if (outcome === "in_use") return refusal("file_in_use", "A variation uses this file.");
    return { status: 204 };
  };

type Refused = FileRefusal | "too_large" | "no_room";
type BrokenRule = Readonly<{ code: Fault["code"]; message: string }>;

/** Of a file that is an image or a sound. */
const brokenRules: Readonly<Record<"empty" | "broken" | "active_content" | "too_many_pixels", BrokenRule>> = {
  empty: { code: "too_short", message: "must not be empty" },
  broken: {
    code: "invalid_format",
    message: "must be one whole image or sound: it is damaged, ends early, or has something behind its end",
  },
  active_content: { code: "invalid_format", message: "must not contain markup or a script" },
  too_many_pixels: {
    code: "out_of_range",
    message: `must be at most ${maxSide} pixels wide and high, of ${maxPixels} pixels in all, in at most ${maxFrames} pictures`,
  },
};

function problemOfFile(refused: Exclude<Refused, "no_room">): Problem {
  if (refused === "too_large") return new Problem("payload_too_large", `The file is larger than ${maxFileBytes / mebibyte} MiB.`);
  if (refused === "unsupported")
    return new Problem("unsupported_media_type", "The file is none of JPEG, PNG, GIF, WebP, WebM, WAV, MP3, M4A and Ogg, by its content.");
  return new Problem("validation_failed", "The file breaks a rule; errors names it.", {
    errors: [{ pointer: "", ...brokenRules[refused] }],
  });
}

function toRecord({ isUsed, createdAt, ...file }: AlertFile): Schemas["AlertFile"] {
  return { ...file, used: isUsed, createdAt: formatInstant(createdAt.getTime()) };
}

/** A file that is opened by itself has no rights at all, whatever a browser takes it for. It never changes. */
const headers = {
  "Content-Security-Policy": "default-src 'none'; sandbox",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Content-Disposition": "inline",
  "Cache-Control": "private, max-age=31536000, immutable",
};

/** Of files that are being sent, which slow clients keep in memory: a dozen of the largest. */
const maxBytesSent = 12 * maxFileBytes;

export function mediaPages(read: AlertFiles["read"], limits: Limits): PageRoutes {
  const openFile = sharedFiles(read, maxBytesSent);
  return {
    "GET /media": async ({ query, caller }) => {
      const limitHeaders = await limits.spend("media", network(caller.address));
      const file = await openFile(query.get("id") ?? "");
      if (!file) throw new Problem("route_not_found", "There is no such file.");
      return {
        status: 200,
        file: {
          type: file.mime,
          headers: { ...headers, ...limitHeaders, "Content-Length": String(file.size) },
          body: file.body,
        },
      };
    },
  };
}
