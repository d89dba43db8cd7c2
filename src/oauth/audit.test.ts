// The lines of the audit log about logins, passwords, clients and grants.

import { decodeJwt } from "jose";
import type { Knex } from "knex";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { actAs } from "../audit/actor.ts";
import { auditLines } from "../audit/testing.ts";
import { silent, until } from "../db/testing.ts";
import { unlimitedLogins } from "./accounts/check-password.ts";
import { openFailedLogins } from "./accounts/failed-logins.ts";
import { passwordStore } from "./accounts/passwords.ts";
import { selfService } from "./accounts/self-service.ts";
import { ownClients } from "./clients/own-clients.ts";
import { ask, callback, granted, tokenRequests } from "./testing.ts";
import { cheap, logIn, type OAuthPagesFixture, openBrowser, openOAuthPagesFixture } from "./testing-pages.ts";
import { revokeToken } from "./tokens/revoke.ts";

let fixture: OAuthPagesFixture;
const { connected, refresh } = tokenRequests(() => fixture);
const knexOf = () => fixture.database.knex;

beforeAll(async () => {
  fixture = await openOAuthPagesFixture();
});

afterAll(() => fixture?.close());

/** The lines of a chain that `act` writes. */
async function linesOf(chain: string, act: () => Promise<unknown>) {
  const before = (await auditLines(knexOf(), chain)).length;
  await act();
  return (await auditLines(knexOf(), chain)).slice(before);
}

test("a login and a logout are recorded with the session and the address, and a logout of nobody is not", async () => {
  const [login, logout] = await linesOf(fixture.somchai, async () => {
    const browser = await fixture.loggedIn();
    await browser.submit(await browser.visit("/oauth/connections"), "/oauth/logout");
  });
  const actor = { kind: "session", id: fixture.somchai, from: "192.0.2.1", session: expect.stringMatching(/^[0-9a-f]{12}$/) };
  expect(login).toMatchObject({ action: "login.succeeded", target: fixture.somchai, actor });
  expect(logout).toMatchObject({ action: "session.ended", target: fixture.somchai, actor: { ...actor, session: login?.actor.session } });
  expect(await linesOf(fixture.somchai, async () => openBrowser(fixture.pages).visit("/oauth/login"))).toEqual([]);
});

/** An attempt of a browser of which nothing is known. */
const from = (handle: string, address: string) => ({ handle, address, browser: null, browserName: null });

test("failed logins are one line for a streamer and one for all unknown handles, with their number and networks, and name no handle", async () => {
  const failed = openFailedLogins(knexOf(), silent);
  const throttle = failed.counting(unlimitedLogins);
  const pages = { ...fixture.pages, throttle };
  const userAgent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0";
  for (const address of ["192.0.2.1", "192.0.2.1", "198.51.100.7"]) {
    const browser = openBrowser(pages);
    await browser.submit(
      await browser.visit("/oauth/login"),
      "/oauth/login",
      { handle: "malee", password: "wrong" },
      { address, userAgent },
    );
  }
  for (const handle of ["hunter2", "hunter3"]) await throttle.attempt(from(handle, "203.0.113.4"));
  const browser = openBrowser(pages);
  await logIn(browser, await browser.visit("/oauth/login"));
  const lines = await linesOf("operator", async () =>
    expect(await linesOf(fixture.malee, failed.close)).toMatchObject([
      {
        action: "login.failed",
        outcome: "refused",
        target: fixture.malee,
        details: { attempts: 3, networks: 2, from: ["192.0.2.1", "198.51.100.7"], browsers: ["Chrome, Windows"] },
      },
    ]),
  );
  expect(lines).toMatchObject([{ action: "login.failed", details: { attempts: 2, handles: 2, networks: 1, from: ["203.0.113.4"] } }]);
  expect(JSON.stringify(await auditLines(knexOf()))).not.toContain("hunter");
  expect((await auditLines(knexOf(), fixture.somchai)).map(({ action }) => action)).not.toContain("login.failed");
});

test("failed logins that could not be recorded are recorded with the next ones, and what was recorded is not recorded again", async () => {
  const lines: string[] = [];
  let transactions = 0;
  const transaction: Knex["transaction"] = async (...args: never[]) => {
    transactions += 1;
    if (transactions === 2) throw new Error("the database is away"); // after the streamer's line
    return Reflect.apply(knexOf().transaction, knexOf(), args);
  };
  const knex = new Proxy(knexOf(), { get: (target, name) => (name === "transaction" ? transaction : Reflect.get(target, name)) });
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    const failed = openFailedLogins(knex, pino({ level: "warn" }, { write: (line) => lines.push(line) }));
    const throttle = failed.counting(unlimitedLogins);
    for (const handle of ["malee", "hunter4", "hunter4"]) await throttle.attempt(from(handle, "192.0.2.1"));
    const written = await linesOf("operator", async () =>
      expect(
        await linesOf(fixture.malee, async () => {
          vi.advanceTimersByTime(120_000);
          await until(async () => lines.length === 1);
          await throttle.attempt(from("hunter4", "192.0.2.1"));
          await failed.close();
        }),
      ).toMatchObject([{ details: { attempts: 1 } }]),
    );
    const counted = written.map(({ details }) => details as { attempts: number });
    expect(counted.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(3);
  } finally {
    vi.useRealTimers();
  }
});

