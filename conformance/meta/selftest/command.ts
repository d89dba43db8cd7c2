// What the self-tests of the command start: the command as a process, and what it is run against: small servers with fixed answers, and the second server.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { buffer } from "node:stream/consumers";
import { inject, onTestFinished } from "vitest";
import { WebSocketServer } from "ws";
import { checkout, node } from "../../suite/contract/sources.ts";
import { parseEvents } from "../../suite/report/events.ts";
import { compileCache } from "../../suite/servers/serve.ts";
import { bugs, type Change } from "../second-server/bugs.ts";
import { newServer, settingsFor } from "../second-server/server.ts";

/** A credential that no output may contain. */
export const secret = "fakes_v1_Kq8ZtB3nVw5YrM1xPd7LsHg2Fj4Cb6Ne";

export type Outcome = { code: number | null; output: string; report: (name: string) => string };

/** A running command; `ended` resolves when it has exited. */
export type Running = { child: ChildProcess; output: () => string; ended: Promise<Outcome> };

/** Runs the package's command until it exits, with its reports in `folder` (a temporary one). */
export const conformance = (words: readonly string[], env?: Record<string, string>, folder?: string): Promise<Outcome> =>
  startPackage(words, env, folder).ended;

/** Starts the package's command, one process, with its reports in `folder` (a temporary one). */
export const startPackage = (
  words: readonly string[],
  env: Record<string, string> = { API_KEY: secret },
  folder: string = temporaryFolder(),
): Running => start([join(inject("builtPackage"), "namjai-conformance.js"), ...words], env, folder);

/** What each rule of these rule files sent, from the text of `events.ndjson`. */
export const sentBy = (events: string, files: RegExp): string[] =>
  parseEvents(events).flatMap((event) =>
    event.event === "rule" && files.test(event.family) ? [`${event.family} > ${event.title}: ${event.requests} ${event.digest}`] : [],
  );

/** Runs the project's command until it exits, with its reports in a temporary folder. */
export const conformanceOfProject = (words: readonly string[], env: Record<string, string>): Promise<Outcome> =>
  startConformance(words, env).ended;

/** Starts the project's command, with its reports and journals in a temporary folder. */
export const startConformance = (words: readonly string[], env: Record<string, string>): Running =>
  start(["conformance/main.ts", ...words], env, temporaryFolder());

function start([program = "", ...words]: readonly string[], env: Record<string, string>, folder: string): Running {
  const { PATH = "", HOME = "" } = process.env;
  const known = { PATH, HOME, NODE_COMPILE_CACHE: compileCache, NAMJAI_CONFORMANCE_STATE: join(folder, "state") };
  const child = spawn(node, [program, "--corpus", join(folder, "corpus"), ...words, "--report", folder], {
    cwd: checkout,
    env: { ...known, ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const parts: string[] = [];
  const output = (): string => parts.join("");
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (part: string) => parts.push(part));
  const exited = new Promise<number | null>((resolve) => child.on("close", resolve));
  const ended = exited.then((code) => ({ code, output: output(), report: (name: string) => readFileSync(join(folder, name), "utf8") }));
  return { child, output, ended };
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "namjai-selftest-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Answers a request with this body. */
export type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** Answers a request to become another protocol. */
type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Starts a server until the test is over. Resolves to its base address. */
export async function serving(answer: Answer, upgrade?: Upgrade): Promise<string> {
  const server = createServer(async (request, response) => {
    answer(request, response, (await buffer(request)).toString());
  });
  if (upgrade) server.on("upgrade", upgrade);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return addressOf(server);
}

/** Starts a sound server until the test is over, which also accepts WebSockets and no token in them. Resolves to its base address. */
export async function servingSocket(): Promise<string> {
  const sockets = new WebSocketServer({ noServer: true });
  const problem = { type: "about:blank", title: "Invalid token", status: 401, code: "invalid_token" };
  return serving(sound, (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (client) =>
      client.once("message", () => {
        client.send(JSON.stringify({ problem }));
        client.close(4401);
      }),
    ),
  );
}

export const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Gives the same answer to every request. */
export const always =
  (status: number, body = "{}", headers: Record<string, string> = { "Content-Type": "application/json" }): Answer =>
  (_, response) =>
    response.writeHead(status, headers).end(body);

/** Passes calibration and nothing more: it checks that there is a credential and that required members have the right types. */
export const sound: Answer = (request, response, body) => {
  if (!request.headers.authorization) return always(401)(request, response, body);
  always(isSound(request, body) ? 200 : 422)(request, response, body);
};

export function isSound({ headers }: IncomingMessage, body: string): boolean {
  const { donatorName, amount } = parsed(body);
  return headers.authorization !== undefined && typeof donatorName === "string" && donatorName !== "" && Number(amount) > 0;
}

/** Members of a JSON object; none where the body is no JSON. */
export function parsed(body: string): Record<string, unknown> {
  try {
    return JSON.parse(body) ?? {};
  } catch {
    return {};
  }
}

/** Starts the second server (second-server/), optionally with a bug, until the test is over. Resolves to the command's environment. */
export const foreign = (bug?: keyof typeof bugs): Promise<Record<string, string>> =>
  changed(bug === undefined ? null : (bugs[bug] ?? null));

/** Starts the second server, announcing a limit of 40 requests a second, until the test is over. Resolves to the command's environment. */
export const rateLimited = (): Promise<Record<string, string>> => changed(null, { "RateLimit-Policy": '"default";q=40;w=1' });

/** Starts the second server with this change until the test is over, with `headers` in each answer. Resolves to the command's environment. */
export async function changed(change: Change | null, headers: Record<string, string> = {}): Promise<Record<string, string>> {
  const { server, credentials } = newServer(() => change);
  server.prependListener("request", (_, response) => response.setHeaders(new Map(Object.entries(headers))));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return settingsFor(addressOf(server), credentials);
}
