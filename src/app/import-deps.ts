// What the operation importDonations needs of the other folders.

import type { ImportDeps } from "../donations/import/import-donations.ts";
import { importStore } from "../donations/import/import-store.ts";
import type { Importer } from "../donations/import/importer.ts";
import { checkImported } from "../donations/import/outcomes.ts";
import { sharedStreamSlots } from "../donations/import/stream-slots.ts";
import { bucketOf } from "../http/guards.ts";
import type { AppDeps } from "./app-deps.ts";
import type { Security } from "./open-security.ts";

/** Imports that are sent line by line. Each keeps a connection open. */
const maxStreams = { perStreamer: 16, inAll: 64 };

/** `leaving`: aborted when the server stops. */
export function importDeps(
  { config, database }: AppDeps,
  { contract, limits, credentials }: Security,
  { importer, leaving }: { importer: Importer; leaving: AbortSignal },
): ImportDeps {
  return {
    importer,
    imports: importStore(database.knex),
    checkItem: checkImported(contract),
    takeTokens: async (principal, tokens) => limits.spend("import", bucketOf(principal), { streamerId: principal.streamerId, tokens }),
    admit: sharedStreamSlots(maxStreams),
    authenticator: credentials.authenticatorFor(config.baseUrl),
    leaving,
  };
}
