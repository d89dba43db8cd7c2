// Files that a streamer uploads: what an import of one would do, and its import in the background.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { ensureApplication } from "../../../auth/api-keys.ts";
import { newId } from "../../../db/ids.ts";
import { internalError, Problem } from "../../../http/problem.ts";
import { describeFailure } from "../../../telemetry/describe-failure.ts";
import { findRecorded } from "../../record/find-recorded.ts";
import { importStore, type RowFault } from "../import-store.ts";
import type { CheckItem } from "../outcomes.ts";
import { streamSlots } from "../stream-slots.ts";
import { missingMembers, type Places } from "./columns.ts";
import { type Counts, dryRunImporter, type FileImporter, importFile, noCounts } from "./import-file.ts";
import { type FileItem, type FileOptions, openFile } from "./open-file.ts";
import { type Preview, previewFile } from "./preview.ts";
import { tooManyRows } from "./reading.ts";
import type { FileChoices } from "./table.ts";

/**
 * `places`: of the members among the columns; null: by the names of the columns. `timezone`: of times without a zone, if the header names
 * none; of the IANA database. `choices`: what the streamer said of the file.
 */
export type Upload = Readonly<{ name: string; bytes: Buffer; places: Readonly<Places> | null; timezone: string; choices: FileChoices }>;

/**
 * `preview` is null for a file of lines. `counts` is null while the preview has questions, when the columns do not say enough to read donations,
 * and when the file cannot be read to its end: `unreadable` says why. `ahead`: the first rows that are dated more than a day ahead.
 */
export type CheckedUpload = Readonly<{
  preview: Preview | null;
  counts: Readonly<Counts> | null;
  faults: readonly RowFault[];
  ahead: readonly string[];
  unreadable: string | null;
}>;

type Uploads = Readonly<{
  /** Records nothing. Throws rate_limited while the streamer's uploads are being read. */
  check: (streamerId: string, upload: Upload) => Promise<CheckedUpload>;
  /** Begins to import, and resolves to the import's id. Throws rate_limited, as `check`. */
  start: (streamerId: string, upload: Upload) => Promise<string>;
  /** Stops imports that are under way after their chunk. They can be repeated. */
  stop: () => Promise<void>;
}>;

export type UploadDeps = Readonly<{
  knex: Knex;
  importer: FileImporter;
  checkItem: CheckItem;
  log: Logger;
  /** The application that owns what is imported, and its idempotency keys; by default the one of the command line's imports. */
  application?: (streamerId: string) => Promise<string>;
}>;

/** Files whose reading is under way. */
const maxReading = { perStreamer: 2, inAll: 8 };
/** A longer list is for the API or the command line, which read in constant memory. */
const maxRows = 20_000;
const maxInflatedBytes = 64 * 1_048_576;
const maxFaults = 100;
const maxAhead = 5;

class UnreadableFile extends Error {}

export function openUploads(deps: UploadDeps): Uploads {
  const { knex, log } = deps;
  const imports = importStore(knex);
  const admit = streamSlots(maxReading);
  const stopping = new AbortController();
  const jobs = new Set<Promise<void>>();
  return {
    check: async (streamerId, upload) => {
      const release = admit(streamerId);
      try {
        return await withFile(upload, (file) => checkFile(deps, { streamerId, upload, file }));
      } finally {
        release();
      }
    },
    start: async (streamerId, upload) => {
      const release = admit(streamerId);
      const importId = newId();
      try {
        await imports.start(streamerId, importId, upload.name);
        await imports.noteProgress(streamerId, importId, { state: "running", counts: noCounts, faults: [], failure: null });
      } catch (error) {
        release();
        throw error;
      }
      const job = withFile(upload, (file) => runImport(deps, { streamerId, upload, file, importId, signal: stopping.signal }))
        .catch((error: unknown) => log.error({ error: describeFailure(error), importId }, "can't import a file"))
        .finally(() => {
          release();
          jobs.delete(job);
        });
      jobs.add(job);
      return importId;
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(jobs);
    },
  };
}

type FileOf = Readonly<{ streamerId: string; upload: Upload; file: string }>;

