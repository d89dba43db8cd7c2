// `make rehearse-pooler`: two server processes behind PgBouncer in transaction mode, under load, whose connections, PostgreSQL and PgBouncer
// are killed in the middle of commits. Prints what became of the donations. KILLS=20 of each kind, SEED=1.

import { isPoolerInstalled, rehearsePooler } from "../../suite/servers/rehearsals/pooler.ts";
import { operatorEnvironment, requireInstalled } from "./environment.ts";

requireInstalled(isPoolerInstalled() ? null : "there is no pgbouncer (apt-get install pgbouncer)");
const env = operatorEnvironment();
const rows = await rehearsePooler({ env, kills: Number(process.env.KILLS || 20), seed: Number(process.env.SEED || 1) });
console.table(Object.fromEntries(rows.map(({ kind, ...row }) => [kind, row])));
const breaches = rows.reduce((sum, { lost, doubled, unasked, unexpected }) => sum + lost + doubled + unasked + unexpected, 0);
console.log(breaches === 0 ? "0 acknowledged lost, 0 doubled" : `${breaches} breaches`);
process.exit(breaches === 0 ? 0 : 1);
