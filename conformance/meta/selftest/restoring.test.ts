// A run against a server of someone else leaves the streamer's alerts as it found them, however it ends.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, beforeEach, expect, test } from "vitest";

import { always, conformance, type Running, serving, startConformance, startPackage } from "./command.ts";
import { type ServerInUse, startServerInUse } from "./server-in-use.ts";

let server: ServerInUse;

beforeAll(async () => {
  server = await startServerInUse();
  return server.stop;
}, 400_000);

beforeEach(async () => {
  await server.ask("PATCH", "/api/v1/alerts/settings", server.unusualSettings);
  await server.ask("PATCH", "/api/v1/alerts/settings", { volume: 21 }, "other");
  for (const control of ["clear", "pause", "hide"]) await server.ask("POST", `/api/v1/alerts/${control}`);
});

const timeoutMs = 600_000;
const words = (only: string): string[] => ["--url", server.served.url, "--depth", "quick", "--seed", "7", "--only", only];
const inFull = (only: string): string[] => ["--url", server.served.url, "--seed", "7", "--only", only];
const operations = "updateAlertSettings|uploadAlertFile|createWebhook|updateWebhook|sendTestAlert|startTimer|updateTimerRules";
/** Rules that change each thing that the test below names; those of `derived/requests` by bodies of every kind. */
const changing = `/${[
  `^(?:${operations}): (?:a body of|a byte order mark|the last of two members|NUL and)`,
  "goal is the first of goals",
  "blocked words spam keep",
  "a variation names an uploaded file",
  "an uploaded file is deleted once",
  "resuming keeps every alert that waits",
  "ending hiding answers the queue",
  "clearing skips waiting replays",
  "the start of a playback marks it",
].join("|")}/`;
const short = "pausing answers the queue as paused";
const settingsRules = "/^alerts.(update-alert-settings|replay-alert)$/";

/** Starts a run and waits until it has changed the settings. */
async function startAndWaitForChange(start: typeof startConformance): Promise<Running> {
  const look = async () => JSON.stringify(await server.ask("GET", "/api/v1/alerts/settings"));
  const before = await look();
  const run = start(inFull(settingsRules), server.env);
  while ((await look()) === before && run.child.exitCode === null) await sleep(10);
  return run;
}

/** Texts of the journals that runs have left. */
const journals = (): string[] => readdirSync(server.state).map((name) => readFileSync(join(server.state, name), "utf8"));

/** Process ids (proc(5)). */
const childrenOf = (pid: number): string[] => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);

/** False also for one that has ended and that nobody has waited for. */
function isRunning(pid: string): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

test(
  "a run restores settings, goal, blocked words, variations, pause and hiding that its rules changed, and leaves webhooks and files alone",
  async () => {
    const before = await server.look();
    const { output } = await conformance(words(changing), server.env);
    const families = ["alert-files", "alert-queue", "hide-alerts", "update-alert-settings"].map((name) => `alerts/${name}`);
    for (const family of [...families, "overlay/start-playback", "derived/requests"])
      expect(output).toMatch(new RegExp(`${family} +\\d+ rules?`));
    expect(output).not.toContain("not put back");
    expect(output).toMatch(/rules: \d+ passed, 0 failed/);
    expect(await server.look()).toEqual(before);
    expect(journals()).toEqual([]);
  },
  timeoutMs,
);

