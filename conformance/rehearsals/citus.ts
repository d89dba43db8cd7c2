// `make rehearse-citus`: two server processes on a Citus cluster of a coordinator and two workers, under the load of many streamers. Workers
// are killed in turn and come back; then one is added, and shards are moved to it. Prints what became of donations and reports.
// KILLS=10 in all, SEED=1, STREAMERS=24.

import { cleanupAtTheEnd } from "../bench/cleanup.ts";
import { rehearseCitus } from "../harness/rehearsals/citus.ts";
import { missingCitus } from "../harness/server/citus.ts";
import { compileCache } from "../harness/server/serve.ts";

const missing = await missingCitus();
if (missing) {
  console.error(`not run: ${missing}`);
  process.exit(1);
}
const inherited = Object.entries(process.env).filter(([name]) => /^(PATH|HOME|USER|TMPDIR)$/.test(name));
const env = { ...(Object.fromEntries(inherited) as Record<string, string>), NODE_COMPILE_CACHE: compileCache };
const { later, run } = cleanupAtTheEnd();
const kills = Number(process.env.KILLS || 10);
const { rows, acknowledged, lost, doubled, unasked, unexpected, stored, reported, verified, movedShards } = await rehearseCitus({
  later,
  env,
  kills,
  seed: Number(process.env.SEED || 1),
  streamers: Number(process.env.STREAMERS || 24),
  onRow: ({ step, seconds, heldUp }) => console.log(`${step}: ${seconds} s, ${heldUp} streamers of other shards held up`),
}).finally(run);
console.table(rows);
console.log(`acknowledged ${acknowledged}: lost ${lost}, doubled ${doubled}; reports have ${reported} of ${stored} donations`);
console.log(`${movedShards} shards of donations are on the added worker; database verify: ${verified}`);
for (const text of new Set(unexpected)) console.log(`unexpected: ${text}`);
if (unasked > 0) console.log(`recorded after a refusal: ${unasked}`);
const elsewhere = rows.reduce((sum, row) => sum + row.heldUp + row.refusedElsewhere, 0);
process.exit(lost + doubled + unasked + unexpected.length + elsewhere === 0 && reported === stored && movedShards > 0 ? 0 : 1);
