// Mutants of imports.

import type { Edit, Mutants } from "../mutant.ts";

const inImport = (file: string, from: string, to: string): Edit => ({ file: `src/donations/import/${file}.ts`, from, to });
const inUndo = (from: string, to: string): Edit => ({ file: "src/corrections/undo-import.ts", from, to });
const inHttp = (file: string, from: string, to: string): Edit => ({ file: `src/http/${file}.ts`, from, to });
const recording = "newDonation(checked.donation, principal,";

export const imports: Mutants = {
  "import-alerts": {
    broken: "imported donations raise alerts that nobody asked for",
    edit: inImport("outcomes", recording, "newDonation({ ...checked.donation, skipAlert: false }, principal,"),
    killedBy: [["donations/import-donations", /raises no alert unless skipAlert is false/]],
  },
  "import-files-of-the-year-2569": {
    broken: "Buddhist years of an imported file are read as years of the Common Era",
    edit: inImport("files/times", "const buddhistEra = 543;", "const buddhistEra = 0;"),
    killedBy: [["donations/import-files", /Buddhist years, baht amounts and Thai names/]],
  },
  "import-doubled": {
    broken: "an import that is sent again records its donations again",
    edit: inImport("outcomes", recording, "newDonation({ ...checked.donation, idempotencyKey: String(Math.random()) }, principal,"),
    killedBy: [["donations/import-donations", /sent again records nothing/]],
  },
  "import-numbered-anew": {
    broken: "the outcomes of lines count from 0 in each chunk",
    edit: inHttp("body/body-lines", "index += 1;", "index = (index + 1) % 200;"),
    killedBy: [["donations/import-lines", /thousands of lines are answered in their order/]],
  },
  "import-goes-on-revoked": {
    broken: "an import of lines goes on after its credential was revoked",
    edit: inImport("answer-lines", "!(await isStillAllowed(job)) || ", ""),
    killedBy: [["donations/import-broken-off", /whose credential is revoked ends after the lines before/]],
  },
  "import-id-ignored": {
    broken: "an import has a new id although the request names one",
    edit: inImport("import-donations", "query.importId ?? newId()", "newId()"),
    killedBy: [["donations/import-donations", /has the id that the request names/]],
  },
  "import-faults-unnamed": {
    broken: "the problem of an imported donation does not name its faults",
    edit: inImport("outcomes", "...(errors && { errors: errors.slice(0, maxFaults) }),", ""),
    killedBy: [["donations/import-donations", /is refused for the faults that the single operation names/]],
  },
  "line-limit-doubled": {
    broken: "a line may be twice as long as a body",
    edit: inHttp("body/body-lines", "lineSplitter(maxBodyBytes)", "lineSplitter(2 * maxBodyBytes)"),
    killedBy: [["donations/import-lines", /a line above the limit is judged/]],
  },
  "lines-cut-at-chunks": {
    broken: "a line that arrives in two pieces is read as two lines",
    edit: inHttp(
      "body/line-splitter",
      "append(chunk.subarray(from));\n    },",
      "append(chunk.subarray(from));\n      if (length > 0) yield take();\n    },",
    ),
    killedBy: [["donations/import-lines", /same bytes have the same answers/]],
  },
  "last-line-lost": {
    broken: "a last line without a line feed is not read",
    edit: inHttp("body/line-splitter", "if (length > 0) yield take();", ""),
    killedBy: [["donations/import-lines", /last line needs no line feed/]],
  },
  "undo-first-request": {
    broken: "undoing an import voids what its first request recorded",
    edit: inUndo("const voided = await voidAll(ranges);", "const voided = await voidAll(ranges.slice(0, 1));"),
    killedBy: [["donations/undo-import", /voids every donation that it recorded/]],
  },
  "undo-what-follows": {
    broken: "undoing an import voids every donation that was recorded after it began",
    edit: inUndo("sequence between r.first and r.last", "sequence >= least(r.first, r.last)"),
    killedBy: [["donations/undo-import", /and nothing else/]],
  },
  "undo-and-go-on": {
    broken: "donations are added to an import that was undone",
    edit: inUndo("await imports.markUndone(streamerId, importId);", ""),
    killedBy: [
      ["donations/undo-import", /that was undone is refused with import_undone/],
      ["donations/undo-import", /lines under way end/],
    ],
  },
  "undo-keeps-keys": {
    broken: "what an undo took back can't be imported again",
    edit: inUndo(", freesKeys: true", ""),
    killedBy: [["donations/undo-import", /records what the undo took back/]],
  },
  "undo-frees-every-key": {
    broken: "an undo frees the keys of donations that were void before as well",
    edit: inUndo(
      "const voided = await voidAll(ranges);",
      `const voided = await voidAll(ranges);
  for (const { first, last } of ranges)
    await knex.raw("update donations set idempotency_key = null where streamer_id = ? and sequence between ? and ?", [streamerId, first, last]);`,
    ),
    killedBy: [["donations/undo-import", /does not bring back what was void before/]],
  },
  "undone-by-outcome": {
    broken: "a request that names an undone import is answered 200, and each of its donations is refused",
    edit: inImport("import-store", "if (rows[0]) return !rows[0].isUndone;", "if (rows[0]) return true;"),
    killedBy: [["donations/undo-import", /that was undone is refused with import_undone/]],
  },
  "undo-of-every-streamer": {
    broken: "undoing an import ends the imports of other streamers with the same id",
    edit: inImport(
      "import-store",
      "update imports set undone_at = now() where streamer_id = ? and id = ?",
      "update imports set undone_at = now() where ?::uuid is not null and id = ?",
    ),
    killedBy: [["donations/undo-import", /leaves another streamer's import/]],
  },
};
