// The npm package of the TypeScript client: what its README shows compiles strictly, and runs on every supported Node from an empty folder.

import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkout, node } from "../../suite/contract/sources.ts";
import { serving } from "./fakes.ts";

const folder = mkdtempSync(join(tmpdir(), "namjai-client-"));
const packages = join(folder, "node_modules");
const built = join(packages, "namjai-donations");
const nodes = [node, "/usr/bin/node"].filter((path) => existsSync(path));

beforeAll(() => {
  mkdirSync(join(packages, "@types"), { recursive: true });
  execFileSync(node, [join(checkout, "spec/check/package-client.ts"), built], { stdio: "inherit" });
  for (const name of ["openapi-fetch", "openapi-typescript-helpers", "@types/node", "undici-types"])
    symlinkSync(join(checkout, "node_modules", name), join(packages, name));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
});
afterAll(() => rmSync(folder, { recursive: true }));

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
  writeFileSync(join(folder, "first.ts"), first);
  writeFileSync(join(folder, "second.ts"), second);
  const options = ["--strict", "--target", "es2022", "--module", "nodenext", "--types", "node", "first.ts", "second.ts"];
  execFileSync(node, [join(checkout, "node_modules/typescript-native/bin/tsc"), ...options], { cwd: folder, stdio: "inherit" });
  const env = { API_URL: await serving(answer), API_KEY: "k", AFTER: "start", STOP_AFTER: "1" };
  for (const program of nodes) {
    const run = async (file: string) => (await promisify(execFile)(program, [file], { cwd: folder, env })).stdout.trim().split("\n");
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
  const [packed] = JSON.parse(execFileSync("npm", ["pack", "--json", "--dry-run", "--offline", built], { cwd: folder, encoding: "utf8" }));
  const files = packed.files.map(({ path }: { path: string }) => path).sort();
  expect(files).toEqual(["LICENSE", "README.md", "api.d.ts", "index.d.ts", "index.js", "package.json"]);
  const { dependencies } = JSON.parse(readFileSync(join(built, "package.json"), "utf8"));
  expect(dependencies).toEqual({ "openapi-fetch": expect.stringMatching(/^\d+\.\d+\.\d+$/) });
});
