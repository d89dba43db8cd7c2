// Rules on a server of someone else, whose streamer uses it: webhooks, OAuth with clients and logins from a file, and --read-only, which changes nothing.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readOAuthCredentials } from "../../suite/command/settings.ts";
import { checkout, node } from "../../suite/contract/sources.ts";
import { databaseUrl } from "../../suite/servers/database.ts";
import { freePort } from "../../suite/servers/start-server.ts";
import type { OAuth } from "../../suite/values/target.ts";
import { conformance, conformanceOfProject, type Outcome, serving, startPackage } from "./command.ts";
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

test(
  "where the server refuses the address of --receiver-url, the rules that receive are not run, and the report says why",
  async () => {
    const given = await receiving();
    const url = await serving(async (request, response, body) => {
      const refused = String(body).replace(given[1] ?? "", "http://10.0.0.1");
      await server.relay({ request, body: refused }, response);
    });
    const { code, output } = await conformance(["--url", url, "--only", "/^events.update-webhook$/", ...given], server.env);
    expect([code, output]).toEqual([0, expect.stringContaining(`it refuses --receiver-url ${given[1]} (webhook_url_refused)`)]);
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

const folder = mkdtempSync(join(tmpdir(), "namjai-selftest-oauth-"));

afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a file of this name; returns its path. */
function fileOf(name: string, content: unknown): string {
  const file = join(folder, name);
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

describe("--oauth-credentials names what is wrong in the file", () => {
  const confidential = { id: "a", name: "A", secret: "s" };
  test.each([
    ["no JSON", "{secret", /cannot be read as JSON$/],
    ["a list", [], /must be an object/],
    ["no client", { clients: {} }, /clients\.confidential is missing/],
    ["an unknown member", { clients: { confidential }, users: {} }, /users is unknown; known are clients, streamers/],
    ["an unknown client", { clients: { confidential, third: {} } }, /clients: third is unknown/],
    ["no id", { clients: { confidential: { ...confidential, id: "" } } }, /clients\.confidential: id must be a text/],
    ["no secret", { clients: { confidential: { id: "a", name: "A" } } }, /clients\.confidential: secret must be a text/],
    ["a secret of a public client", { clients: { confidential, public: confidential } }, /clients\.public: secret is unknown/],
    ["no password", { clients: { confidential }, streamers: { main: { handle: "m" } } }, /streamers\.main: password must be a text/],
  ])("a file with %s is refused", (_, content, reason) =>
    expect(() => readOAuthCredentials(fileOf("wrong.json", content))).toThrow(reason),
  );

  test("a file that does not exist is refused", () =>
    expect(() => readOAuthCredentials(join(folder, "none.json"))).toThrow(/none\.json does not exist/));
});

describe("a server of someone else with OAuth clients", () => {
  const rules = "/^oauth.(token-body|issue-token|consent|access-token-forged)$/";
  let given: Pick<OAuth, "clients" | "logins">;
  beforeAll(() => {
    given = server.served.oauth as OAuth;
    fileOf("logins.json", given.logins);
  });

  const clients = () =>
    Object.fromEntries(
      Object.entries(given.clients).map(([holder, { id, name, secret }]) => [holder, { id, name, ...(secret !== null && { secret }) }]),
    );
  const logins = join(folder, "logins.json");
  const loginCommand = `"${node}" "${join(checkout, "conformance/meta/selftest/approve.ts")}"`;

  async function run(credentials: object, words: string[] = [], only = rules): Promise<Outcome> {
    const options = ["--url", server.served.url, "--only", only, "--oauth-credentials", fileOf("credentials.json", credentials), ...words];
    return conformance(options, { ...server.env, OAUTH_LOGINS: logins }, folder);
  }

  /** Number of rules that were not run for this reason. */
  const notRun = ({ output }: Outcome, reason: string): number => Number(new RegExp(`(\\d+) rules? +${reason}`).exec(output)?.[1] ?? 0);

  function expectNoSecret({ output }: Outcome): void {
    const secrets = [
      ...Object.values(given.clients).map(({ secret }) => secret),
      ...Object.values(given.logins).map(({ password }) => password),
    ];
    const reports = readdirSync(folder, { withFileTypes: true }).filter(
      (entry) => entry.isFile() && !/credentials|logins/.test(entry.name),
    );
    for (const text of [output, ...reports.map(({ name }) => readFileSync(join(folder, name), "utf8"))])
      for (const secret of secrets.filter((one) => one !== null)) expect(text).not.toContain(secret);
  }

  test("a login command makes the rules run that need approvals; those about the login page and the database stay not run", async () => {
    // At full depth one of the rules waits for a minute.
    const outcome = await run({ clients: clients() }, ["--oauth-login-command", loginCommand, "--har", "--depth", "standard"]);
    expect(outcome.output).toContain("an OAuth client is approved");
    expect([outcome.code, outcome.output]).toEqual([0, expect.not.stringMatching(/nobody can approve/)]);
    expect(notRun(outcome, "--oauth-credentials has no streamers.main, and the rule uses the server's login page")).toBeGreaterThan(20);
    expect(notRun(outcome, "needs the operator's CLI")).toBeGreaterThan(5);
    expectNoSecret(outcome);
  }, 400_000);

  test("streamers' logins make the rules about the login and consent pages run", async () => {
    const outcome = await run({ clients: clients(), streamers: given.logins }, ["--har"], "/^oauth.consent$/");
    expect([outcome.code, outcome.output]).toEqual([0, expect.stringContaining(" 0 not run;")]);
    expectNoSecret(outcome);
  }, 400_000);

  test("clients alone make the rules run that need no approval, and the others say what is missing", async () => {
    const outcome = await run({ clients: clients() }, [], "/^oauth.(authorize|client-authentication|token-body|issue-token)$/");
    expect([outcome.code, outcome.output]).toEqual([0, expect.stringMatching(/ [1-9]\d* passed, 0 failed/)]);
    expect(notRun(outcome, "--oauth-login-command is not given, and --oauth-credentials has no streamers.main")).toBeGreaterThan(5);
  }, 400_000);

  test("a run whose login command fails is not measurable, and says what the command said", async () => {
    const command = "echo wrong password >&2; exit 3";
    const { code, output } = await run({ clients: clients() }, ["--oauth-login-command", command]);
    expect([code, output]).toEqual([
      2,
      expect.stringMatching(/not measurable: clients.confidential cannot be approved: .*it exited with 3: wrong password/),
    ]);
  });
});

/** Rule files that send every kind of change in every way: as JSON, through forms of pages, and from the overlay. */
const changing = "/^(alerts|overlay|oauth|donations.(create|get|list)|interface.amount)/";

/** Columns that change although nobody asks for a change: when a credential was last used, and until when a process counts as alive. */
const stamps = /last_used|last_seen|alive_until/;

/** Every row of every table as text, without stamps. */
async function allRows(): Promise<Record<string, string[]>> {
  const client = new pg.Client({ connectionString: await databaseUrl(server.served.operator?.env ?? {}) });
  await client.connect();
  try {
    const { rows: tables } = await client.query(
      "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
    );
    const texts: Record<string, string[]> = {};
    for (const { name } of tables) texts[name] = await rowsOf(client, name);
    return texts;
  } finally {
    await client.end();
  }
}

async function rowsOf(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query(`select * from "${table}"`);
  return rows.map((row) => JSON.stringify(Object.entries(row).filter(([column]) => !stamps.test(column)))).sort();
}

/** Every row once the server's workers have taken up what was recorded. */
async function settledRows(): Promise<Record<string, string[]>> {
  for (;;) {
    const before = await allRows();
    await sleep(before.report_sums?.length ? 3_000 : 250);
    const now = await allRows();
    if (now.report_sums?.length && JSON.stringify(now) === JSON.stringify(before)) return now;
  }
}

test("a run with --read-only leaves each row of the database as it was, and says what was left out", async () => {
  await server.ask("PATCH", "/api/v1/alerts/settings", server.unusualSettings);
  for (let count = 0; count < 3; count += 1) await server.ask("POST", "/api/v1/donations", { donatorName: "real", amount: 60 });
  const before = await settledRows();
  const words = ["--url", server.served.url, "--read-only", "--depth", "quick", "--seed", "5", "--only", changing];
  const { code, output } = await conformance(words, server.env);
  expect(await allRows()).toEqual(before);
  expect([code, output]).toEqual([0, expect.stringMatching(/\d+ rules +left out by --read-only/)]);
}, 600_000);

test("--read-only without --url is wrong usage", async () => {
  const { code, output } = await conformanceOfProject(["--read-only"], {});
  expect([code, output]).toEqual([64, expect.stringContaining("--read-only needs --url")]);
});
