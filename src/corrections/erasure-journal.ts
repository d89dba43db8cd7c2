// The journal of erasures: a file outside of the database, because a backup of the database brings back what was erased since. It tells what to
// erase again, and not whom: donators are keyed hashes, whose key is in the database.

import { createHmac } from "node:crypto";
import { type FileHandle, mkdir, open, readFile } from "node:fs/promises";
import { dirname } from "node:path";

/** An entry, a line of JSON. `at` and `receivedBefore`: RFC 3339. */
export type JournalEntry =
  | Readonly<{ version: 1; type: "began" | "finished"; id: string; streamer: string; donator: string; at: string }>
  | Readonly<{ version: 1; type: "aged"; streamer: string; receivedBefore: string; at: string }>;

export type Journal = Readonly<{
  /** Makes the file if there is none. Throws an Error that names the setting when it cannot be appended to. */
  requireWritable: () => Promise<void>;
  /** Resolves when the entry is on the disk. Any number of processes of a machine may append at once. */
  append: (entry: JournalEntry) => Promise<void>;
  /** In the order in which they were written. Empty when there is no journal yet. Throws an Error that names a line that is none. */
  read: () => Promise<JournalEntry[]>;
}>;

export function openJournal(path: string): Journal {
  return {
    requireWritable: () => requireWritable(path),
    append: (entry) => append(path, `${JSON.stringify(entry)}\n`),
    read: () => readJournal(path),
  };
}

/** Hashes a donator's key for the journal. `secret` is the database's own: the file alone tells nobody who was erased. */
export function hashDonator(secret: Buffer, streamerId: string, donatorKey: string): string {
  return createHmac("sha256", secret).update(`${streamerId}\0${donatorKey}`).digest("hex");
}

/** Reads the lines of a journal. One that a crash has cut lacks its end, and its erasure had not begun. */
export function parseJournal(text: string, path: string): JournalEntry[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    if (!line.endsWith("}")) return [];
    const entry = parseEntry(line);
    if (entry) return [entry];
    throw new Error(
      `${path}, line ${index + 1}: this is no entry of a journal of erasures. Repair the line, or take the file from a backup.`,
    );
  });
}

async function requireWritable(path: string): Promise<void> {
  try {
    const [file, directory] = [await openForAppending(path), await open(dirname(path), "r")];
    await Promise.all([file.close(), directory.close()]);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `ERASURE_JOURNAL: "${path}" cannot be opened for appending (${code}). Every erasure is written there before it begins: name a file that this user may write.`,
      { cause: error },
    );
  }
}

async function openForAppending(path: string): Promise<FileHandle> {
  await mkdir(dirname(path), { recursive: true, mode: 0o711 });
  return open(path, "a+", 0o600);
}

/** One write at the end of the file, so that lines of several processes never mix. */
async function append(path: string, line: string): Promise<void> {
  const file = await openForAppending(path);
  try {
    await file.write(Buffer.from((await endsInLine(file)) ? line : `\n${line}`));
    await file.sync();
  } finally {
    await file.close();
  }
  const directory = await open(dirname(path), "r");
  await directory.sync().finally(() => directory.close());
}

/** False after a crash in the middle of a line. */
async function endsInLine(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return true;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === "\n".charCodeAt(0);
}

async function readJournal(path: string): Promise<JournalEntry[]> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  return parseJournal(text, path);
}

function parseEntry(line: string): JournalEntry | null {
  try {
    const entry = JSON.parse(line) as JournalEntry;
    return entry.version === 1 && typeof entry.streamer === "string" && typeof entry.at === "string" ? entry : null;
  } catch {
    return null;
  }
}
