// Mutants of imports.

import type { Edit, Mutants } from "../mutant.ts";

const inImport = (file: string, from: string, to: string): Edit => ({ file: `src/donations/import/${file}.ts`, from, to });
const inHttp = (file: string, from: string, to: string): Edit => ({ file: `src/http/${file}.ts`, from, to });
const recording = "newDonation(checked.donation, principal,";

export const imports: Mutants = {
  "import-alerts": {
    broken: "imported donations raise alerts that nobody asked for",
    edit: inImport("outcomes", recording, "newDonation({ ...checked.donation, skipAlert: false }, principal,"),
    killedBy: [["donations/import-donations", /raises no alert unless skipAlert is false/]],
  },
  "import-doubled": {
    broken: "an import that is sent again records its donations again",
    edit: inImport("outcomes", recording, "newDonation({ ...checked.donation, idempotencyKey: String(Math.random()) }, principal,"),
    killedBy: [["donations/import-donations", /sent again records nothing/]],
  },
  "import-numbered-anew": {
    broken: "the outcomes of lines count from 0 in each chunk",
    edit: inImport("answer-lines", "index += outcomes.length;", ""),
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
};
