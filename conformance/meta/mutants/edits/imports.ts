// Imports and their undo: faults that no single wrong answer shows, as edits of the sources.

import type { Mutants } from "../mutant.ts";

export const imports: Mutants = {
  "import-files-of-the-year-2569": {
    broken: "Buddhist years of an imported file are read as years of the Common Era",
    edit: { file: "src/donations/import/files/times.ts", from: "const buddhistEra = 543;", to: "const buddhistEra = 0;" },
    killedBy: [["donations/import-files", /Buddhist years, baht amounts and Thai names/]],
  },
  "import-goes-on-revoked": {
    broken: "an import of lines goes on after its credential was revoked",
    edit: { file: "src/donations/import/import-donations.ts", from: "!(await isStillAllowed(job)) || ", to: "" },
    killedBy: [["donations/import-broken-off", /whose credential is revoked ends after the lines before/]],
  },
  "undo-what-follows": {
    broken: "undoing an import voids every donation that was recorded after it began",
    edit: { file: "src/corrections/undo-import.ts", from: "sequence between r.first and r.last", to: "sequence >= least(r.first, r.last)" },
    killedBy: [["donations/undo-import", /and nothing else/]],
  },
  "undo-and-go-on": {
    broken: "donations are added to an import that was undone",
    edit: { file: "src/corrections/undo-import.ts", from: "await imports.markUndone(streamerId, importId);", to: "" },
    killedBy: [
      ["donations/undo-import", /that was undone is refused with import_undone/],
      ["donations/undo-import", /lines under way end/],
    ],
  },
  "undo-keeps-keys": {
    broken: "what an undo took back can't be imported again",
    edit: { file: "src/corrections/undo-import.ts", from: ", freesKeys: true", to: "" },
    killedBy: [["donations/undo-import", /records what the undo took back/]],
  },
  "undo-frees-every-key": {
    broken: "an undo frees the keys of donations that were void before as well",
    edit: {
      file: "src/corrections/undo-import.ts",
      from: "const voided = await voidAll(ranges);",
      to: `const voided = await voidAll(ranges);
  for (const { first, last } of ranges)
    await knex.raw("update donations set idempotency_key = null where streamer_id = ? and sequence between ? and ?", [streamerId, first, last]);`,
    },
    killedBy: [["donations/undo-import", /does not bring back what was void before/]],
  },
  "undo-of-every-streamer": {
    broken: "undoing an import ends the imports of other streamers with the same id",
    edit: {
      file: "src/donations/import/import-store.ts",
      from: "update imports set undone_at = now() where streamer_id = ? and id = ?",
      to: "update imports set undone_at = now() where ?::uuid is not null and id = ?",
    },
    killedBy: [["donations/undo-import", /leaves another streamer's import/]],
  },
};
