// Commands that import donations from a file, list imports and take them back.

import { ensureApplication } from "../auth/api-keys.ts";
import { formatInstant } from "../base/instant.ts";
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
import { type Command, type CommandDeps, checkEnum, type Input } from "./command.ts";
import { describeReading, readChoices, refuseQuestions, toReading } from "./import-reading.ts";

const listed = 100;
const progressMs = 1_000;

export const importCommands: Command[] = [
  {
    usage: [
      "donations import FILE.xlsx|csv|ndjson --streamer HANDLE [--dry-run] [--map COLUMN=MEMBER …]",
      "[--encoding NAME] [--separator comma|semicolon|tab|bar] [--sheet NAME] [--date-order day-first|month-first]",
      "[--decimal comma|point] [--timezone ZONE] [--with-unpaid] [--application NAME] [--import-id ID]",
    ].join(" "),
    options: {
      ...{ streamer: "once", "dry-run": "switch", map: "many", application: "once", "import-id": "once" },
      ...{ encoding: "once", separator: "once", sheet: "once", "date-order": "once", decimal: "once", timezone: "once" },
      "with-unpaid": "switch",
    },
    positionals: ["FILE"],
    run: runImport,
  },
  {
    usage: "donations imports --streamer HANDLE",
    options: { streamer: "once" },
    run: async ({ knex }, { require }) => {
      const streamer = await streamerStore(knex).require(require("streamer"));
      const imports = await importStore(knex).list(streamer.id, listed);
      return imports.map(({ startedAt, undoneAt, ...others }) => ({
        ...others,
        startedAt: formatInstant(startedAt),
        undoneAt: undoneAt === null ? null : formatInstant(undoneAt),
      }));
    },
  },
  {
    usage: "donations undo-import IMPORT_ID --streamer HANDLE    (voids every donation of the import)",
    options: { streamer: "once" },
    positionals: ["IMPORT_ID"],
    run: runUndo,
  },
];

/** Prints each row at fault and the progress on stderr, in a dry run how the file is read as well, and the counts at the end. */
async function runImport({ database, knex }: CommandDeps, input: Input): Promise<unknown> {
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
  const streamer = await streamerStore(knex).require(input.require("streamer"));
  const file = input.positional("FILE");
  const importId = checkImportId(input.get("import-id"));
  const options = {
    timezone: checkZone(input.get("timezone") ?? defaultTimezone),
    columns: readMap(input.all("map")),
    choices: readChoices(input),
  };
  const isDry = input.has("dry-run");
  const reading = await readFile(file, options);
  if (isDry && reading) console.error(describeReading(reading));
  if (reading) refuseQuestions(reading);
  const applicationId = await ensureApplication(knex, streamer.id, input.get("application") ?? "import");
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

async function runUndo({ database, knex }: CommandDeps, input: Input): Promise<unknown> {
  const streamer = await streamerStore(knex).require(input.require("streamer"));
  const importId = input.positional("IMPORT_ID");
  const voider = makeVoider(database.pool(pools.overlay));
  const voided = isId(importId) ? await undoImport(knex, voider, [streamer.id, importId]) : null;
  if (voided === null) throw new Error(`${streamer.handle} has no import "${importId}"; see donations imports`);
  return { importId, voided };
}

/** `--map "Paid by=donatorName"` */
function readMap(options: readonly string[]): Map<string, FileMember> {
  return new Map(
    options.map((option) => {
      const at = option.lastIndexOf("=");
      if (at < 1) throw new Error(`--map must be COLUMN=MEMBER, not "${option}"`);
      return [option.slice(0, at), checkEnum("map", option.slice(at + 1), fileMembers as readonly FileMember[])];
    }),
  );
}

function checkImportId(text: string | undefined): string {
  if (text !== undefined && !isId(text)) throw new Error(`--import-id must be a UUID in lower case, not "${text}"`);
  return text ?? newId();
}

function checkZone(name: string): string {
  if (isTimeZoneName(name)) return name;
  throw new Error(`--timezone must be an IANA name such as ${defaultTimezone}, not "${name}"`);
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
