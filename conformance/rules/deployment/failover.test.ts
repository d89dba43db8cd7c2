import { beforeEach, expect, test } from "vitest";
import { postgresPrograms } from "../../suite/servers/cluster.ts";
import { missingPackages } from "../../suite/servers/patroni.ts";
import { kills, rehearseFailover } from "../../suite/servers/rehearsals/failover.ts";
import { isPoolerInstalled, kinds, rehearsePooler } from "../../suite/servers/rehearsals/pooler.ts";
import { needsOwnProcess } from "../../suite/servers/start-server.ts";
import { operatorOf, target } from "../../suite/values/target.ts";

// The small version of `make rehearse-failover`.

beforeEach(needsOwnProcess);

/** In CI a missing program is a failure. */
const isRequired = process.env.CI !== undefined;

test("no acknowledged donation is lost or doubled and every report is exact when the primary is killed and its synchronous standby takes over", async (context) => {
  const missing = isRequired ? [] : await missingPackages();
  if (missing.length > 0) context.skip(`not run: ${missing.join(", ")} missing (apt-get install ${missing.join(" ")})`);
  const { DATABASE_URL: _, DATA_DIR: __, ...env } = operatorOf(context).env;
  const {
    rows,
    acknowledged: _all,
    reported,
    stored,
    ...judged
  } = await rehearseFailover({ env, count: 1, seed: target().seed, failures: kills.filter(({ name }) => name === "machine killed") });
  expect(judged).toEqual({ lost: 0, doubled: 0, unasked: 0, unexpected: [] });
  expect(reported).toBe(stored);
  for (const { acknowledged, reports } of rows) expect(Math.min(acknowledged, reports)).toBeGreaterThan(0);
}, 600_000);

// The small version of `make rehearse-pooler`.

test("two processes behind PgBouncer in transaction mode lose and double no donation when connections, PostgreSQL and PgBouncer are killed in the middle of commits", async (context) => {
  if (!isRequired && !isPoolerInstalled()) context.skip("not run: there is no pgbouncer (apt-get install pgbouncer)");
  if (!isRequired && !(await postgresPrograms()))
    context.skip("not run: there is no PostgreSQL in /usr/lib/postgresql (apt-get install postgresql)");
  const { DATABASE_URL: _, DATA_DIR: __, ...env } = operatorOf(context).env;
  const rows = await rehearsePooler({ env, kills: 2, seed: target().seed });
  expect(rows.map(({ kind, lost, doubled, unasked, unexpected }) => ({ kind, lost, doubled, unasked, unexpected }))).toEqual(
    kinds.map((kind) => ({ kind, lost: 0, doubled: 0, unasked: 0, unexpected: 0 })),
  );
  for (const { acknowledged } of rows) expect(acknowledged).toBeGreaterThan(0);
}, 600_000);
