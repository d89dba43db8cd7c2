// `make rehearse-failover`: two server processes and two PostgreSQL servers under Patroni, by the files of deploy/. The primary is killed
// under load, or stops without closing a connection, and its synchronous standby takes over. Prints what became of donations and reports.
// KILLS=20 in all, SEED=1, KIND="machine killed" for one kind alone.

import { missingPackages } from "../../suite/servers/patroni.ts";
import { kills, rehearseFailover } from "../../suite/servers/rehearsals/failover.ts";
import { operatorEnvironment, requireInstalled } from "./environment.ts";

const missing = await missingPackages();
requireInstalled(missing.length > 0 ? `${missing.join(", ")} missing (apt-get install ${missing.join(" ")})` : null);
const env = operatorEnvironment();
const count = Number(process.env.KILLS || 20);
let number = 0;
const { rows, acknowledged, lost, doubled, unasked, unexpected, stored, reported } = await rehearseFailover({
  env,
  count,
  seed: Number(process.env.SEED || 1),
  failures: kills.filter(({ name }) => name.includes(process.env.KIND ?? "")),
  onRow: (row) => console.log(`${++number} of ${count}: ${row.failure}, ${row.away} s`),
});
console.table(rows);

type Row = (typeof rows)[number];
const summaryOf = (of: readonly Row[]) => {
  const sum = (value: (row: Row) => number): number => of.reduce((total, row) => total + value(row), 0);
  const seconds = of.map(({ away }) => away).sort((a, b) => a - b);
  return {
    kills: of.length,
    acknowledged: sum((row) => row.acknowledged),
    refused: sum((row) => row.refused),
    unknown: sum((row) => row.unknown),
    reports: sum((row) => row.reports),
    wrongReports: sum((row) => row.wrongReports),
    medianAway: seconds[seconds.length >> 1],
    longestAway: seconds.at(-1),
  };
};
const byKind = kills.map(({ name }) => [name, rows.filter(({ failure }) => failure === name)] as const);
console.table(Object.fromEntries(byKind.filter(([, of]) => of.length > 0).map(([kind, of]) => [kind, summaryOf(of)])));
console.log(`acknowledged ${acknowledged}: lost ${lost}, doubled ${doubled}; the last report has ${reported} of ${stored} donations`);
for (const text of new Set(unexpected)) console.log(`unexpected: ${text}`);
if (unasked > 0) console.log(`recorded after a refusal: ${unasked}`);
process.exit(lost + doubled + unasked + unexpected.length === 0 && reported === stored ? 0 : 1);
