import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../db/testing.ts";
import { hashDonator, type JournalEntry, openJournal, parseJournal } from "./erasure-journal.ts";

const entry = (id: string): JournalEntry => ({
  version: 1,
  type: "began",
  id,
  streamer: "s",
  donator: "d",
  at: "2026-11-21T00:00:00.000Z",
});

test("entries that are appended at once are all in the journal, each on a line of its own", async () => {
  const path = join(await temporaryDirectory(), "below", "erasures.ndjson");
  const journals = [openJournal(path), openJournal(path)];
  await Promise.all(Array.from({ length: 60 }, (_, i) => journals[i % 2]?.append(entry(`e${i}`))));
  const ids = (await openJournal(path).read()).flatMap((one) => ("id" in one ? [one.id] : []));
  expect(ids.toSorted()).toEqual(Array.from({ length: 60 }, (_, i) => `e${i}`).toSorted());
});

test("a line that a crash has cut is passed over, and what is appended next stands on a line of its own", async () => {
  const path = join(await temporaryDirectory(), "erasures.ndjson");
  const journal = openJournal(path);
  await journal.append(entry("whole"));
  await appendFile(path, '{"version":1,"type":"beg');
  await journal.append(entry("next"));
  expect(await journal.read()).toEqual([entry("whole"), entry("next")]);
  expect((await readFile(path, "utf8")).split("\n")).toHaveLength(4);
});

test("a journal that can be written is made and stays empty; one that cannot is refused by the setting's name", async () => {
  const folder = await temporaryDirectory();
  const path = join(folder, "below", "erasures.ndjson");
  await openJournal(path).requireWritable();
  expect(await openJournal(path).read()).toEqual([]);
  for (const wrong of [folder, join(path, "below.ndjson")])
    await expect(openJournal(wrong).requireWritable()).rejects.toThrow(
      /^ERASURE_JOURNAL: ".*" cannot be opened for appending \((EISDIR|EEXIST)\)/,
    );
});

test("a line of a journal that is no entry is named with its number", () => {
  expect(() => parseJournal(`${JSON.stringify(entry("a"))}\n{"other":1}\n`, "j")).toThrow("j, line 2");
});

test("a donator's hash differs between streamers and between secrets", () => {
  const [one, two] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  expect(new Set([hashDonator(one, "a", "i:x"), hashDonator(one, "b", "i:x"), hashDonator(two, "a", "i:x")]).size).toBe(3);
});
