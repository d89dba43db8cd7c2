// What is said of an OAuth endpoint that accepts what it must refuse.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { Rule } from "../../suite/report/run.ts";
import { conformance } from "./command.ts";
import { foreign } from "./second-server.ts";

test("a failure of a rule about a client says what was expected, and its curl line runs when the secret's variable is set", async () => {
  const server = await foreign("secret-in-a-list");
  const { report } = await conformance(["--profile", "interface", "--only", "/whose secret is no string/"], server);
  const events = report("events.ndjson")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Partial<Rule>);
  const { failure } = events.find(({ state }) => state === "failed") ?? {};
  expect(failure?.message).toContain("a refusal (4xx) was expected of a request without a valid client");
  const { curl = "" } = failure?.exchanges.find(({ decisive }) => decisive) ?? {};
  expect(curl).toContain(`'"$OAUTH_CLIENT_SECRET"'`);
  expect(curl).not.toContain(server.OAUTH_CLIENT_SECRET);
  const { PATH = "" } = process.env;
  const { stdout } = await promisify(execFile)("bash", ["-c", `${curl} -s --max-time 20`], { env: { PATH, ...server } });
  expect(stdout).toContain(" 204 ");
});
