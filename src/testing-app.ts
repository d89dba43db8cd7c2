// The whole application over HTTP in this process, for tests.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buildApp } from "./app.ts";
import { apiKeyStore } from "./auth/api-keys.ts";
import { readConfig } from "./config.ts";
import type { Database } from "./db/database.ts";
import { silent, temporaryDirectory } from "./db/testing.ts";
import { streamerStore } from "./donations/streamers.ts";
import { enumOf } from "./http/contract/published.ts";
import { makeMetrics } from "./telemetry/metrics.ts";

export type TestApp = Awaited<ReturnType<typeof openTestApp>>;

/** Serves on a free port, with the streamer somchai and a key of theirs that may do everything. `env`: variables beside those of tests. */
export async function openTestApp(database: Database, env: Readonly<Record<string, string>> = {}) {
  const dataDir = await temporaryDirectory();
  const usual = { DATABASE_URL: database.url, DATA_DIR: dataDir, RATE_LIMITS: "off", TTS: "off", WEBHOOKS: "local" };
  const config = readConfig({ ...usual, ...env });
  const app = await buildApp({ config, database, log: silent, metrics: makeMetrics(silent) });
  const server = createServer(app.listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { id: streamerId } = await streamerStore(database.knex).create("somchai");
  const scopes = [...enumOf("Scope")];
  const key = await apiKeyStore(database.knex, config.brand).create({ streamerId, application: "test", name: "", scopes });
  return {
    url,
    streamerId,
    key,
    config,
    /** `call` is "POST /donations": below /api/v1, with the key. */
    send: async (call: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> => {
      const [method = "", path = ""] = call.split(" ");
      const json = body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        ...json,
        headers: { Authorization: `Bearer ${key}`, ...json.headers, ...headers },
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text === "" ? null : JSON.parse(text) };
    },
    close: async () => {
      app.leave();
      server.close();
      server.closeAllConnections();
      await app.close();
    },
  };
}

type Answer = { status: number; headers: Headers; body: { data: Record<string, string> } };
