import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { list } from "../../suite/client/api.ts";
import { loginOf } from "../../suite/client/oauth/authorization.ts";
import { clientOf } from "../../suite/client/oauth/oauth-client.ts";
import { formTo, newVisitor, submit, visit } from "../../suite/client/page-visitor.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { databaseUrl } from "../../suite/servers/database.ts";
import { needsOwnProcess, type Process, startProcess } from "../../suite/servers/start-server.ts";
import { target } from "../../suite/values/target.ts";

// Pages and probes take no credential, so no rate limit bounds them: strangers who request them endlessly must not keep readers of
// the API from the database. The rules lock tables that pages need, so that pages wait for long.

const crowdSize = 300;
const maxAttempts = 10;
/** Only a server that refuses nothing reaches it. */
const longestWaitMs = 60_000;

let server: Process | null = null;
let locker: pg.Client | null = null;
beforeEach(needsOwnProcess);
beforeAll(async () => {
  const { operator } = target();
  if (!operator) return;
  server = await startProcess(operator, "pages-under-load");
  locker = new pg.Client({ connectionString: await databaseUrl(operator.env) });
  await locker.connect();
});
afterAll(async () => {
  await locker?.end();
  await server?.stop();
});

/** Requests over one connection each. */
const crowd = new Agent({ keepAlive: true });

/**
 * The status; 0 when the connection was closed instead. A server may close an idle connection at the moment when it is used again:
 * that request is sent once more (RFC 9112 9.3.1).
 */
const status = (path: string, cookie = ""): Promise<number> =>
  new Promise((resolve) => {
    const sent = request(`${server?.url}${path}`, { agent: crowd, headers: { Cookie: cookie } }, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
    });
    sent.on("error", () => resolve(sent.reusedSocket ? status(path, cookie) : 0)).end();
  });

const times = <T>(count: number, one: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => one(index)));

/** Runs `work` while the table is locked against reading. */
async function locking<T>(table: string, work: () => Promise<T>): Promise<T> {
  await locker?.query("begin");
  await locker?.query(`lock table ${table} in access exclusive mode`);
  return work().finally(() => locker?.query("rollback"));
}

/** Expects readers to be served while the table is locked: on a busy machine perhaps not at once, but when Retry-After says so. */
async function readersAreServed(): Promise<void> {
  for (const reply of await times(8, () => readPatiently())) expect(reply.status).toBe(200);
}

async function readPatiently(): Promise<Reply> {
  for (let attempt = 1; ; attempt += 1) {
    const reply = await list({ limit: 1 }, { server: server?.url ?? "" });
    if (reply.status !== 503 || attempt === maxAttempts) return reply;
    await sleep(Number(reply.headers["retry-after"]) * 1000);
  }
}

test("session cookies that were made up, or come from the login page, are not looked up in the database", () =>
  locking("sessions", async () => {
    const invented = (index: number) => `namjai_session=${String(index).padStart(43, "a")}`;
    const visitor = newVisitor(server?.url);
    await visit(visitor, "/oauth/login");
    const [[name, { value }] = ["", { value: "" }]] = [...visitor.cookies];
    const statuses = await times(crowdSize, (index) => status("/studio", index % 2 === 0 ? invented(index) : `${name}=${value}`));
    expect(new Set(statuses)).toEqual(new Set([303]));
    await readersAreServed();
  }));

test("streamers' pages that wait for the database delay no reader of the API; more than may wait are refused at once", async () => {
  const visitor = newVisitor(server?.url);
  await submit(visitor, formTo(await visit(visitor, "/studio/keys"), "/oauth/login"), loginOf("main"));
  const cookie = [...visitor.cookies].map(([name, { value }]) => `${name}=${value}`).join("; ");
  let waiting: Promise<number[]> = Promise.resolve([]);
  let refused = 0;
  await locking("sessions", async () => {
    waiting = times(crowdSize, async () => {
      const answered = await status("/studio/keys", cookie);
      if (answered === 503) refused += 1;
      return answered;
    });
    await expect.poll(() => refused, { timeout: longestWaitMs }).toBeGreaterThan(crowdSize / 2);
    await readersAreServed();
  });
  const statuses = await waiting;
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
});

test("strangers' authorization requests that wait for the database delay no reader of the API", async () => {
  let waiting: Promise<number[]> = Promise.resolve([]);
  await locking("oauth_clients", async () => {
    waiting = times(crowdSize, () => status(`/oauth/authorize?client_id=${clientOf("second").id}`));
    await sleep(500);
    await readersAreServed();
  });
  for (const one of await waiting) expect([400, 503]).toContain(one);
});
