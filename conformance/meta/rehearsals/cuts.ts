// The second half of `make rehearse-failover`: the samples of deploy/ on machines with networks of their own, which are cut under load.
// CUTS=12 in all, SEED=1, CUT="primary, both ways" for the kinds that have this in their names, SECONDS=35 for each.

import {
  addressOf,
  type Cut,
  type MachineNetwork,
  makeNetwork,
  missingForNetwork,
  runIsolated,
} from "../../suite/servers/machine-network.ts";
import { missingPackages, type Node } from "../../suite/servers/patroni.ts";
import { type Failure, rehearseFailover } from "../../suite/servers/rehearsals/failover.ts";
import { operatorEnvironment, requireInstalled } from "./environment.ts";

const maxCuts = 60;
const maxSeconds = 120;

const ways: Readonly<Record<string, Cut["ways"]>> = { "both ways": ["from", "to"], "hears nothing": ["to"], "is not heard": ["from"] };
const places: Readonly<Record<string, (primary: Node) => Omit<Cut, "ways">>> = {
  primary: ({ address }) => ({ address }),
  standby: ({ name }) => ({ address: addressOf(name === "a" ? "b" : "a") }),
  "primary's etcd": ({ address }) => ({ address, ports: "2379-2380" }),
  "third etcd": () => ({ address: addressOf("c") }),
};

const missing = await missingPackages();
requireInstalled(missing.length > 0 ? `${missing.join(", ")} missing (apt-get install ${missing.join(" ")})` : missingForNetwork());
const isInside = process.argv[2] === "inside";
process.exit(isInside ? await rehearse() : await runIsolated(process.execPath, [import.meta.filename, "inside"]));

async function rehearse(): Promise<number> {
  const network = await makeNetwork();
  const chosen = kindsOf(network).filter(({ name }) => name.includes(process.env.CUT ?? ""));
  const count = Math.min(Number(process.env.CUTS || chosen.length), maxCuts);
  let number = 0;
  const { rows, acknowledged, lost, doubled, unasked, unexpected, stored, reported } = await rehearseFailover({
    env: operatorEnvironment(),
    count,
    seed: Number(process.env.SEED || 1),
    failures: chosen,
    site: network.site,
    onRow: (row) => console.log(`${++number} of ${count}: ${row.failure}, ${row.acknowledged} acknowledged, ${row.lost} lost`),
  });
  console.table(Object.fromEntries(rows.map(({ failure, ...row }, index) => [`${index + 1} ${failure}`, row])));
  console.log(`acknowledged ${acknowledged}: lost ${lost}, doubled ${doubled}; the last report has ${reported} of ${stored} donations`);
  for (const text of new Set(unexpected)) console.log(`unexpected: ${text}`);
  if (unasked > 0) console.log(`recorded after a refusal: ${unasked}`);
  return lost + doubled + unasked + unexpected.length === 0 && reported === stored ? 0 : 1;
}

function kindsOf({ cut, mend }: MachineNetwork): Failure[] {
  const lastsMs = Math.min(Number(process.env.SECONDS || 35), maxSeconds) * 1_000;
  return Object.entries(places).flatMap(([place, of]) =>
    Object.entries(ways).map(([way, lost]) => ({
      name: `${place}, ${way}`,
      lastsMs,
      begin: (primary: Node) => cut({ ...of(primary), ways: lost }),
      mend,
    })),
  );
}
