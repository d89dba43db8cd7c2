import { beforeEach, expect, test } from "vitest";
import { postgresPrograms } from "../../suite/servers/cluster.ts";
import { isPoolerInstalled } from "../../suite/servers/pooler.ts";
import { kinds, rehearsePooler } from "../../suite/servers/rehearsals/pooler.ts";
import { needsOwnProcess } from "../../suite/servers/start-server.ts";
import { operatorOf, target } from "../../suite/values/target.ts";

// The small version of `make rehearse-pooler`.

beforeEach(needsOwnProcess);

/** In CI a missing program is a failure. */
const isRequired = process.env.CI !== undefined;

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
