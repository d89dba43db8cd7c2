// A server of this project that the suite is told to treat as someone else's, with a streamer who has set everything.

import { mkdtempSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Serving, serve } from "../../suite/servers/serve.ts";
import { pngOf, smallestFile } from "../../suite/values/media.ts";
import { keyVariables, type Served } from "../../suite/values/target.ts";

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
  /** Settings of which none is a default. */
  unusualSettings: Record<string, unknown>;
  /** Settings, queues, webhooks, alert files and timers of both streamers. */
  look: () => Promise<unknown>;
  /** To be returned by beforeAll, which calls it when the file's tests are over. */
  stop: () => Promise<void>;
};

const webhooks = "/api/v1/webhooks";
const alertFiles = "/api/v1/alert-files";

/** Settings of which none is a default. `image`, `sound`: ids of the streamer's own files. */
const settingsWith = (image: string, sound: string) => ({
  minimumAmount: 50,
  blockedWords: ["สแปม", "spam"],
  volume: 33,
  speech: false,
  minimumSeconds: 7,
  maximumSeconds: 44,
  pauseSeconds: 3,
  fasterFrom: 12,
  askFrom: 7,
  speechMinimumAmount: 10.5,
  speechVolume: 55,
  speechSpeed: 1.5,
  voice: "malee",
  blockedWordAction: "mask_text",
  approval: "matching",
  approvalSeconds: 60,
  onTimeout: "show",
  goal: { title: "ไมค์ 🎤", target: 5000.5, from: "2026-01-02" },
  goals: [
    { id: "mic", title: "ไมค์ 🎤", target: 5000.5, from: "2026-01-02" },
    { id: "trip", title: "ทริป", target: 90000, from: "2026-02-01", to: "2026-12-31" },
  ],
  variations: [
    { name: "ใหญ่ 🎉", from: 500, to: 9000.5, sources: ["external"], image, sound, seconds: 12, template: "{name}!", confetti: true },
    { name: "small", from: 0, to: 10, speak: false },
  ],
});

/** Throws where a setting has its default: one that is new in the contract must be set here, or nobody notices that it is not put back. */
function expectNoDefaults(found: Record<string, unknown>, unusual: Record<string, unknown>): void {
  const names = Object.keys(found).filter((name) => isDeepStrictEqual(found[name], unusual[name] ?? found[name]));
  if (names.length > 0) throw new Error(`server-in-use.ts must set ${names.join(", ")} to what is no default`);
}

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
    const paths = ["/api/v1/alerts/settings", "/api/v1/alerts", webhooks, alertFiles];
    const timer = async (holder: "main" | "other") => {
      const { status, totalMs, startedAt, rules } = await ask("GET", "/api/v1/timer", undefined, holder);
      return status === "running" ? { startedAt, totalMs, rules } : { rules }; // a run that starts one leaves it ended
    };
    const all = (["main", "other"] as const).flatMap((holder) => [
      timer(holder),
      ...paths.map((path) => ask("GET", path, undefined, holder)),
    ]);
    return Promise.all(all);
  };
  const upload = async (bytes: Buffer): Promise<{ id: string }> => {
    const headers = { Authorization: `Bearer ${served.keys.main}`, "Content-Type": "application/octet-stream" };
    const reply = await fetch(`${served.url}${alertFiles}?name=real`, { method: "POST", headers, body: new Uint8Array(bytes) });
    if (reply.status !== 201) throw new Error(`POST ${alertFiles}: ${reply.status} ${await reply.text()}`);
    return ((await reply.json()) as { data: { id: string } }).data;
  };
  const sound = Buffer.from(smallestFile, "latin1");
  const create: ServerInUse["create"] = async (list) =>
    list === alertFiles ? upload(sound) : ((await ask("POST", list, { url: "https://hooks.test/real" })) as { id: string });
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
  const unusualSettings = settingsWith((await upload(pngOf(8, 4))).id, (await upload(sound)).id);
  expectNoDefaults(await ask("GET", "/api/v1/alerts/settings"), unusualSettings);
  await ask("PATCH", "/api/v1/timer/rules", { steps: [{ from: 5, seconds: 60, per: 100 }], maximumSeconds: 86_400, countTests: true });
  const webhook = await create(webhooks);
  await ask("PATCH", `${webhooks}/${webhook.id}`, { enabled: false }); // an enabled one changes when its deliveries fail
  return {
    served,
    state,
    unusualSettings,
    ask,
    create,
    remove,
    relay,
    look,
    stop,
    env: { ...Object.fromEntries(keys), NAMJAI_CONFORMANCE_STATE: state },
  };
}
