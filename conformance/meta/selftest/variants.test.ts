// Sound servers that differ from each other where the interface document leaves them a choice: profile `interface` accuses none.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Rule } from "../../suite/report/run.ts";
import { bugs, type Change } from "../second-server/bugs.ts";
import { variants } from "../second-server/variants.ts";
import { conformance, type Outcome } from "./command.ts";
import { changed, foreign } from "./fakes.ts";

const quick = ["--profile", "interface", "--depth", "quick", "--seconds", "0"];
const affected = "/^interface.(authorization|donation|json-text|oauth|texts)$/";
/** Rule files that send identifiers and idempotency keys. */
const repeating = "/^interface.(donation|texts)$/";

/** Several variants in one server. */
function together(...names: string[]): Change {
  const chosen = names.map((name) => variants[name]);
  const all = { rules: {}, behaviour: {} };
  for (const variant of chosen) {
    Object.assign(all.rules, variant?.rules);
    Object.assign(all.behaviour, variant?.behaviour);
  }
  return all;
}

const usedOnce: Change = { behaviour: { once: { identifier: 422, idempotencyKey: 409 } } };

const rulesOf = ({ report }: Outcome): Rule[] =>
  report("events.ndjson")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Rule)
    .filter(({ state }) => state !== undefined);

describe("profile interface", () => {
  test("a server that accepts each identifier and idempotency key once passes again and again", async () => {
    const server = await changed({ ...together("utf-16", "400-for-a-malformed-header", "invalid-utf8-replaced"), ...usedOnce });
    for (const only of [affected, repeating]) {
      const { code, output } = await conformance([...quick, "--only", only, "--seed", "7"], server);
      expect([code, output]).toEqual([0, expect.stringContaining(" 0 failed")]);
    }
  });

  test("a server that counts graphemes and answers every refusal with 404 passes", async () => {
    const server = await changed(together("graphemes", "404-for-everything-refused", "unknown-client-404"));
    const { code, output } = await conformance([...quick, "--only", affected], server);
    expect([code, output]).toEqual([0, expect.stringContaining(" 0 failed, 0 not run")]);
  });

  test("a server that refuses a donation equal to a recorded one, control characters and the year 0000, and trims texts, passes again and again", async () => {
    const server = await changed(
      together("equal-donation-refused", "control-characters-refused", "texts-trimmed", "years-from-0001-in-utc"),
    );
    for (const seed of ["7", "7"]) {
      const { code, output } = await conformance([...quick, "--seed", seed], server);
      expect([code, output]).toEqual([0, expect.stringContaining(" 0 failed")]);
    }
  });

  test.each(["utf-16", "graphemes"])(
    "a server that counts %s passes with --length-unit for it, and is not measurable with another",
    async (unit) => {
      const server = await changed(together(unit));
      const words = [...quick, "--only", "/^interface.texts$/", "--length-unit"];
      expect((await conformance([...words, unit], server)).code).toBe(0);
      const { code, output } = await conformance([...words, "code-points"], server);
      expect([code, output]).toEqual([2, expect.stringContaining(`counts characters in ${unit}, and --length-unit is code-points`)]);
    },
  );

  test("one missing endpoint is one failed rule, and the other rules about it are not run", async () => {
    const outcome = await conformance([...quick, "--only", "/^POST /oauth/revoke/"], await foreign("oauth-under-v1"));
    const rules = rulesOf(outcome);
    expect(outcome.code).toBe(1);
    const [failed, ...others] = rules.filter(({ state }) => state === "failed");
    expect([failed?.title, others]).toEqual([expect.stringContaining("POST /oauth/revoke exists"), []]);
    const absence = "POST /oauth/revoke answers 404: the server does not have it";
    expect(failed?.failure?.message).toContain(`${absence}; ${rules.length - 1} rules that need it were not run`);
    expect(failed?.failure?.exchanges.filter(({ decisive }) => decisive).map(({ operation }) => operation)).toEqual(["POST /oauth/revoke"]);
    expect(rules.filter(({ state }) => state === "not run").map(({ why }) => why)).toEqual(Array(rules.length - 1).fill(absence));
  });

  test("a run says nothing of rules that change alerts, which the profile does not have", async () => {
    const { code, output } = await conformance([...quick, "--only", "donations are created by POST"], await foreign());
    expect([code, output]).toEqual([0, expect.not.stringContaining("rules that change alerts")]);
  });

  test("every bug and every variant of the second server has a name of its own", () =>
    expect(Object.keys(bugs).filter((name) => name in variants)).toEqual([]));
});

const hasPython = spawnSync("python3", ["--version"]).status === 0;

test.runIf(hasPython || process.env.CI)(
  "a server in Python that is written from the interface document alone passes",
  async () => {
    const { code, output } = await conformance(quick, await pythonServer());
    expect([code, output]).toEqual([0, expect.stringContaining(" 0 failed, 0 not run")]);
  },
  300_000,
);

/** Starts second-server/server.py until the test is over. Resolves to the command's environment. */
async function pythonServer(): Promise<Record<string, string>> {
  const script = fileURLToPath(new URL("../second-server/server.py", import.meta.url));
  const server = spawn("python3", [script], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void server.kill());
  const [printed] = (await once(server.stdout.setEncoding("utf8"), "data")) as [string];
  return Object.fromEntries([...printed.matchAll(/^export (\w+)='(.*)'$/gm)].map(([, name = "", value = ""]) => [name, value]));
}
