// Commands that import donations from a file, list imports and take them back.

import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import { ensureApplication } from "../auth/api-keys.ts";
import { formatInstant, formatInstantOrNull } from "../base/instant.ts";
import { isTimeZoneName } from "../base/local-days.ts";
import { undoImport } from "../corrections/undo-import.ts";
import { makeVoider } from "../corrections/void-donations.ts";
import { newId } from "../db/ids.ts";
import { pools } from "../db/pools.ts";
import { type FileMember, fileMembers } from "../donations/import/files/columns.ts";
import { importStore } from "../donations/import/import-store.ts";
import { findRecorded } from "../donations/record/find-recorded.ts";
import { streamerStore } from "../donations/streamers.ts";
import { defaultTimezone, isId } from "../http/contract/published.ts";
import { makeLog } from "../telemetry/log.ts";
import { type CommandDeps, type Does, streamerCommand } from "./command.ts";
import { choicesOf, describeReading, refuseQuestions, toReading, withChoices } from "./import-reading.ts";

const listed = 100;
const progressMs = 1_000;

export function addImportCommands(donations: Command, does: Does): void {
  const add = streamerCommand(donations, "import <file>", "records the donations of a file in XLSX, CSV or NDJSON")
    .option("--dry-run", "records nothing, and says how the file is read")
    .option("--map <column=member>", 'what a column means, such as "Paid by=donatorName"; may be repeated', readMap)
    .option("--timezone <zone>", "the zone of times that name none", readZone, defaultTimezone)
    .option("--application <name>", "the application that idempotency keys belong to", "import")
    .option("--import-id <id>", "the import to continue", readImportId);
  withChoices(add).action(does(runImport));
  streamerCommand(donations, "imports", "lists imports").action(
    does(async ({ knex }, { streamer }) => {
      const imports = await importStore(knex).list((await streamerStore(knex).require(streamer)).id, listed);
      return imports.map((one) => ({ ...one, startedAt: formatInstant(one.startedAt), undoneAt: formatInstantOrNull(one.undoneAt) }));
    }),
  );
  streamerCommand(donations, "undo-import <import-id>", "voids every donation of an import").action(
    does(async ({ database, knex }, importId, options) => {
      const streamer = await streamerStore(knex).require(options.streamer);
      const voider = makeVoider(database.pool(pools.overlay));
      const voided = isId(importId) ? await undoImport(knex, voider, [streamer.id, importId]) : null;
      if (voided === null) throw new Error(`${streamer.handle} has no import "${importId}"; see donations imports`);
      return { importId, voided };
    }),
  );
}

type ImportOptions = Parameters<typeof choicesOf>[0] & {
  streamer: string;
  dryRun?: boolean;
  map?: Map<string, FileMember>;
  timezone: string;
  application: string;
  importId?: string;
};

/** Prints each row at fault and the progress on stderr, in a dry run how the file is read as well, and the counts at the end. */
async function runImport({ database, knex }: CommandDeps, file: string, given: ImportOptions): Promise<unknown> {
  // Imported here: no other command reads files or needs the contract's validators.
  const [{ openFile, readFile }, { dryRunImporter, importFile }, { makeImporter }, { checkImported }, { loadContract }] = await Promise.all(
    [
      import("../donations/import/files/open-file.ts"),
      import("../donations/import/files/import-file.ts"),
      import("../donations/import/importer.ts"),
      import("../donations/import/outcomes.ts"),
      import("../http/contract/contract.ts"),
    ],
  );
  const streamer = await streamerStore(knex).require(given.streamer);
  const { dryRun: isDry = false, importId = newId(), timezone, map: columns = new Map() } = given;
  const options = { timezone, columns, choices: choicesOf(given) };
  const reading = await readFile(file, options);
  if (isDry && reading) console.error(describeReading(reading));
  if (reading) refuseQuestions(reading);
  const applicationId = await ensureApplication(knex, streamer.id, given.application);
  if (!isDry && !(await importStore(knex).start(streamer.id, importId, file.split(/[/\\]/).at(-1))))
    throw new Error(`the import "${importId}" was undone, and nothing is added to it`);
  const counts = await importFile(openFile(file, options, reading), {
    checkItem: checkImported((await loadContract()).checkerOf),
    importer: isDry
      ? dryRunImporter((donations) => findRecorded(knex, donations))
      : makeImporter({ pool: database.pool(pools.imports), log: makeLog("warn") }),
    importId,
    by: { streamerId: streamer.id, applicationId },
    findKnown: (ids) => importStore(knex).findKnown(streamer.id, ids),
    onFault: (place, fault) => console.error(`${place}: ${fault}`),
    onAhead: (place) => console.error(`${place}: is dated more than a day ahead`),
    onProgress: everySecond(({ rows, recorded, recordedBefore, faulty }) =>
      console.error(`${rows} rows, ${recorded} recorded, ${recordedBefore} recorded before, ${faulty} at fault …`),
    ),
  });
  return isDry ? { dryRun: true, ...counts, ...(reading && { reading: toReading(reading) }) } : { importId, ...counts };
}

/** `--map "Paid by=donatorName"` */
function readMap(text: string, before: Map<string, FileMember> = new Map()): Map<string, FileMember> {
  const at = text.lastIndexOf("=");
  const member = fileMembers.find((one) => one === text.slice(at + 1));
  if (at < 1 || !member) throw new InvalidArgumentError(`It must be COLUMN=MEMBER, with one of ${fileMembers.join(", ")}.`);
  return before.set(text.slice(0, at), member);
}

function readImportId(text: string): string {
  if (!isId(text)) throw new InvalidArgumentError("It must be a UUID in lower case.");
  return text;
}

function readZone(name: string): string {
  if (!isTimeZoneName(name)) throw new InvalidArgumentError(`It must be an IANA name such as ${defaultTimezone}.`);
  return name;
}

/** Calls `report` with the latest value, once a second at most. */
function everySecond<Value>(report: (value: Value) => void): (value: Value) => void {
  let reportedAt = performance.now();
  return (value) => {
    if (performance.now() - reportedAt < progressMs) return;
    reportedAt = performance.now();
    report(value);
  };
}
