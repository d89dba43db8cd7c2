// The npm packages of the suite and of the TypeScript client.

import { execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { parse } from "yaml";
import { checkout, conformanceFolder, node } from "../../suite/contract/sources.ts";
import { conformanceOfProject, foreign, rateLimited, sentBy, serving, servingSocket } from "./command.ts";

const folder = mkdtempSync(join(tmpdir(), "namjai-package-"));

const unpacked = join(folder, "package");

const program = join(unpacked, "namjai-conformance.js");

const source = join(conformanceFolder, "package");

/** Node programs to try: the project's, the machine's, and those that NODES names (paths separated by colons). One of each major version. */
const programs = [node, "/usr/bin/node", ...(process.env.NODES ?? "").split(":")].filter((path) => existsSync(path));

const nodes = new Map(programs.map((path) => [execFileSync(path, ["--version"], { encoding: "utf8" }).trim().split(".")[0] ?? "", path]));

const supported = [...nodes].filter(([version]) => Number(version.slice(1)) >= 20);

let archive = "";
let packedFiles: string[] = [];

beforeAll(() => {
  const options = { cwd: folder, encoding: "utf8" } as const;
  const [packed] = JSON.parse(execFileSync("npm", ["pack", "--json", "--offline", inject("builtPackage")], options));
  archive = join(folder, packed.filename);
  packedFiles = packed.files.map(({ path }: { path: string }) => path);
  execFileSync("tar", ["-xzf", archive], options);
});

afterAll(() => rmSync(folder, { recursive: true }));

type Outcome = { code: number | null; output: string };

/** Runs a program in a new empty folder. */
async function run(command: string, words: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  const cwd = mkdtempSync(join(folder, "empty-"));
  const { PATH = "" } = process.env;
  const child = spawn(command, words, { cwd, env: { PATH, HOME: cwd, NODE_COMPILE_CACHE: join(folder, "compiled"), ...env } });
  const parts: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (part: string) => parts.push(part));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, output: parts.join("") };
}

const digestOf = (output: string): string | undefined => /^digest .*$/m.exec(output)?.[0];

const countsOf = (output: string): string | undefined => /^[\d,]+ rules: .* values tried/m.exec(output)?.[0];

/** Expects that both runs passed, with the same bytes sent and the same number of rules. */
function expectSameRun(packaged: Outcome, ofProject: Outcome): void {
  expect([packaged.code, ofProject.code]).toEqual([0, 0]);
  expect(digestOf(packaged.output)).toMatch(/^digest {2}interface\/ [0-9a-f]{16} \([\d,]+ requests\)$/);
  expect(digestOf(packaged.output)).toBe(digestOf(ofProject.output));
  expect(countsOf(packaged.output)).toBe(countsOf(ofProject.output));
}

test("the package contains its description, its licences and one file of code", () => {
  expect(packedFiles.sort()).toEqual(["LICENSE", "README.md", "namjai-conformance.js", "package.json"]);
  const { dependencies, bin, version } = JSON.parse(readFileSync(join(unpacked, "package.json"), "utf8"));
  expect([dependencies, bin]).toEqual([undefined, { "namjai-conformance": "namjai-conformance.js" }]);
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});

test("the package's LICENSE names the packages in the bundle", () => {
  const text = readFileSync(join(unpacked, "LICENSE"), "utf8");
  for (const name of ["vitest", "fast-check", "ajv"]) expect(text).toMatch(new RegExp(`^${name} \\d`, "m"));
});

const quick = ["--profile", "interface", "--depth", "quick", "--seed", "11"];

const varied = /^interface.(amount|donation|json-text|texts|oauth)$/;

/** What the project does, found out once for all versions of Node. */
const project = {
  list: foundOnce(() => conformanceOfProject(["--list"], {})),
  quickRun: foundOnce(async () => {
    const { report, ...outcome } = await conformanceOfProject(quick, await foreign());
    return { ...outcome, events: report("events.ndjson") };
  }),
};

