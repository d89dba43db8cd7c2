import { spawnSync } from "node:child_process";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type TemporaryServer, temporaryServer, until } from "../../db/testing.ts";
import { type SilentRelay, silentRelay } from "../../db/testing-silent-relay.ts";
import { type ServerProcess, useServers } from "./testing-server-process.ts";

// /metrics of the server as processes of its own.

let postgres: TemporaryServer;
let relay: SilentRelay;
let server: ServerProcess;
const servers = useServers();

beforeAll(async () => {
  postgres = await temporaryServer();
});
afterEach(() => relay.speak());
afterAll(() => postgres?.remove());

const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

describe.each(["1", "2"])("WORKERS=%s", (WORKERS) => {
  beforeAll(async () => {
    const database = await postgres.migratedDatabase();
    await database.close();
    relay = await silentRelay(database.url);
    server = await servers.start({ DATABASE_URL: relay.url, WORKERS });
    const whole =
      WORKERS === "1" ? /^process_cpu_seconds_total /m : /^process_cpu_seconds_total [\s\S]*^workers 2$[\s\S]*^workers_unanswered 0$/m;
    await until(async () => whole.test(await server.metrics()));
  });
  afterAll(async () => {
    await server?.stop();
    relay?.close();
  });

  test.skipIf(!hasPromtool)(`promtool finds nothing wrong with the metrics where WORKERS=${WORKERS}`, async () => {
    const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { input: await server.metrics(), encoding: "utf8" });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  test.runIf(WORKERS === "2")(
    "metrics are answered within 4 s while a worker process is replaced or hangs, its counts stay in the sums, and workers_unanswered counts it",
    () => replaceWorkers(server),
  );

  test(`metrics are answered within 4 s while the database hangs, with WORKERS=${WORKERS}`, async () => {
    await server.metrics();
    relay.fallSilent();
    const values = /^process_cpu_seconds_total [\s\S]*^webhook_endpoints\{state="working"\} 0$/m;
    const ages = /^database_metric_age_seconds\{metric="webhook_endpoints"\} (?!0$)/m;
    await expect.poll(server.metrics).toMatch(ages);
    await expect.poll(server.metrics).toMatch(values);
  });
});

/** One of two workers hangs, then both are replaced, while the metrics are asked again and again. */
async function replaceWorkers({ metrics, child, url }: ServerProcess): Promise<void> {
  for (let count = 0; count < 4; count += 1) await fetch(`${url}/api/v1/me`, { headers: { Connection: "close" } }); // each worker has some
  const requests = /^http_request_duration_seconds_count\{operation="getMe",status="4xx"\} 4$/m;
  expect(await metrics()).toMatch(requests);
  const pids = () => childrenOf(child.pid as number);
  const [hanging = 0] = pids();
  process.kill(hanging, "SIGSTOP");
  const text = await metrics();
  process.kill(hanging, "SIGCONT");
  expect(text).toMatch(requests);
  expect(text).toMatch(/^workers_unanswered 1$/m);
  const before = pids();
  child.kill("SIGUSR2");
  let now = before;
  let had = { unanswered: false };
  while (now.some((pid) => before.includes(pid)) || now.length < 2) {
    const meanwhile = await metrics();
    expect(meanwhile).toMatch(requests);
    had = { unanswered: had.unanswered || /^workers_unanswered 1$/m.test(meanwhile) };
    now = pids();
  }
  expect(had).toEqual({ unanswered: true });
  await expect.poll(metrics).toMatch(/^workers_unanswered 0$/m);
  expect(await metrics()).toMatch(requests);
}

/** Process ids, by the kernel's list. */
function childrenOf(pid: number): number[] {
  return spawnSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" })
    .stdout.split("\n")
    .map(Number)
    .filter(Boolean);
}
