// `make mutants` as a process: what it refuses, and wrong answers in front of a server that is not ours.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { readSettings } from "../../suite/command/options.ts";
import { list } from "../../suite/command/rule-files.ts";
import { checkout, node } from "../../suite/contract/sources.ts";
import { compileCache } from "../../suite/servers/serve.ts";
import type { Killer } from "../mutants/mutant.ts";
import { areas, mutants as table } from "../mutants/table.ts";
import { newServer, settingsFor } from "../second-server/server.ts";

async function mutants(words: readonly string[], env: Record<string, string> = {}): Promise<{ code: number; output: string }> {
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(node, ["conformance/meta/mutants/main.ts", ...words], {
    cwd: checkout,
    env: { PATH, HOME, NODE_COMPILE_CACHE: compileCache, ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, output: out + err };
}

test.each<[words: string[], fault: string]>([
  [["no-such-mutant"], "unknown mutant: no-such-mutant"],
  [["--area", "no-such-area"], "no mutant is selected"],
  [["--seed", "x"], "--seed must be an integer"],
  [["--seeds", "0"], "--seeds one above 0"],
  [["--at-once", "0"], "--at-once must be an integer above 0"],
  [["--profile", "x"], "--profile must be one of"],
  [["--url", "x"], "--url must be an address"],
  [["--url", "http://127.0.0.1:9"], "--url needs API_KEY"],
  [["--unknown"], "--unknown"],
])("%j is wrong usage, exit code 64", async (words, fault) =>
  expect(await mutants(words)).toEqual({ code: 64, output: expect.stringContaining(fault) }),
);

test("the help names every area and every mutant, exit code 0", async () => {
  const { code, output } = await mutants(["--help"]);
  expect(code).toBe(0);
  for (const [area, names] of areas) expect(output).toContain(`${area}: ${names.join(", ")}`);
});

test("wrong answers in front of a server that is not ours are noticed, and the server alone passes", async () => {
  const { server, credentials } = newServer(() => null);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const report = mkdtempSync(join(tmpdir(), "namjai-mutants-"));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
    rmSync(report, { recursive: true });
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { API_URL: _url, ...keys } = settingsFor(url, credentials) as Record<string, string>;
  const env = { ...keys, NAMJAI_CONFORMANCE_STATE: join(report, "state") };
  const { code, output } = await mutants(
    ["--url", url, "--profile", "interface", "--report", report, "amount-0", "path-for-two", "amount-text"],
    env,
  );
  const rows: { name: string; outcome: string }[] = JSON.parse(readFileSync(join(report, "matrix.json"), "utf8"));
  expect(rows.map(({ name, outcome }) => [name, outcome])).toEqual([
    ["unbroken behind the proxy", "sound"],
    ["amount-0", "killed"],
    ["path-for-two", "killed"],
  ]);
  expect([code, output]).toEqual([0, expect.stringContaining("2 mutants: 2 killed")]);
});

test("each mutant names rules that exist", async () => {
  const rules = (await list(readSettings(["--depth", "full"]))).trimEnd().split("\n");
  const titles = Map.groupBy(rules, (rule) => rule.slice(0, rule.indexOf(" > ")));
  const exists = ([family, title]: Killer): boolean =>
    (titles.get(family) ?? []).some((rule) => title.test(rule.slice(family.length + " > ".length)));
  const named = Object.entries(table).flatMap(([name, { killedBy }]) => killedBy.map((killer) => ({ name, killer })));
  expect(named.filter(({ killer }) => !exists(killer))).toEqual([]);
});
