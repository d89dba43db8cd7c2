import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { uuidv7 } from "uuidv7";
import { expect, test } from "vitest";
import { useErasureFixture } from "../../../corrections/testing-erasure.ts";
import { silent, temporaryDirectory } from "../../../db/testing.ts";
import { loadContract } from "../../../http/contract/contract.ts";
import { findRecorded } from "../../record/find-recorded.ts";
import { importStore } from "../import-store.ts";
import { makeImporter } from "../importer.ts";
import { checkImported } from "../outcomes.ts";
import { dryRunImporter, type FileImporter, importFile, noCounts } from "./import-file.ts";
import { openFile } from "./open-file.ts";
import { noChoices } from "./table.ts";

const checkItem = checkImported((await loadContract()).checkerOf);
const fixture = useErasureFixture();

const createdAt = "2024-11-20T19:30:00+07:00";

test("a dry run counts the rows of a file, and names its faults, as the import then does", async () => {
  const streamerId = await fixture.newStreamer();
  const { applicationId } = await fixture.donate(streamerId, { donatorName: "before", idempotencyKey: "before", skipAlert: true });
  const erased = { donatorName: "erased", identifier: "line:erased", idempotencyKey: "erased", skipAlert: true };
  await fixture.donate(streamerId, { applicationId, ...erased });
  await fixture.eraser.erase(streamerId, ["i:line:erased"]);
  const rows = [
    { donatorName: "new", amount: 5, idempotencyKey: "new" },
    { donatorName: "new", amount: 5, idempotencyKey: "new" },
    { donatorName: "new", amount: 6, idempotencyKey: "new" },
    { donatorName: "new", amount: 5, idempotencyKey: "new", createdAt },
    { donatorName: "before", amount: 1, idempotencyKey: "before" },
    { donatorName: "before", amount: 2, idempotencyKey: "before" },
    { donatorName: "erased", amount: 1, identifier: "line:erased", idempotencyKey: "erased" },
    { donatorName: "erased", amount: 2, idempotencyKey: "erased" },
    { donatorName: "late", amount: 0, idempotencyKey: "late" },
    { donatorName: "late", amount: 7, idempotencyKey: "late", createdAt },
    { donatorName: "late", amount: 7, idempotencyKey: "late", createdAt: "2024-11-20T12:30:00Z" },
    ...Array.from({ length: 250 }, (_, index) => ({ donatorName: "many", amount: 1 + index, idempotencyKey: `many-${index}` })),
    { donatorName: "many", amount: 1, idempotencyKey: "many-0" }, // in another chunk than its first row
  ];
  const by = { streamerId, applicationId };
  const dry = await run(
    rows,
    by,
    dryRunImporter((donations) => findRecorded(fixture.knex, donations)),
  );
  expect(dry.counts).toEqual({ ...noCounts, rows: 262, recorded: 252, recordedBefore: 5, faulty: 5 });
  expect(await run(rows, by, makeImporter({ pool: fixture.pool, log: silent }))).toEqual(dry);
});

async function run(rows: readonly object[], by: { streamerId: string; applicationId: string }, importer: FileImporter) {
  const file = join(await temporaryDirectory(), "rows.ndjson");
  await writeFile(file, rows.map((row) => JSON.stringify(row)).join("\n"));
  const [importId, faults] = [uuidv7(), [] as string[]];
  await importStore(fixture.knex).start(by.streamerId, importId);
  const counts = await importFile(openFile(file, { timezone: "Asia/Bangkok", columns: new Map(), choices: noChoices }), {
    ...{ checkItem, importer, importId, by },
    findKnown: (ids) => importStore(fixture.knex).findKnown(by.streamerId, ids),
    onFault: (place, fault) => faults.push(`${place}: ${fault}`),
  });
  return { counts, faults };
}