function foundOnce<Value>(find: () => Promise<Value>): () => Promise<Value> {
  let found: Promise<Value> | undefined;
  return () => (found ??= find());
}

describe.each(supported)("the package on Node %s", (_, path) => {
  test("the package lists the same rules as the project", async () => {
    const [packaged, { output }] = await Promise.all([run(path, [program, "--list"]), project.list()]);
    expect(packaged.code).toBe(0);
    expect(packaged.output.split("\n").sort()).toEqual(output.split("\n").sort());
  });

  test("the package sends the same bytes as the project for the same seed", { timeout: 300_000 }, async () => {
    const reports = mkdtempSync(join(folder, "reports-"));
    const packaged = await run(path, [program, ...quick, "--only", `${varied}`, "--report", reports], await foreign());
    const { code, events } = await project.quickRun();
    expect([packaged.code, code]).toEqual([0, 0]);
    const sent = sentBy(readFileSync(join(reports, "events.ndjson"), "utf8"), varied);
    expect(sent.length).toBeGreaterThan(300);
    expect(sent).toEqual(sentBy(events, varied));
  });

  test.each([
    ["a rule file", "a server without a rate limit", "skip-alert", foreign],
    ["a rule file", "a server with a rate limit", "skip-alert", rateLimited],
    ["the title of a rule", "a server without a rate limit", "amount 0 is refused", foreign],
    ["the title of a rule", "a server with a rate limit", "amount 0 is refused", rateLimited],
  ])("the package runs what --only selects: %s, against %s", async (_kind, _server, only, start) => {
    const words = ["--profile", "interface", "--depth", "quick", "--only", only];
    const { code, output } = await run(path, [program, ...words], await start());
    expect(output).toMatch(/^[1-9][\d,]* rules: [1-9][\d,]* passed/m);
    expect(output.includes("the server allows 40 requests in 1 s")).toBe(start === rateLimited);
    expect(code).toBe(0);
  });

  test("the package follows events over a WebSocket", async () => {
    const words = ["--depth", "standard", "--only", "a WebSocket whose first message has an unknown token is told why, and closed"];
    const { code, output } = await run(path, [program, "--url", await servingSocket(), ...words], { API_KEY: "any_v1_key" });
    expect([code, output]).toEqual([0, expect.stringMatching(/^1 rule: 1 passed/m)]);
  });

  test("the package refuses an --only that matches neither a rule file nor a title", async () => {
    const { code, output } = await run(path, [program, "--only", "no such rule"], await foreign());
    expect([code, output]).toEqual([64, expect.stringContaining("matches neither a rule file nor the title of a rule")]);
  });

  test("the package fails for a server that breaks a rule, with a command that repeats the failure", async () => {
    const env = await foreign("leap-century");
    const words = ["--profile", "interface", "--depth", "quick", "--seed", "1", "--only", "/^interface.created-at-date$/"];
    const { code, output } = await run(path, [program, ...words], env);
    expect(code).toBe(1);
    expect(output).toMatch(/^FAILED {2}interface\/created-at-date > /m);
    expect(output).toMatch(/^ {2}replay {3}npx namjai-conformance --url \S+ --profile interface --depth quick --seed \S+ --only '/m);
    const [, replay = ""] = /^ {2}replay {3}npx namjai-conformance (.*)$/m.exec(output) ?? [];
    const repeated = await run("bash", ["-c", `"${path}" "${program}" ${replay}`], env);
    expect([repeated.code, repeated.output]).toEqual([1, expect.stringMatching(/^1 rule: .*1 failed/m)]);
  });
});

test("the package without --url is wrong usage: it starts no server", async () => {
  const { code, output } = await run(node, [program]);
  expect([code, output]).toEqual([64, expect.stringContaining("--url is missing")]);
});

/** Answers every request with an empty list, or 401 without a credential. Resolves to the output of a run with --read-only, and the methods sent. */
async function readOnlyRun(words: readonly string[], headers: Record<string, string> = {}): Promise<{ output: string; methods: string[] }> {
  const methods = new Set<string>();
  const url = await serving(({ method = "", headers: { authorization } }, response) => {
    methods.add(method);
    response.writeHead(authorization ? 200 : 401, { "Content-Type": "application/json", ...headers }).end('{"data":[]}');
  });
  const { output } = await run(node, [program, "--url", url, "--read-only", "--depth", "quick", ...words], { API_KEY: "any_v1_key" });
  return { output, methods: [...methods] };
}

test("the package with --read-only sends nothing but GET and HEAD", async () => {
  const { output, methods } = await readOnlyRun(["--profile", "interface", "--seconds", "3"]);
  expect(output).toContain("left out by --read-only");
  expect(methods).toEqual(["GET"]);
});

test("the package says why rules are not run whose preparation --read-only leaves out", async () => {
  // Depth standard: a quick run takes a sample of these rules, and a smaller one where the machine is busy.
  const { output } = await readOnlyRun(["--depth", "standard", "--only", "/^mcp.mcp-messages$/"], {
    "RateLimit-Policy": '"default";q=200;w=1',
  });
  expect(output).toMatch(/\d+ rules +left out by --read-only: it sends a request .*mcp\/mcp-messages/);
  expect(output).not.toContain("TypeError");
});

test("the package tests a receiver of webhooks on every Node", async () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  const url = await serving((request, response, body) => {
    const verifies = (): boolean => {
      try {
        return Boolean(new Webhook(secret).verify(body, request.headers as Record<string, string>));
      } catch {
        return false;
      }
    };
    response.writeHead(verifies() ? 200 : 401).end();
  });
  for (const [, path] of supported) {
    const { code, output } = await run(path, [program, "receiver", url], { WEBHOOK_SECRET: secret });
    expect([code, output]).toEqual([0, expect.stringMatching(/^passed: no rule failed; all \d+ rules were run$/m)]);
  }
});

