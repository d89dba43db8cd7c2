import { beforeEach, expect, onTestFinished, test } from "vitest";
import { missingCitus } from "../../suite/servers/citus.ts";
import { needsOwnProcess } from "../../suite/servers/process.ts";
import { rehearseCitus } from "../../suite/servers/rehearsals/citus.ts";
import { distributeHistory } from "../../suite/servers/rehearsals/citus-history.ts";
import { longestGap } from "../../suite/servers/rehearsals/citus-steps.ts";
import { countTasks, findStatementFaults } from "../../suite/servers/rehearsals/task-counts.ts";
import { operatorOf, target } from "../../suite/values/target.ts";

// The small version of `make rehearse-citus`. The extension is in no package registry, so it may be missing in CI as well.

beforeEach(async (context) => {
  needsOwnProcess(context);
  const missing = await missingCitus();
  if (missing) context.skip(`not run: ${missing}`);
});

/** Adds what is undone at the end of the test, the last one first. */
const later = (undo: () => Promise<unknown>): void => onTestFinished(async () => void (await undo()));

test("no acknowledged donation is lost or doubled, and streamers of other shards go on, when machines of Citus are killed, frozen, added and restored", async (context) => {
  const { DATABASE_URL: _, DATA_DIR: __, ...env } = operatorOf(context).env;
  const { rows, restored, ...before } = await rehearseCitus({ env, kills: 1, seed: target().seed, streamers: 8, later });
  for (const { lost, doubled, unasked, unexpected, stored, reported } of [before, restored]) {
    expect({ lost, doubled, unasked, unexpected }).toEqual({ lost: 0, doubled: 0, unasked: 0, unexpected: [] });
    expect(reported).toBe(stored);
  }
  expect(before.movedShards).toBeGreaterThan(0);
  for (const { refusedElsewhere, unknownElsewhere, others } of rows) {
    expect({ refusedElsewhere, unknownElsewhere }).toEqual({ refusedElsewhere: 0, unknownElsewhere: 0 });
    expect(others).toBeLessThan(longestGap);
  }
}, 600_000);

test("every operation is answered, a statement of a request asks one shard at most, and an idle server sends what is listed", async (context) => {
  const { DATABASE_URL: _, DATA_DIR: __, ...env } = operatorOf(context).env;
  const counts = await countTasks({ env, later });
  expect(counts.refused).toEqual([]);
  expect(counts.unasked).toEqual([]);
  expect(counts.requests.length).toBeGreaterThan(100);
  expect(findStatementFaults(counts)).toEqual([]);
}, 600_000);

test("a history of a single PostgreSQL has the same rows and answers after Citus has distributed it, and goes on", async (context) => {
  const { DATABASE_URL: _, DATA_DIR: __, ...env } = operatorOf(context).env;
  const { before, after, nodes, repeated, recorded, counts, verified } = await distributeHistory({ env, later });
  expect(before.rows.donations?.count).toBe(304);
  expect(nodes.length, "both workers have shards").toBe(2);
  expect(after.rows).toEqual(before.rows);
  expect(Object.keys(before.answers).length).toBeGreaterThan(30);
  expect(after.answers).toEqual(before.answers);
  expect([repeated, recorded, counts[1] - counts[0]]).toEqual([422, 201, 1]);
  expect(JSON.parse(verified).faults).toBe(0);
}, 600_000);