async function checkFile(deps: UploadDeps, { streamerId, upload, file }: FileOf): Promise<CheckedUpload> {
  const faults: RowFault[] = [];
  const ahead: string[] = [];
  let preview: Preview | null = null;
  try {
    preview = await previewFile(file, optionsOf(upload), deps.checkItem).catch(toUnreadable);
    const reading = preview?.reading ?? null;
    if (reading && (missingMembers(reading.columns.places).length > 0 || reading.questions.length > 0))
      return { preview, counts: null, faults, ahead, unreadable: null };
    const counts = await importFile(itemsOf(openFile(file, optionsOf(upload), reading)), {
      ...(await fileDeps(deps, streamerId)),
      importer: dryRunImporter((donations) => findRecorded(deps.knex, donations)),
      importId: newId(),
      onFault: keepFirst(faults),
      onAhead: (place) => {
        if (ahead.length < maxAhead) ahead.push(place);
      },
    });
    return { preview, counts, faults, ahead, unreadable: null };
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    return { preview, counts: null, faults, ahead, unreadable: error.message };
  }
}

function optionsOf({ timezone, places, choices }: Upload, signal?: AbortSignal): FileOptions {
  return { timezone, columns: new Map(), places, choices, maxInflatedBytes, maxRows, signal };
}

type Job = FileOf & Readonly<{ importId: string; signal: AbortSignal }>;

/** The progress is noted as often at least: an import that waits for others to be recorded is taken for stopped after a minute. */
const heartbeatMs = 20_000;

/** Notes the progress after each chunk, and at the end why it ended. */
async function runImport(deps: UploadDeps, { streamerId, upload, file, importId, signal }: Job): Promise<void> {
  const { knex, importer } = deps;
  const faults: RowFault[] = [];
  let counts: Readonly<Counts> = noCounts;
  let noted: Promise<unknown> = Promise.resolve();
  const note = (state: "running" | "done" | "stopped", failure: string | null = null) =>
    importStore(knex).noteProgress(streamerId, importId, { state, counts, faults, failure });
  const noteRunning = () => {
    noted = noted.then(() => note("running")).catch(() => {}); // the next one says more
  };
  const importAll = async () =>
    importFile(itemsOf(openFile(file, optionsOf(upload, signal)), signal), {
      ...(await fileDeps(deps, streamerId)),
      importer,
      importId,
      onFault: keepFirst(faults),
      onProgress: (now) => {
        counts = { ...now };
        noteRunning();
      },
    });
  const heartbeat = setInterval(noteRunning, heartbeatMs);
  const failure = await importAll()
    .then(
      () => null,
      (error: unknown) => {
        if (error instanceof UnreadableFile || error instanceof Problem) return error.message;
        deps.log.error({ error: describeFailure(error), importId }, "can't import a file");
        return internalError().message;
      },
    )
    .finally(() => clearInterval(heartbeat));
  await noted;
  await note(failure === null ? "done" : "stopped", failure);
}

async function fileDeps({ checkItem, knex, application }: UploadDeps, streamerId: string) {
  const applicationId = await (application?.(streamerId) ?? ensureApplication(knex, streamerId, "import"));
  const by = { streamerId, applicationId };
  return {
    checkItem,
    by,
    findKnown: (ids: readonly string[]) => importStore(knex).findKnown(streamerId, ids),
  };
}

/** Ends with UnreadableFile where reading fails, after too many rows, and when `signal` says so. */
async function* itemsOf(opened: AsyncIterable<FileItem>, signal?: AbortSignal): AsyncIterable<FileItem> {
  const items = opened[Symbol.asyncIterator]();
  try {
    for (let rows = 0; ; rows += 1) {
      const { done, value } = await items.next().catch((error) => (signal?.aborted ? stopped() : toUnreadable(error)));
      if (done) return;
      if (signal?.aborted) stopped();
      if (rows === maxRows) throw new UnreadableFile(tooManyRows(maxRows).message);
      yield value;
    }
  } finally {
    await items.return?.();
  }
}

function keepFirst(faults: RowFault[]): (place: string, fault: string) => void {
  return (place, fault) => {
    if (faults.length < maxFaults) faults.push({ place, fault });
  };
}

/** The readers take a path. The file is gone when `act` has ended. */
async function withFile<Result>({ name, bytes }: Upload, act: (file: string) => Promise<Result>): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), "donations-upload-"));
  try {
    const kind = extname(name).toLowerCase();
    const file = join(directory, `upload${/^\.[a-z]{1,8}$/.test(kind) ? kind : ""}`);
    await writeFile(file, bytes, { mode: 0o600 });
    return await act(file);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function stopped(): never {
  throw new UnreadableFile("the server was stopped; import the file again");
}

function toUnreadable(error: unknown): never {
  const text = error instanceof Error ? error.message : String(error);
  throw new UnreadableFile(text.replace(/"\/[^"]*"/g, "this file"), { cause: error });
}
