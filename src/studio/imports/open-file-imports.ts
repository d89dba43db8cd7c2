// Imports of files that streamers upload, for the studio.

import type { Knex } from "knex";
import type { Logger } from "pino";
import { ensureApplication } from "../../auth/api-keys.ts";
import { undoImport } from "../../corrections/undo-import.ts";
import type { Voider } from "../../corrections/void-donations.ts";
import { openUploads } from "../../donations/import/files/uploads.ts";
import { importStore } from "../../donations/import/import-store.ts";
import type { Importer } from "../../donations/import/importer.ts";
import type { CheckItem } from "../../donations/import/outcomes.ts";
import { streamSlots } from "../../donations/import/stream-slots.ts";
import { findRecorded } from "../../donations/record/find-recorded.ts";
import { isId } from "../../http/contract/published.ts";

/** The streamer's imports of files. Ids may have any form: of what is not one there is no import. */
export type Imports = ReturnType<typeof openFileImports>["imports"];

type FileImportDeps = {
  knex: Knex;
  log: Logger;
  importer: Importer;
  checkItem: CheckItem;
  voider: Voider;
};

const listed = 50;

/** What is imported belongs to the application "import", as on the command line, so that a file that was imported there is known. */
export function openFileImports({ knex, log, importer, checkItem, voider }: FileImportDeps) {
  const store = importStore(knex);
  const { check, start, stop } = openUploads({
    importer,
    imports: store,
    findRecorded: (donations) => findRecorded(knex, donations),
    checkItem,
    log,
    application: (streamerId) => ensureApplication(knex, streamerId, "import"),
    admit: streamSlots({ perStreamer: 2, inAll: 8 }),
  });
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
