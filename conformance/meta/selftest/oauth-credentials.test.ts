// Rules about OAuth against a server of someone else, with clients and logins from a file.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { readOAuthCredentials } from "../../suite/command/oauth-credentials.ts";
import { checkout, node } from "../../suite/contract/sources.ts";
import type { OAuth } from "../../suite/values/target.ts";
import { conformance, type Outcome } from "./command.ts";
import { type ServerInUse, startServerInUse } from "./server-in-use.ts";

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
  const rules = "/^oauth.(token-body|issue-token-scopes|consent|lifetimes)$/";
  let server: ServerInUse;
  let given: Pick<OAuth, "clients" | "logins">;
  beforeAll(async () => {
    server = await startServerInUse();
    given = server.served.oauth as OAuth;
    fileOf("logins.json", given.logins);
    return server.stop;
  }, 400_000);

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
    const outcome = await run({ clients: clients() }, [], "/^oauth.(authorize|client-authentication|token-body|issue-token-scopes)$/");
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
