// Command line of the conformance command.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, inject, test, vi } from "vitest";
import { readSettings } from "../../suite/command/options.ts";
import { toPattern } from "../../suite/command/rule-files.ts";
import { UsageError } from "../../suite/command/usage-error.ts";
import { scopes } from "../../suite/contract/scopes.ts";
import { checkout } from "../../suite/contract/sources.ts";
import { always, conformance, conformanceOfProject, secret, serving, sound } from "./command.ts";

afterEach(() => void vi.unstubAllEnvs());

describe("invalid options exit with 64 and a message", () => {
  test.each([
    [["--url", "http://127.0.0.1:1"], {}, "needs API_KEY"],
    [["--url", "ftp://example.com"], { API_KEY: secret }, "not an http or https address"],
    [["--nonsense"], {}, "--nonsense"],
    [["--only", "/(/"], {}, "no valid regular expression"],
    [
      ["--url", "http://127.0.0.1:1", "--profile", "interface", "--only", "no such rule"],
      { API_KEY: secret },
      "matches neither a rule file nor the title of a rule",
    ],
  ])("%j", async (words, env, reason) => {
    const { code, output } = await conformance(words, env as Record<string, string>);
    expect([code, output]).toEqual([64, expect.stringContaining(reason)]);
  });

  test.each([
    [["--profile", "all"]],
    [["--length-unit", "bytes"]],
    [["--length-unit", "utf-16"]],
    [["--depth", "deep"]],
    [["--seed", "x"]],
    [["--minutes", "0"]],
    [["--har-megabytes", "0"]],
    [["--servers", "0"]],
    [["--servers", "1.5"]],
    [["--url", "https://user@example.com"]],
    [["--url", "https://example.com/?a=b"]],
    [["--receiver-url", "https://hooks.example.com"]],
    [["--url", "https://api.example.com", "--receiver-url", "hooks"]],
    [["--url", "https://api.example.com", "--receiver-url", "https://hooks.example.com", "--receiver-port", "65536"]],
    [["--baseline-update"]],
    [["--read-only"]],
    [["--oauth-login-command", "approve"]],
    [["--oauth-credentials", "no-such-file.json", "--url", "http://127.0.0.1:1"]],
    [["word"]],
    [["--watch", "--list"]],
  ])("%j", (words) => {
    vi.stubEnv("API_KEY", secret);
    expect(() => readSettings(words)).toThrow(UsageError);
  });
});

test("the package refuses --json, which only vitest itself can write, and --help of the package does not name it", async () => {
  const { code, output } = await conformance(["--list", "--json", "results.json"]);
  expect([code, output]).toEqual([64, expect.stringContaining("--json writes vitest's own results")]);
  expect((await conformance(["--help"])).output).not.toContain("--json");
});

test("--help describes every option and every credential", async () => {
  const { code, output } = await conformanceOfProject(["--help"], {});
  expect(code).toBe(0);
  for (const word of [
    "--url",
    "--profile",
    "--depth",
    "--length-unit",
    "--seed",
    "--only",
    "--report",
    "--har",
    "--shard",
    "--changed-since",
    "--seconds",
    "--minutes",
    "--json",
    "--servers",
    "--complete",
    "--list",
    "--watch",
    "--baseline",
    "--corpus",
    "--read-only",
    "--may-disturb-alerts",
    "--receiver-url",
    "--receiver-port",
    "--state",
    "--oauth-credentials",
    "--oauth-login-command",
  ])
    expect(output).toContain(word);
  for (const word of [
    "API_KEY",
    "SECOND_APPLICATION_API_KEY",
    "READ_API_KEY",
    "OTHER_API_KEY",
    "QUIET_API_KEY",
    "OVERLAY_KEY",
    "OAUTH_CLIENT_ID",
  ])
    expect(output).toContain(word);
});

test("--list prints the rules and sends no request", async () => {
  const { code, output } = await conformance(["--list"]);
  expect(code).toBe(0);
  expect(output).toContain(
    "create-donation > amount > amount of 0 or less or above 1000000 is refused with out_of_range (interface 2.1)\n",
  );
  expect(output).toContain("derived/credentials > scopes > getDonation lets a credential with its scopes through\n");
});

test("API_URL, SEED and DEPTH of the environment are used when the command line has no such option", () => {
  const env = { API_URL: "http://localhost:1/base/", API_KEY: secret, SEED: "5:1:0", DEPTH: "quick" };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  expect(readSettings([])).toMatchObject({ url: "http://localhost:1/base", seed: 5, path: "1:0", depth: "quick" });
  expect(readSettings(["--url", "http://localhost:2", "--seed", "6"])).toMatchObject({
    url: "http://localhost:2",
    seed: 6,
    path: null,
  });
});

test("a variable of the environment that is set to nothing is not set", () => {
  for (const name of ["API_URL", "SEED", "DEPTH", "IMPLEMENTATION"]) vi.stubEnv(name, "");
  expect(readSettings([])).toMatchObject({ url: undefined, path: null, depth: "full", implementation: null });
});

test("--only takes literal text, or a regular expression between slashes", () => {
  expect(toPattern("amount > of 0 (interface 2.1)").test("amount of 0 (interface 2.1)")).toBe(true);
  expect(toPattern("a.c").test("abc")).toBe(false);
  expect(toPattern("/a.c/").test("xABCx")).toBe(true);
});

