// Rules about webhooks on a server of someone else, whose streamer has a webhook and gets donations meanwhile.

import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";

import { freePort } from "../../suite/servers/free-port.ts";
import { conformance, startPackage } from "./command.ts";
import { serving } from "./fakes.ts";
import { type ServerInUse, startServerInUse } from "./server-in-use.ts";

let server: ServerInUse;

beforeAll(async () => {
  server = await startServerInUse();
  return server.stop;
}, 400_000);

const timeoutMs = 600_000;
/** So long that the suite has long seen the signal when the answer comes. */
const answerTakesMs = 500;
const webhooks = "/api/v1/webhooks";
const list = () => server.ask("GET", webhooks);
const only = ["--only", "/^events.(create|update|delete|rotate|list)-webhook/"];

const receiving = async (): Promise<string[]> => {
  const port = String(await freePort());
  return ["--receiver-url", `http://127.0.0.1:${port}/some/path`, "--receiver-port", port];
};

test(
  "rules about webhooks pass on a server in use whose streamer gets donations meanwhile, and its webhooks stay as they are",
  async () => {
    const before = await list();
    let real = 0;
    const url = await serving(async (request, response, body) => {
      const isRecording = request.method === "POST" && request.url === "/api/v1/donations";
      if (isRecording) await server.ask("POST", "/api/v1/donations", { donatorName: "real", amount: 60, skipAlert: true });
      if (isRecording) real += 1;
      await server.relay({ request, body }, response);
    });
    const { code, output } = await conformance(["--url", url, ...only, ...(await receiving())], server.env);
    expect([code, real > 10], output).toEqual([0, true]);
    expect(output).not.toContain("--receiver-url");
    expect(await list()).toEqual(before);
  },
  timeoutMs,
);

test(
  "without --receiver-url the rules that receive nothing are run, and the report says what the others lack",
  async () => {
    const before = await list();
    const { code, output } = await conformance(["--url", server.served.url, ...only], server.env);
    expect([code, output]).toEqual([0, expect.stringMatching(/for want of .*a receiver \(--receiver-url\) \(\d+\)/)]);
    expect(await list()).toEqual(before);
  },
  timeoutMs,
);

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s while a webhook is created leaves those that the streamer had",
  async (signal) => {
    const before = await list();
    const url = await serving(async (request, response, body) => {
      await server.relay({ request, body }, response, async () => {
        if (request.method === "POST" && request.url === webhooks && run.child.kill(signal)) await sleep(answerTakesMs);
      });
    });
    const run = startPackage(["--url", url, ...only, ...(await receiving())], server.env);
    const { output } = await run.ended;
    expect(output).toMatch(/not measurable: (interrupted|no rule was run)/);
    expect(await list(), output).toEqual(before);
  },
  timeoutMs,
);
