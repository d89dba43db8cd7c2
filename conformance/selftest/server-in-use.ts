// A server of this project that the suite is told to treat as someone else's, with a streamer who has set everything.

import { mkdtempSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { smallestFile } from "../harness/generators/files.ts";
import { type Serving, serve } from "../harness/server/serve.ts";
import { keyVariables, type Served } from "../harness/server/target.ts";

export type ServerInUse = {
  served: Served;
  /** Environment of the command: all credentials, and a folder of its own for journals. */
  env: Record<string, string>;
  state: string;
  /** Sends a request with the streamer's key; resolves to `data` of the answer. Throws unless it succeeds. */
  ask: (method: string, path: string, body?: unknown, holder?: "main" | "other") => Promise<Record<string, unknown>>;
  /** Creates a webhook or an alert file, as `list` says, as the streamer would. */
  create: (list: string) => Promise<{ id: string }>;
  /** Deletes one of them. */
  remove: (list: string, id: string) => Promise<void>;
  /** Passes a request on to the server. `beforeAnswer` is called before its answer is passed back. */
  relay: (
    sent: { request: IncomingMessage; body: string },
    response: ServerResponse,
    beforeAnswer?: (status: number) => void | Promise<void>,
  ) => Promise<void>;
  /** Settings and queues of both streamers. */
  look: () => Promise<unknown>;
  /** To be returned by beforeAll, which calls it when the file's tests are over. */
  stop: () => Promise<void>;
};

/** Settings of which none is a default. */
export const unusualSettings = {
  minimumAmount: 50,
  blockedWords: ["สแปม", "spam"],
  volume: 33,
  speech: true,
  minimumSeconds: 7,
  maximumSeconds: 44,
  pauseSeconds: 3,
  fasterFrom: 12,
  speechMinimumAmount: 10.5,
  speechVolume: 55,
  speechSpeed: 1.5,
  voice: "malee",
  blockedWordAction: "mask_text",
  approval: "off",
  approvalSeconds: 60,
  onTimeout: "show",
  goal: { title: "ไมค์ 🎤", target: 5000.5, from: "2026-01-02" },
};

/** Starts the server. */
export async function startServerInUse(): Promise<ServerInUse> {
  const serving: Serving = await serve(undefined, process.env);
  const state = mkdtempSync(join(tmpdir(), "namjai-selftest-state-"));
  const stop = async (): Promise<void> => {
    rmSync(state, { recursive: true, force: true });
    await serving.stop();
  };
  const [served] = serving.served;
  const keys = Object.entries(keyVariables).map(([holder, variable]) => [variable, served.keys[holder as keyof typeof served.keys] ?? ""]);
  const ask: ServerInUse["ask"] = async (method, path, body, holder = "main") => {
    const headers = { Authorization: `Bearer ${served.keys[holder]}`, "Content-Type": "application/json" };
    const reply = await fetch(served.url + path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
    return ((await reply.json()) as { data: Record<string, unknown> }).data;
  };
  const look = async (): Promise<unknown> => {
    const of = (holder: "main" | "other") => [
      ask("GET", "/api/v1/alerts/settings", undefined, holder),
      ask("GET", "/api/v1/alerts", undefined, holder),
    ];
    return Promise.all([...of("main"), ...of("other")]);
  };
  const create: ServerInUse["create"] = async (list) => {
    const isFile = list.endsWith("files");
    const headers = { Authorization: `Bearer ${served.keys.main}`, "Content-Type": isFile ? "audio/wav" : "application/json" };
    const body = isFile ? Buffer.from(smallestFile, "latin1") : JSON.stringify({ url: "https://hooks.example/real" });
    const reply = await fetch(`${served.url}${list}${isFile ? "?name=real.wav" : ""}`, { method: "POST", headers, body });
    if (reply.status !== 201) throw new Error(`POST ${list}: ${reply.status} ${await reply.text()}`);
    return ((await reply.json()) as { data: { id: string } }).data;
  };
  const remove: ServerInUse["remove"] = async (list, id) => {
    await fetch(`${served.url}${list}/${id}`, { method: "DELETE", headers: { Authorization: `Bearer ${served.keys.main}` } });
  };
  const relay: ServerInUse["relay"] = async ({ request: { method = "GET", url, headers }, body }, response, beforeAnswer = () => {}) => {
    const { authorization = "", "content-type": type = "application/json" } = headers;
    const sent = { method, headers: { authorization, "content-type": type }, ...(body === "" ? {} : { body }) };
    const answer = await fetch(`${served.url}${url}`, sent);
    const text = await answer.text();
    await beforeAnswer(answer.status);
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(text);
  };
  return { served, state, ask, create, remove, relay, look, stop, env: { ...Object.fromEntries(keys), NAMJAI_CONFORMANCE_STATE: state } };
}
