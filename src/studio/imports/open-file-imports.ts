// Imports of files that streamers upload, for the studio.

import { undoImport } from "../../corrections/undo-import.ts";
import type { Voider } from "../../corrections/void-donations.ts";
import { openUploads, type UploadDeps } from "../../donations/import/files/uploads.ts";
import { importStore } from "../../donations/import/import-store.ts";
import { isId } from "../../http/contract/published.ts";

/** The streamer's imports of files. Ids may have any form: of what is not one there is no import. */
export type Imports = ReturnType<typeof openFileImports>["imports"];

const listed = 50;

/** What is imported belongs to the application "import", as on the command line, so that a file that was imported there is known. */
export function openFileImports(deps: UploadDeps, voider: Voider) {
  const { knex } = deps;
  const store = importStore(knex);
  const { check, start, stop } = openUploads(deps);
  return {
    imports: {
      check,
      start,
      /** The latest that recorded anything, newest first. */
      list: (streamerId: string) => store.list(streamerId, listed),
      find: async (streamerId: string, id: string) => (isId(id) ? store.find(streamerId, id) : null),
      findProgress: async (streamerId: string, id: string) => (isId(id) ? store.findProgress(streamerId, id) : null),
      /** Voids every donation of the import. Resolves to how many; null when there is no such import. */
      undo: async (streamerId: string, id: string) => (isId(id) ? undoImport(knex, voider, [streamerId, id]) : null),
    },
    stop,
  };
}
