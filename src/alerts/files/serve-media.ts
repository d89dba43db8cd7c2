// Serves uploaded images and sounds to pages of the overlay and the studio, whoever asks: the id can't be guessed.

import { maxFileBytes } from "../../http/contract/published.ts";
import { network } from "../../http/network.ts";
import { Problem } from "../../http/problem.ts";
import type { Limits } from "../../http/rate-limits/rate-limits.ts";
import type { PageRoutes } from "../../ui/serve-pages.ts";
import type { AlertFiles } from "./alert-files.ts";
import { sharedFiles } from "./shared-files.ts";

/** A file that is opened by itself has no rights at all, whatever a browser takes it for. It never changes. */
const headers = {
  "Content-Security-Policy": "default-src 'none'; sandbox",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Content-Disposition": "inline",
  "Cache-Control": "private, max-age=31536000, immutable",
};

export type MediaDeps = Readonly<{ files: Pick<AlertFiles, "read">; limits: Pick<Limits, "spend"> }>;

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