test("npx runs the archive from an empty folder without a registry", async () => {
  const { code, output } = await run("npx", ["--yes", "--offline", "--package", archive, "namjai-conformance", "--help"]);
  expect([code, output]).toEqual([0, expect.stringContaining("npx namjai-conformance --url <url>")]);
});

test("the script of the GitHub action runs every rule with its inputs, and sends the same bytes as the project", async () => {
  const action = parse(readFileSync(join(source, "action.yml"), "utf8"));
  const [step] = action.runs.steps;
  const server = await foreign();
  const inputs: Record<string, string> = { url: server.API_URL ?? "", seed: "11", package: archive, report: "reports" };
  const inputOf = (name: string): string => inputs[name] ?? action.inputs[name].default;
  const env = Object.entries(step.env as Record<string, string>).map(([name, text]) => {
    return [name, text.replace(/\$\{\{ inputs\.(\w+) \}\}/, (_, input: string) => inputOf(input))];
  });
  const offline = { npm_config_offline: "true", GITHUB_ACTION_PATH: source };
  const packaged = await run("bash", ["-c", `${step.run} && ls reports`], { ...server, ...Object.fromEntries(env), ...offline });
  expect(packaged.output).toMatch(/^profile interface, quick, seed 11$/m);
  expect(packaged.output).toMatch(/^report\.html$/m);
  expectSameRun(packaged, await project.quickRun());
}, 300_000);

test("the Containerfile copies files of the package and starts one of them", async () => {
  const text = readFileSync(join(source, "Containerfile"), "utf8");
  const [, files = "", place = ""] = /^COPY (.*) (\S+)$/m.exec(text) ?? [];
  expect(files.split(" ").sort()).toEqual(packedFiles.sort());
  const words = (name: string): string[] => JSON.parse(new RegExp(`^${name} (\\[.*\\])$`, "m").exec(text)?.[1] ?? "[]");
  const reports = join(folder, "container-reports");
  mkdirSync(reports);
  const [, ...start] = [...words("ENTRYPOINT"), ...words("CMD")].map((word) =>
    word.replace(place, `${unpacked}/`).replace("/reports", reports),
  );
  expect(await run(node, start)).toMatchObject({ code: 0, output: expect.stringContaining("Exit codes: 0 no rule failed") });
});

