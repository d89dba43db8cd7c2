// The verdict of a run. Sound servers differ from each other where the interface document leaves them a choice, and profile `interface` accuses none. A server
// that cannot be measured is exit code 2, with the reason and a request to try by hand; and a rule that is not run says why.

import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { selectRules } from "../../suite/command/rule-files.ts";
import { familyOf, offlineFamilies } from "../../suite/contract/offline-rules.ts";
import { conformanceFolder, testFilesIn } from "../../suite/contract/sources.ts";
import type { Rule } from "../../suite/report/run.ts";
import { bugs, type Change } from "../second-server/bugs.ts";
import { variants } from "../second-server/variants.ts";
import { type Answer, addressOf, always, changed, conformance, foreign, type Outcome, secret, serving, sound } from "./command.ts";

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

/** Expects exit code 2, the reason in words, a request to try by hand, and the secret in no output. */
function expectNotMeasurable({ code, output, report }: Outcome, reason: RegExp): void {
  expect(output).toMatch(new RegExp(`not measurable: .*${reason.source}`));
  expect(output).toMatch(/curl -i -X (POST .*\/api\/v1\/donations|GET .*\/api\/v1\/me)'/);
  expect(code).toBe(2);
  expect(report("junit.xml")).toMatch(/<testsuites [^>]*errors="1"/);
  expect(report("report.html")).toContain("Not measurable: the server could not be tested");
  for (const text of [output, ...["junit.xml", "report.html", "events.ndjson"].map(report)]) expect(text).not.toContain(secret);
}

const html = { "Content-Type": "text/html; charset=utf-8" };

describe("a server is not measurable when it", () => {
  test.each([
    ["refuses everything", always(422), /the server refuses the smallest valid donation: 422\. Answer: {}/],
    ["answers 401 to everything", always(401), /the server answers 401 to the smallest valid donation.*is API_KEY correct\? Answer: {}/],
    ["answers 403 to everything", always(403), /API_KEY needs the scope write:donations/],
    ["answers 404 to everything", always(404), /the server has no POST \/api\/v1\/donations below this address/],
    ["answers 500 to everything", always(500), /the server answers 500 to the smallest valid donation/],
    [
      "answers with an HTML page",
      always(200, "<!doctype html><title>Welcome</title>", html),
      /the server answers with an HTML page \(200\)/,
    ],
    ["answers 502 with an HTML page", always(502, "<html>Bad Gateway</html>", html), /the server answers with an HTML page \(502\)/],
    ["redirects", always(301, "", { Location: "https://elsewhere.example/" }), /the server redirects to https:\/\/elsewhere\.example\//],
    ["accepts everything", always(201), /the server accepts everything/],
    ["repeats the key in its answer", always(400, `{"detail":"${secret} is bad"}`), /Answer: .*\$API_KEY is bad/],
  ])("%s", async (_, answer, reason) => expectNotMeasurable(await conformance(["--url", await serving(answer)]), reason));

  test("a server is not measurable when nothing listens at its address", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = addressOf(server as never);
    server.close();
    expectNotMeasurable(await conformance(["--url", url]), /no server listens at this address/);
  });

  test("a server is not measurable when it does not speak HTTP", async () => {
    const server = createServer((socket) => void socket.end("SSH-2.0-fake\r\n"));
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    expectNotMeasurable(await conformance(["--url", addressOf(server as never)]), /the answer is not HTTP/);
  });

  test("a server is not measurable when its address is https and it does not speak TLS", async () => {
    const url = await serving(sound);
    expectNotMeasurable(await conformance(["--url", url.replace("http:", "https:")]), /the server does not speak TLS/);
  });

  test("a server is not measurable when its host is unknown", async () =>
    expectNotMeasurable(await conformance(["--url", "http://nobody.invalid"]), /unknown host/));
});

describe("a run is not measurable", () => {
  test("a run is not measurable when the credentials of all rules are missing, and reports name them", async () => {
    const { code, output, report } = await conformance(["--url", await serving(sound), "--only", "/^oauth.token-body$/"]);
    expect(code).toBe(2);
    expect(output).toMatch(/rules +--oauth-credentials is not given/);
    expect(report("junit.xml")).toMatch(/<skipped message="--oauth-credentials is not given/);
  });
});

test("a server that knows no 29 February is measured: the first donations have ordinary dates", async () => {
  const url = await serving((request, response, body) => (body.includes("-02-29") ? always(422) : sound)(request, response, body));
  const { output } = await conformance(["--url", url, "--profile", "interface", "--only", "amount 0 is refused"]);
  expect(output).toContain("valid donations are accepted");
});

/** Judges the donation, whoever sends it. */
const open: Answer = (request, response, body) => {
  if (request.headers.authorization) sound(request, response, body);
  else always(body.includes('"amount":-1') ? 422 : 201)(request, response, body);
};

test("a server that accepts a donation without a credential is told that a refusal was expected", async () => {
  const words = ["--profile", "interface", "--only", "/^interface.authorization$/"];
  const { code, output } = await conformance(["--url", await serving(open), ...words]);
  expect([code, output]).toEqual([
    1,
    expect.stringContaining("a refusal (4xx) was expected without a valid credential, but the answer is 201"),
  ]);
});

const files = ["rules", "interface", "derived"].flatMap(testFilesIn);

test.each(files)("%s leaves no rule out without a reason: it uses context.skip, not runIf, skipIf, skip or todo of vitest", (file) => {
  const text = readFileSync(`${conformanceFolder}${file}`, "utf8");
  expect(text.match(/\b(?:test|describe|it)\b.*\.(?:runIf|skipIf|skip|todo)\b.*/g) ?? []).toEqual([]);
});

test("rules about two streamers that the operator's CLI creates are not run on a server of someone else, and the run is incomplete", async () => {
  const env = { API_KEY: secret, OTHER_API_KEY: secret };
  const { code, output } = await conformance(["--url", await serving(sound), "--only", "/^donations.two-streamers$/"], env);
  expect(output).toMatch(/^12 rules: 0 passed, 0 failed, 11 not run/m);
  expect([code, output]).toEqual([0, expect.stringMatching(/^incomplete: .*for want of the operator's CLI \(11\)/m)]);
});

test("the rule in which a server ends fails with the request, and those that follow are not run", async () => {
  let asked = 0;
  const server = createHttpServer(async (request, response) => {
    asked += 1;
    if (asked < 40) return sound(request, response, await text(request));
    server.close();
    server.closeAllConnections();
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { code, output } = await conformance(["--url", addressOf(server), "--only", "/^interface.(json-text|types)$/"]);
  expect([code, asked, output]).toEqual([1, 40, expect.stringMatching(/^ +\d\d rules +the server has ended: connect ECONNREFUSED/m)]);
  expect(output).toMatch(/^\d+ rules: \d+ passed, 1 failed/m);
});

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

const all = selectRules({ profile: "contract", depth: "full", only: null }).files;

/** Returns all files that a file imports, directly or indirectly. */
function importsOf(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const imports = [...readFileSync(file, "utf8").matchAll(/^import (?!type )[^;]*?"(\.[^"]*\.ts)"/gm)];
  for (const [, path = ""] of imports) importsOf(resolve(dirname(file), path), seen);
  return seen;
}

/** The modules that send requests. */
const senders = [
  "suite/client/http-client.ts",
  "suite/servers/cuts/cuts.ts",
  "suite/servers/cuts/webhook-kills.ts",
  "rules/events/event-socket.test.ts",
  "suite/servers/rehearsals/load.ts",
  "attack/sockets.ts",
].map((file) => join(conformanceFolder, file));

function sends(file: string): boolean {
  const imports = importsOf(join(conformanceFolder, file));
  return senders.some((sender) => imports.has(sender));
}

describe("rules that send no request", () => {
  test("every rule file that cannot send a request is listed in suite/contract/offline-rules.ts", () => {
    const silent = all.filter((file) => !sends(file)).map(familyOf);
    expect(silent.length).toBeGreaterThan(0);
    expect(silent.filter((family) => !offlineFamilies.includes(family))).toEqual([]);
  });

  test("every rule file in suite/contract/offline-rules.ts exists and is part of a quick run", () => {
    const quick = selectRules({ profile: "contract", depth: "quick", only: null }).files.map(familyOf);
    expect(offlineFamilies.filter((family) => !quick.includes(family))).toEqual([]);
  });

  test("a quick run runs every rule of transport/contract", async () => {
    const { code, output } = await conformance(["--depth", "quick", "--only", "/^transport.contract$/"], await foreign());
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(/[\d,]+ rules: 0 passed, 0 failed, 0 not run, [\d,]+ not asked of the server/),
    ]);
  });
});