test("made-up handles are kept as far as they could be a handle, so that long ones cannot fill the memory", async () => {
  const failed = openFailedLogins(knexOf(), silent);
  const throttle = failed.counting(unlimitedLogins);
  const [first] = await Promise.all(["a", "b", "c"].map((end) => throttle.attempt(from("x".repeat(40) + end, "192.0.2.1"))));
  await first?.forgive();
  expect(await linesOf("operator", failed.close)).toMatchObject([{ details: { attempts: 2, handles: 1 } }]);
});

test("a changed password, ended sessions and changed preferences are recorded", async () => {
  const { knex } = fixture.database;
  const own = selfService({ ...fixture.pages, knex, throttle: unlimitedLogins });
  const lines = await linesOf(fixture.malee, async () => {
    await passwordStore(knex, cheap).setPassword(fixture.malee, "a new password");
    await own.endSessions(fixture.malee);
    await own.savePreferences(fixture.malee, { timeZone: "Asia/Bangkok", language: "th" });
  });
  expect(lines.map(({ action }) => action)).toEqual(["password.set", "sessions.ended", "preferences.changed"]);
  expect(JSON.stringify(lines)).not.toContain("a new password");
});

test("a streamer's client is recorded in the streamer's chain, from its registration to its removal, without a secret", async () => {
  const { knex } = fixture.database;
  const own = ownClients({ knex, brand: "namjai", denials: fixture.denials });
  const secrets: (string | null)[] = [];
  let id = "";
  const lines = await linesOf(fixture.somchai, async () => {
    const created = await own.register(fixture.somchai, { name: "Bot", redirectUris: [callback], public: false, scopes: granted });
    id = created.clientId;
    const made = await own.find(fixture.somchai, id);
    const rotated = await own.rotate(fixture.somchai, id, made?.secretSince as Date);
    secrets.push(created.clientSecret, rotated?.clientSecret ?? null);
    await own.change(fixture.somchai, id, { name: "Bot 2", redirectUris: [callback] });
    await own.remove(fixture.somchai, id);
  });
  expect(lines.map(({ action, target }) => [action, target])).toEqual([
    ["client.created", id],
    ["client.secret_rotated", id],
    ["client.changed", id],
    ["client.removed", id],
  ]);
  for (const secret of secrets) expect(JSON.stringify(lines)).not.toContain(secret);
});

test("a client of the operator is recorded in the operator's chain", async () => {
  const lines = await linesOf("operator", () => actAs({ kind: "cli", id: "root" }, () => fixture.client()));
  expect(lines).toMatchObject([{ action: "client.created", actor: { kind: "cli", id: "root" }, details: { scopes: granted } }]);
});

test("an approval and its revocation by the client are recorded, the latter in the client's name and once", async () => {
  const streamerId = await fixture.streamer();
  const { client, tokens } = await connected({ streamerId });
  const revoke = () => ask(revokeToken({ ...fixture.deps }), { token: tokens.refresh_token, ...client });
  await revoke();
  await revoke();
  const lines = await auditLines(knexOf(), streamerId);
  expect(lines).toMatchObject([
    { action: "grant.approved", details: { client: client.client_id, scopes: granted } },
    {
      action: "grant.revoked",
      actor: { kind: "client", id: client.client_id },
      details: { client: client.client_id, reason: "requested" },
    },
  ]);
  expect(lines[0]?.target).toBe(lines[1]?.target);
});

test("a revoked access token is recorded by its id", async () => {
  const streamerId = await fixture.streamer();
  const { client, tokens } = await connected({ streamerId });
  await ask(revokeToken({ ...fixture.deps }), { token: tokens.access_token, ...client });
  expect((await auditLines(knexOf(), streamerId)).at(-1)).toMatchObject({
    action: "token.revoked",
    target: decodeJwt(tokens.access_token).jti,
    actor: { kind: "client", id: client.client_id },
  });
});

test("a grant that is revoked because a refresh token was used again says so", async () => {
  const streamerId = await fixture.streamer();
  const { client, tokens } = await connected({ streamerId }, await fixture.client({ public: true }));
  await refresh(client, tokens.refresh_token);
  await refresh(client, tokens.refresh_token);
  expect((await auditLines(knexOf(), streamerId)).at(-1)).toMatchObject({ action: "grant.revoked", details: { reason: "token_reused" } });
});