const clientFolder = mkdtempSync(join(tmpdir(), "namjai-client-"));

const packages = join(clientFolder, "node_modules");

const built = join(packages, "namjai-donations");

const nodesOfMachine = [node, "/usr/bin/node"].filter((path) => existsSync(path));

beforeAll(() => {
  mkdirSync(join(packages, "@types"), { recursive: true });
  execFileSync(node, [join(checkout, "spec/check/package-client.ts"), built], { stdio: "inherit" });
  for (const name of ["openapi-fetch", "openapi-typescript-helpers", "@types/node", "undici-types"])
    symlinkSync(join(checkout, "node_modules", name), join(packages, name));
  writeFileSync(join(clientFolder, "package.json"), '{"type":"module"}');
});

afterAll(() => rmSync(clientFolder, { recursive: true }));

const samples = () => [...readFileSync(join(built, "README.md"), "utf8").matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""]) => code);

const donation = { id: "d1", donatorName: "สมชาย ใจดี", amount: 100, currency: "THB" };

const refusal = { code: "validation_failed", detail: "One rule is broken.", requestId: "r1" };

const fault = { pointer: "/amount", code: "out_of_range", message: "must be greater than 0" };

function answer(request: IncomingMessage, response: ServerResponse, body: string): void {
  const send = (status: number, body: object) =>
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  const { amount } = JSON.parse(body || "{}") as { amount?: number };
  if (request.method === "POST") return void (amount === 0 ? send(400, { ...refusal, errors: [fault] }) : send(201, { data: donation }));
  if (request.url?.startsWith("/api/v1/donations/stats")) return void send(200, { data: { total: 100, count: 1 } });
  if (request.url?.startsWith("/api/v1/donations")) return void send(200, { data: [donation], pagination: { nextCursor: null } });
  const event = { id: "e1", type: "donation.created", data: donation };
  response.writeHead(200, { "Content-Type": "text/event-stream" }).end(`id: c1\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

test("what the README shows compiles strictly, and runs on every supported Node", async () => {
  const [first = "", second = ""] = samples();
  writeFileSync(join(clientFolder, "first.ts"), first);
  writeFileSync(join(clientFolder, "second.ts"), second);
  const options = ["--strict", "--target", "es2022", "--module", "nodenext", "--types", "node", "first.ts", "second.ts"];
  execFileSync(node, [join(checkout, "node_modules/typescript-native/bin/tsc"), ...options], { cwd: clientFolder, stdio: "inherit" });
  const env = { API_URL: await serving(answer), API_KEY: "k", AFTER: "start", STOP_AFTER: "1" };
  for (const program of nodesOfMachine) {
    const run = async (file: string) => (await promisify(execFile)(program, [file], { cwd: clientFolder, env })).stdout.trim().split("\n");
    expect(await run("first.js")).toEqual([
      "recorded: d1 100",
      "refused: /amount out_of_range, must be greater than 0",
      "สมชาย ใจดี 100 THB",
      "total of all time: 100 of 1 donations",
    ]);
    expect(await run("second.js")).toEqual(["สมชาย ใจดี gave 100 THB", "to go on from here: AFTER=c1"]);
  }
});

test("the package holds the client, its types and its README, and depends on openapi-fetch alone", () => {
  const [packed] = JSON.parse(
    execFileSync("npm", ["pack", "--json", "--dry-run", "--offline", built], { cwd: clientFolder, encoding: "utf8" }),
  );
  const files = packed.files.map(({ path }: { path: string }) => path).sort();
  expect(files).toEqual(["LICENSE", "README.md", "api.d.ts", "index.d.ts", "index.js", "package.json"]);
  const { dependencies } = JSON.parse(readFileSync(join(built, "package.json"), "utf8"));
  expect(dependencies).toEqual({ "openapi-fetch": expect.stringMatching(/^\d+\.\d+\.\d+$/) });
});
