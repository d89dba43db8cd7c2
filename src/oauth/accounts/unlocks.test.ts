import { afterAll, beforeAll, expect, test } from "vitest";
import { type OAuthPagesFixture, openOAuthPagesFixture } from "../testing-pages.ts";
import { loginThrottle, unlockFinder, unlockLogins } from "./check-password.ts";

let fixture: OAuthPagesFixture;
beforeAll(async () => void (fixture = await openOAuthPagesFixture()));
afterAll(async () => fixture?.close());

const attempt = (handle: string, address: string) => ({ handle, address, browser: null, browserName: null });

test("an unlock lets a locked streamer try twenty times more, from locked networks too, in every process, and nobody else", async () => {
  const { knex } = fixture.database;
  const clock = { now: 0 };
  const processes = [1, 2].map(() =>
    loginThrottle(
      undefined,
      unlockFinder(knex, () => clock.now),
    ),
  );
  for (const throttle of processes) {
    for (let i = 0; i < 20; i += 1) await throttle.attempt(attempt("somchai", "192.0.2.1"));
    for (let i = 0; i < 20; i += 1) await throttle.attempt(attempt("somchai", "198.51.100.1"));
    expect((await throttle.attempt(attempt("somchai", "203.0.113.1"))).wait).toBe(900);
  }
  await unlockLogins(knex, fixture.somchai);
  clock.now = 1_000;
  for (const throttle of processes) {
    for (let i = 0; i < 20; i += 1) expect((await throttle.attempt(attempt("somchai", "192.0.2.1"))).wait).toBe(0);
    expect((await throttle.attempt(attempt("somchai", "192.0.2.1"))).wait).toBe(900);
    expect((await throttle.attempt(attempt("malee", "192.0.2.1"))).wait).toBe(900);
  }
  await unlockLogins(knex, fixture.somchai);
  clock.now = 2_000;
  expect((await processes[0]?.attempt(attempt("somchai", "203.0.113.1")))?.wait).toBe(0);
});

test("refused logins read the unlocks once a second, however many they are", async () => {
  const clock = { now: 0 };
  let statements = 0;
  fixture.database.knex.on("query", () => void (statements += 1));
  const find = unlockFinder(fixture.database.knex, () => clock.now);
  for (let i = 0; i < 50; i += 1) expect(await find(`made-up-${i}`)).toBeNull();
  expect(statements).toBe(1);
});
