import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { LogPage, LogQuestion } from "../../log.ts";
import { sendDue } from "./batches.ts";
import { batchCommits, type Progress } from "./commits.ts";
import { openBatchLimits, shareReadings } from "./worker.ts";

test("an event that can't be read keeps no answer of the same batch from being committed, and is due again", async () => {
  const committed: string[][] = [];
  const due = [1, 2].map((position) => ({ eventId: `e${position}`, type: "donation.created" as const, position, failures: 0 }));
  const deps = {
    store: {
      due: async () => due,
      commit: async ({ written }: { written: readonly { eventId: string }[] }) => {
        committed.push(written.map(({ eventId }) => eventId));
        return true;
      },
    },
    events: {
      read: async ({ after }: { after: number }) => {
        if (after === 1) throw new Error("the connection was lost");
        return { events: [{ id: "e1", type: "donation.created", position: 1, at: 0, donationId: null }], position: 1, hasMore: false };
      },
    },
    random: () => 0,
    now: () => 0,
    onAttempt: () => {},
  };
  const attempt = { at: 0, status: 200, ms: 1, answer: null, error: null };
  const request = {
    held: {
      id: "endpoint",
      streamerId: "s",
      applicationId: "a",
      types: ["donation.created"],
      secrets: [],
      position: 2,
      failingSince: null,
    },
    connection: { send: async () => ({ attempt, retryAfterMs: null }) },
    isSlow: false,
    isStopping: () => false,
  };
  await expect(sendDue(deps as never, request as never)).rejects.toThrow("the connection was lost");
  expect(committed).toEqual([["e1"]]);
});

const never = () => new Promise<never>(() => {});

/** "still waiting" when the limits keep the batch waiting for batches that never end. */
const orWaiting = (batch: Promise<string>) => Promise.race([batch, sleep(1_000, "still waiting", { ref: false })]);

test.each([true, false])("a streamer whose endpoints all hang does not keep those of others waiting (slow: %s)", async (isSlow) => {
  const limits = openBatchLimits();
  for (let i = 0; i < 1_000; i += 1) void limits.run({ streamerId: "a", isSlow }, never);
  expect(await orWaiting(limits.run({ streamerId: "b", isSlow }, async () => "sent"))).toBe("sent");
});

test("endpoints that hang and are known to be slow do not keep quick ones waiting", async () => {
  const limits = openBatchLimits();
  for (let i = 0; i < 1_000; i += 1) void limits.run({ streamerId: `${i}`, isSlow: true }, never);
  expect(await orWaiting(limits.run({ streamerId: "a", isSlow: false }, async () => "sent"))).toBe("sent");
});

test("a streamer's batches all run, and no more of them at once than one streamer may have", async () => {
  const limits = openBatchLimits();
  let [running, most] = [0, 0];
  const task = async () => {
    running += 1;
    most = Math.max(most, running);
    await sleep(1);
    running -= 1;
    return 1;
  };
  const sent = await Promise.all(Array.from({ length: 300 }, () => limits.run({ streamerId: "a", isSlow: false }, task)));
  expect([sent.length, most]).toEqual([300, 64]);
});

test("a batch that fails leaves its place", async () => {
  const limits = openBatchLimits();
  const fail = () => limits.run({ streamerId: "a", isSlow: true }, () => Promise.reject(new Error("no")));
  for (let i = 0; i < 100; i += 1) await expect(fail()).rejects.toThrow("no");
  await expect(limits.run({ streamerId: "a", isSlow: true }, async () => 1)).resolves.toBe(1);
});

const question: LogQuestion = { streamerId: "1", after: 5, types: ["donation.created"], withImported: true, limit: 100 };
const page: LogPage = { events: [], position: 6, hasMore: false };

function readings() {
  const asked: LogQuestion[] = [];
  const ends: (() => void)[] = [];
  const log = shareReadings({
    read: (one) => {
      asked.push(one);
      return new Promise((resolve) => ends.push(() => resolve(page)));
    },
  });
  return { log, asked, end: () => ends.splice(0).forEach((one) => void one()) };
}

test("endpoints that ask for the same page of a log at the same time share one reading", async () => {
  const { log, asked, end } = readings();
  const answers = [
    log.read(question),
    log.read({ ...question }),
    log.read({ ...question, after: 4 }),
    log.read({ ...question, streamerId: "2" }),
  ];
  end();
  expect(await Promise.all(answers)).toEqual([page, page, page, page]);
  expect(asked.map(({ streamerId, after }) => [streamerId, after])).toEqual([
    ["1", 5],
    ["1", 4],
    ["2", 5],
  ]);
  const later = log.read(question);
  end();
  await later;
  expect(asked).toHaveLength(4);
});

test("a reading of a log is not shared with those who ask after something has happened to the streamer", async () => {
  const { log, asked, end } = readings();
  const before = log.read(question);
  log.forget("1");
  const after = [log.read(question), log.read(question)];
  end();
  await Promise.all([before, ...after]);
  expect(asked).toHaveLength(2);
});

const progress = (endpointId: string, position = 1): Progress => ({
  ...{ endpointId, position, written: [] },
  health: { failing: "kept", failedAt: null, pausedUntil: null, disabledReason: null },
});

/** A database that notes what it writes, fails for the endpoint `broken`, and does not have the endpoint `lost`. */
function open() {
  const written: string[][] = [];
  const commit = batchCommits(async (all) => {
    written.push(all.map(({ endpointId, position }) => `${endpointId} ${position}`));
    await new Promise(setImmediate);
    if (all.some(({ endpointId }) => endpointId === "broken")) throw new Error("it can't be written");
    return new Set(all.map(({ endpointId }) => endpointId).filter((id) => id !== "lost"));
  });
  return { written, commit };
}

test("batches of several endpoints that come together are written together, and each learns whether it was", async () => {
  const { written, commit } = open();
  expect(await Promise.all(["a", "lost", "b"].map((id) => commit(progress(id))))).toEqual([true, false, true]);
  expect(written.map((all) => all.toSorted())).toEqual([["a 1", "b 1", "lost 1"]]);
});

test("two batches of one endpoint are written one after the other", async () => {
  const { written, commit } = open();
  await Promise.all([commit(progress("a", 1)), commit(progress("b", 1)), commit(progress("a", 2))]);
  expect(written.map((all) => all.toSorted())).toEqual([["a 1", "b 1"], ["a 2"]]);
});

test("a batch that can't be written fails alone, and the next ones are written", async () => {
  const { commit } = open();
  const results = await Promise.allSettled(["a", "broken", "b"].map((id) => commit(progress(id))));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(await commit(progress("a", 2))).toBe(true);
});