test("make hands ONLY to the command as it was written, with dollar signs and quotation marks", () => {
  const words = "/^a's (b|c)$/";
  const { stdout } = spawnSync("make", ["--dry-run", "conformance", `ONLY=${words}`], { cwd: checkout, encoding: "utf8" });
  expect(stdout).toContain(`--only '/^a'\\''s (b|c)$/'`);
});

test("make hands every variable of a replay to the command as its option", () => {
  const variables = ["URL", "OAUTH_CREDENTIALS", "OAUTH_LOGIN_COMMAND", "STATE", "CORPUS", "MINUTES", "BASELINE"].map(
    (name) => `${name}=x y`,
  );
  const flags = ["READ_ONLY", "MAY_DISTURB_ALERTS", "NO_CORPUS", "BASELINE_UPDATE", "COMPLETE"].map((name) => `${name}=1`);
  const { stdout } = spawnSync("make", ["--dry-run", "conformance", ...variables, ...flags], { cwd: checkout, encoding: "utf8" });
  for (const variable of variables) {
    const [name = ""] = variable.split("=");
    expect(stdout).toContain(`--${name.toLowerCase().replaceAll("_", "-")} "$${name}"`);
  }
  for (const flag of flags) expect(stdout).toContain(`--${flag.toLowerCase().replaceAll("_", "-").replace("=1", "")}`);
});

test("npm run conformance exits with the code of the command", () => {
  const { status, stderr } = spawnSync("npm", ["run", "--silent", "conformance", "--", "--nonsense"], { cwd: checkout, encoding: "utf8" });
  expect([status, stderr]).toEqual([64, expect.stringContaining("exit code 64: wrong usage")]);
});

test("--version prints the version of the suite", () => {
  const { version } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8"));
  const { status, stdout } = spawnSync("node", ["conformance/main.ts", "--version"], { cwd: checkout, encoding: "utf8" });
  expect([status, stdout]).toEqual([0, `${version}\n`]);
});

test("a reader that closes the pipe early, such as head, is no error", () => {
  const command = `set -o pipefail; node "${join(inject("builtPackage"), "namjai-conformance.js")}" --list | head -n 1`;
  const { status, stdout, stderr } = spawnSync("bash", ["-c", command], { cwd: checkout, encoding: "utf8" });
  expect([status, stdout.trim().split("\n").length, stderr]).toEqual([0, 1, ""]);
});

test("a key that lacks scopes of profile contract is not measurable, and the reason names them", async () => {
  const url = await serving((request, response, body) =>
    request.url === "/api/v1/me"
      ? always(200, '{"data":{"scopes":["write:donations","read:donations"]}}')(request, response, body)
      : sound(request, response, body),
  );
  const { code, output } = await conformance(["--url", url]);
  expect([code, output]).toEqual([2, expect.stringMatching(/API_KEY lacks (?=.*read:alerts)(?=.*write:alerts)(?=.*write:webhooks)/)]);
  expect(output).toContain("exit code 2: not measurable");
});

const ofAll = { streamer: { id: "s" }, application: { id: "a" }, scopes };

test.each<[string, string, object | null, string]>([
  ["OTHER_API_KEY", "is unknown", null, "is refused \\(401\\)"],
  ["OTHER_API_KEY", "is of the same streamer", ofAll, "belongs to the streamer of API_KEY"],
  ["OTHER_API_KEY", "lacks scopes", { ...ofAll, streamer: { id: "t" }, scopes: ["read:donations"] }, "lacks write:donations"],
  ["READ_API_KEY", "has more scopes", ofAll, "must have read:donations alone, and has write:donations"],
  [
    "READ_API_KEY",
    "is of another streamer",
    { ...ofAll, streamer: { id: "t" }, scopes: ["read:donations"] },
    "belongs to another streamer",
  ],
  ["SECOND_APPLICATION_API_KEY", "is of the same application", ofAll, "belongs to the application of API_KEY"],
])("%s that %s is not measurable, because rules would accuse the server", async (variable, _, owner, reason) => {
  const url = await serving((request, response, body) => {
    if (request.url !== "/api/v1/me") return sound(request, response, body);
    const data = request.headers.authorization === `Bearer ${secret}` ? ofAll : owner;
    always(data ? 200 : 401, JSON.stringify({ data }))(request, response, body);
  });
  const { code, output } = await conformance(["--url", url], { API_KEY: secret, [variable]: `${secret}2` });
  expect([code, output]).toEqual([2, expect.stringMatching(`${variable} ${reason}`)]);
});

test("the command says that it ignores HTTP_PROXY", async () => {
  const env = { API_KEY: secret, HTTP_PROXY: "http://127.0.0.1:9" };
  const { code, output } = await conformance(
    ["--url", await serving(sound), "--profile", "interface", "--only", "donations are created by POST"],
    env,
  );
  expect([code, output]).toEqual([0, expect.stringContaining("HTTP_PROXY is ignored")]);
});

test("requests.har is limited in size and says how many requests it leaves out", async () => {
  const words = ["--url", await serving(sound), "--profile", "interface", "--depth", "quick", "--only", "interface/types"];
  const { report } = await conformance([...words, "--har", "--har-megabytes", "0.01"]);
  const { log } = JSON.parse(report("requests.har")) as { log: { entries: unknown[]; comment: string } };
  expect(log.entries.length).toBeLessThan(60);
  expect(log.comment).toMatch(/^\d+ later requests are left out/);
});
