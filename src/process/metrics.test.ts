import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type TemporaryServer, temporaryDirectory, temporaryServer } from "../db/testing.ts";
import { type SilentRelay, silentRelay } from "../db/testing-silent-relay.ts";

// /metrics of the server as processes of its own.

let postgres: TemporaryServer;
let relay: SilentRelay;
let stop = async () => {};

beforeAll(async () => {
  postgres = await temporaryServer();
});
afterEach(async () => {
  relay.speak();
  await stop();
  relay.close();
});
afterAll(() => postgres?.remove());

const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

test.skipIf(!hasPromtool).each(["1", "2"])("promtool finds nothing wrong with the metrics where WORKERS=%s", async (WORKERS) => {
  const { metrics } = await start({ WORKERS });
  const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { input: await metrics(), encoding: "utf8" });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
});

test.each(["1", "2"])("metrics are answered within 4 s while the database hangs, with WORKERS=%s", async (WORKERS) => {
  const { metrics } = await start({ WORKERS });
  await metrics();
  relay.fallSilent();
  const values = /^process_cpu_seconds_total [\s\S]*^webhook_endpoints\{state="working"\} 0$/m;
  const ages = /^database_metric_age_seconds\{metric="webhook_endpoints"\} (?!0$)/m;
  await expect.poll(metrics).toMatch(ages);
  await expect.poll(metrics).toMatch(values);
});

test("metrics are answered within 4 s while a worker process is replaced or hangs, its counts stay in the sums, and workers_unanswered counts it", async () => {
  const { metrics, pids, url, replace } = await start({ WORKERS: "2" });
  for (let count = 0; count < 4; count += 1) await fetch(`${url}/api/v1/me`, { headers: { Connection: "close" } }); // each worker has some
  const requests = /^http_request_duration_seconds_count\{operation="getMe",status="4xx"\} 4$/m;
  expect(await metrics()).toMatch(requests);
  const [hanging = 0] = await pids();
  process.kill(hanging, "SIGSTOP");
  const text = await metrics();
  process.kill(hanging, "SIGCONT");
  expect(text).toMatch(requests);
  expect(text).toMatch(/^workers_unanswered 1$/m);
  const before = await pids();
  replace();
  let now = before;
  let had = { unanswered: false };
  while (now.some((pid) => before.includes(pid)) || now.length < 2) {
    const meanwhile = await metrics();
    expect(meanwhile).toMatch(requests);
    had = { unanswered: had.unanswered || /^workers_unanswered 1$/m.test(meanwhile) };
    now = await pids();
  }
  expect(had).toEqual({ unanswered: true });
  await expect.poll(metrics).toMatch(/^workers_unanswered 0$/m);
  expect(await metrics()).toMatch(requests);
});

async function start(env: Record<string, string>) {
  const database = await postgres.migratedDatabase();
  await database.close();
  relay = await silentRelay(database.url);
  const [port, metricsPort] = [await freePort(), await freePort()];
  const fixed = { PATH: process.env.PATH ?? "", PORT: String(port), METRICS_PORT: String(metricsPort), TTS: "off" };
  const own = { DATA_DIR: await temporaryDirectory(), DATABASE_URL: relay.url, ...env };
  const child = spawn(process.execPath, [join(import.meta.dirname, "../main.ts")], { env: { ...fixed, ...own }, stdio: "ignore" });
  const exited = once(child, "exit");
  stop = async () => {
    child.kill("SIGTERM");
    await exited;
  };
  const metrics = async () => {
    const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { signal: AbortSignal.timeout(4_000) });
    expect(answer.status).toBe(200);
    return answer.text();
  };
  const pids = async () => childrenOf(child.pid as number);
  const whole = new RegExp(
    `^process_cpu_seconds_total[\\s\\S]*${env.WORKERS === "1" ? "" : "^workers 2$[\\s\\S]*^workers_unanswered 0$"}`,
    "m",
  );
  await expect.poll(() => metrics().catch(() => ""), { timeout: 120_000 }).toMatch(whole);
  await expect
    .poll(
      () =>
        fetch(`http://127.0.0.1:${port}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      { timeout: 120_000 },
    )
    .toBe(true);
  return { metrics, pids, url: `http://127.0.0.1:${port}`, replace: () => void child.kill("SIGUSR2") };
}

/** Process ids, by the kernel's list. */
function childrenOf(pid: number): number[] {
  return spawnSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" })
    .stdout.split("\n")
    .map(Number)
    .filter(Boolean);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  await once(server.close(), "close");
  return port;
}