test(
  "a timer that runs is left alone: nothing is run without --may-disturb-alerts, and the rules that would change it are not run with it",
  async () => {
    await server.ask("POST", "/api/v1/timer/start", { seconds: 36_000 });
    const before = await server.look();
    const timer = words("/^(startTimer|updateTimerRules|endTimer|pauseTimer|skipAlert true is accepted)/");
    const refused = await conformance(timer, server.env);
    expect([refused.code, refused.output]).toEqual([2, expect.stringMatching(/a timer is running, to which .* \(main\)\. End it first/)]);
    expect(await server.look()).toEqual(before);
    const { output } = await conformance([...timer, "--may-disturb-alerts"], server.env);
    expect(output).toMatch(/\d+ rules +a timer that is not the suite's own is running/);
    expect(await server.look()).toEqual(before);
    await server.ask("POST", "/api/v1/timer/end");
  },
  timeoutMs,
);

test(
  "a queue with a waiting alert of somebody else is not touched, and the rules that would are not run",
  async () => {
    await server.ask("POST", "/api/v1/donations", { donatorName: "real", amount: 60 });
    const before = await server.look();
    const { output } = await conformance(words("/^alerts.(alert-queue|replay|update).*$/"), server.env);
    expect(output).toMatch(/1 alert that is not the suite's own is waiting \(--may-disturb-alerts\)/);
    expect(await server.look()).toEqual(before);
  },
  timeoutMs,
);

test(
  "an alert of somebody else that arrives while a request waits for the rate limit is not cleared, and the rule is not run",
  async () => {
    let arrived = false;
    const url = await serving(async (request, response, body) => {
      if (arrived || request.method !== "POST" || request.url !== "/api/v1/alerts/clear") return server.relay({ request, body }, response);
      arrived = true;
      await server.ask("POST", "/api/v1/donations", { donatorName: "real", amount: 60 });
      always(429, "{}", { "Retry-After": "0", "Content-Type": "application/json" })(request, response, body);
    });
    const { output } = await conformance(["--url", url, "--seed", "7", "--only", "clearing skips every waiting alert"], server.env);
    expect(output).toMatch(/1 alert that is not the suite's own is waiting/);
    expect((await server.ask("GET", "/api/v1/alerts")).waiting).toEqual([expect.objectContaining({ donatorName: "real" })]);
  },
  timeoutMs,
);

test(
  "an alert of somebody else that arrives while the suite ends its own after a rule stays in the queue",
  async () => {
    let denials = 0;
    const url = await serving(async (request, response, body) => {
      const isDenial = request.method === "POST" && /^\/api\/v1\/alerts\/[^/]+\/deny$/.test(request.url ?? "");
      denials += Number(isDenial);
      if (isDenial && denials === 1) await server.ask("POST", "/api/v1/donations", { donatorName: "real", amount: 60 });
      await server.relay({ request, body }, response);
    });
    const { output } = await conformance(["--url", url, "--seed", "7", "--only", "approval all holds alerts while no page"], server.env);
    expect(denials, output).toBe(2);
    const { waiting, held } = (await server.ask("GET", "/api/v1/alerts")) as { waiting: unknown[]; held: unknown[] };
    expect([...waiting, ...held]).toEqual([expect.objectContaining({ donatorName: "real" })]);
  },
  timeoutMs,
);

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s at a random moment leaves settings, pause and queue as they were",
  async (signal) => {
    const before = await server.look();
    const run = await startAndWaitForChange(startPackage);
    await sleep(Math.random() * 500);
    run.child.kill(signal);
    await run.ended;
    expect(await server.look(), run.output()).toEqual(before);
    expect(journals()).toEqual([]);
  },
  timeoutMs,
);

test(
  "the run after a SIGKILL puts back what the killed one had changed, says so, and its journal held no credential",
  async () => {
    const before = await server.look();
    const run = await startAndWaitForChange(startConformance);
    await sleep(Math.random() * 500);
    const workers = childrenOf(run.child.pid as number);
    expect(workers.length).toBeGreaterThan(0);
    run.child.kill("SIGKILL");
    await run.ended;
    while (workers.some(isRunning)) await sleep(50); // they end when they miss it, on a busy machine after seconds
    const left = journals();
    expect(left.length).toBeGreaterThan(0);
    for (const key of Object.values(server.served.keys)) expect(left.join("\n")).not.toContain(key);
    const { output } = await conformance(words(short), server.env);
    expect(output).toContain("are put back as it found them");
    expect(await server.look()).toEqual(before);
    expect(journals()).toEqual([]);
  },
  timeoutMs,
);

test(
  "the run after a SIGKILL removes the alert of a donation whose answer the killed one did not see",
  async () => {
    const before = await server.look();
    let isKilled = false;
    const url = await serving(async (request, response, body) => {
      const raisesAlert = request.method === "POST" && request.url === "/api/v1/donations" && !/"skipAlert" *: *true/.test(body);
      await server.relay({ request, body }, response, () => {
        if (raisesAlert) isKilled ||= run.child.kill("SIGKILL");
      });
    });
    const withoutStream = ["--url", url, "--seed", "7", "--only", "clearing skips every waiting alert"]; // the relay passes on whole answers
    const run = startPackage(withoutStream, server.env);
    await run.ended;
    expect(isKilled).toBe(true);
    expect(await server.look()).not.toEqual(before);
    const { output } = await conformance(withoutStream, server.env);
    expect(output).toContain("are put back as it found them");
    expect(await server.look()).toEqual(before);
    expect(journals()).toEqual([]);
  },
  timeoutMs,
);

test(
  "a second run against the same streamer is refused while the first one goes on",
  async () => {
    const first = await startAndWaitForChange(startConformance);
    const { code, output } = await conformance(words(short), server.env);
    expect([code, output]).toEqual([2, expect.stringContaining("another run tests")]);
    first.child.kill("SIGINT");
    await first.ended;
    expect(journals()).toEqual([]);
  },
  timeoutMs,
);

test(
  "a run with API_KEY alone has no failed rule: those that need another credential are not run",
  async () => {
    const { API_KEY = "", NAMJAI_CONFORMANCE_STATE = "" } = server.env;
    const only = "/^(alerts.alert-states|donations.list-streaming-categories|overlay)/";
    const { code, output } = await conformance(inFull(only), { API_KEY, NAMJAI_CONFORMANCE_STATE });
    expect([code, output]).toEqual([0, expect.stringMatching(/\d+ rules +OVERLAY_KEY is not set/)]);
  },
  timeoutMs,
);
