// The operations on a streamer's images and sounds, and the page that serves them to whoever asks: the id can't be guessed.

import { formatInstant } from "../../base/instant.ts";
import { network } from "../../http/addresses.ts";
import { maxFileBytes, maxTotalFileBytes } from "../../http/contract/published.ts";
import type { Handler, Schemas } from "../../http/operations.ts";
import { type Fault, Problem, refusal } from "../../http/problem.ts";
import type { Limits } from "../../http/rate-limits/rate-limits.ts";
import type { PageRoutes } from "../../ui/serve-pages.ts";
import { type AlertFile, type AlertFiles, maxFiles } from "./alert-files.ts";
import { type FileRefusal, maxFrames, maxPixels, maxSide } from "./inspection.ts";
import { sharedFiles } from "./shared-files.ts";

type FileDeps = Readonly<{ files: Pick<AlertFiles, "list" | "add" | "remove"> }>;

const mebibyte = 1_048_576;
const noRoom = `The streamer has ${maxFiles} files, or would have more than ${maxTotalFileBytes / mebibyte} MiB of them with this one: delete others first.`;

export const listAlertFiles =
  ({ files }: FileDeps): Handler<"listAlertFiles"> =>
  async (_request, { streamerId }) => ({ status: 200, body: { data: (await files.list(streamerId)).map(toRecord) } });

export const uploadAlertFile =
  ({ files }: FileDeps): Handler<"uploadAlertFile"> =>
  async ({ query, body }, { streamerId }) => {
    const added = await files.add(streamerId, { name: query.name, bytes: body });
    if (!("refused" in added)) return { status: 201, body: { data: toRecord(added) } };
    if (added.refused === "no_room") return refusal("alert_files_full", noRoom);
    throw problemOfFile(added.refused);
  };

export const deleteAlertFile =
  ({ files }: FileDeps): Handler<"deleteAlertFile"> =>
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

type MediaDeps = Readonly<{ files: Pick<AlertFiles, "read">; limits: Pick<Limits, "spend"> }>;

/** Of files that are being sent, which slow clients keep in memory: a dozen of the largest. */
const maxBytesSent = 12 * maxFileBytes;

export function mediaPages({ files, limits }: MediaDeps): PageRoutes {
  const openFile = sharedFiles(files.read, maxBytesSent);
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
