import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Account } from "../../ui/streamer-pages.ts";
import { logIn, type OAuthPagesFixture, openBrowser, openOAuthPagesFixture, password } from "../testing-pages.ts";
import { loginThrottle } from "./check-password.ts";
import { type SelfService, selfService } from "./self-service.ts";

let fixture: OAuthPagesFixture;
let own: SelfService;

beforeAll(async () => void (fixture = await openOAuthPagesFixture()));
afterAll(async () => fixture?.close());

beforeEach(async () => {
  own = selfService({ ...fixture.pages, knex: fixture.database.knex, throttle: loginThrottle() });
  await own.endSessions(fixture.somchai);
  await fixture.pages.passwords.setPassword(fixture.somchai, password);
});

/** Logs somchai in with a new browser. */
async function newBrowser() {
  const browser = await fixture.loggedIn();
  const cookie = [...browser.jar].map(([name, value]) => `${name}=${value}`).join("; ");
  const { key, streamer } = await fixture.pages.sessions.open(cookie);
  const account: Account = { streamer: streamer!, sessionKey: key, formToken: "", logoutToken: "" };
  return { browser, cookie, account };
}

const isLoggedIn = async (cookie: string) => (await fixture.pages.sessions.open(cookie)).streamer !== null;

test("a changed password ends every other session of the streamer, and logs in from then on", async () => {
  const [mine, other] = [await newBrowser(), await newBrowser()];
  const change = { account: mine.account, current: password, next: "a new password", address: "192.0.2.9", cookie: mine.cookie };
  const outcome = await own.changePassword(change);
  expect(outcome).toEqual({ is: "changed", cookies: [expect.stringMatching(/^__Host-namjai_browser=/)] });
  const [cookie] = outcome.is === "changed" ? outcome.cookies : [];
  const { browsers } = fixture.pages;
  const known = [mine.cookie, other.cookie, cookie?.split(";")[0]].map((header) => browsers.find(header, "somchai"));
  expect(
    (await Promise.all(known)).map((id) => id !== null),
    "the browser that changed the password is known, and no other",
  ).toEqual([false, false, true]);
  expect([await isLoggedIn(mine.cookie), await isLoggedIn(other.cookie)]).toEqual([true, false]);
  expect(await fixture.pages.passwords.verifyPassword("somchai", "a new password")).toMatchObject({ streamerId: fixture.somchai });
  expect(await fixture.pages.passwords.verifyPassword("somchai", password)).toBeNull();
});

test("a password that is changed while the current one is being checked stays as that change set it", async () => {
  const { passwords } = fixture.pages;
  const { account, cookie } = await newBrowser();
  const verifyPassword: typeof passwords.verifyPassword = async (...typed) => {
    const right = await passwords.verifyPassword(...typed);
    await passwords.setPassword(fixture.somchai, "the first new one");
    return right;
  };
  const deps = { ...fixture.pages, knex: fixture.database.knex, throttle: loginThrottle(), passwords: { ...passwords, verifyPassword } };
  const change = { account, current: password, next: "the second new one", address: "192.0.2.11", cookie };
  expect(await selfService(deps).changePassword(change)).toEqual({ is: "wrong" });
  expect(await passwords.verifyPassword("somchai", "the first new one")).not.toBeNull();
});

test("a wrong current password changes nothing, and guesses are limited like those of the login", async () => {
  const { account, cookie } = await newBrowser();
  const guess = (current: string) => own.changePassword({ account, current, next: "a new password", address: "192.0.2.10", cookie });
  expect(await guess("wrong password")).toEqual({ is: "wrong" });
  for (let count = 1; count < 30; count += 1) await guess("wrong password");
  expect(await guess(password)).toEqual({ is: "tooMany", seconds: expect.any(Number) });
  expect(await isLoggedIn(cookie)).toBe(true);
  expect(await fixture.pages.passwords.verifyPassword("somchai", password)).toMatchObject({ streamerId: fixture.somchai });
});

test("the sessions of a streamer are listed with this one marked, without those that have ended or are another streamer's", async () => {
  const { knex } = fixture.database;
  const [mine, other] = [await newBrowser(), await newBrowser()];
  await fixture.loggedIn("malee");
  const hours = (count: number) => knex.raw("now() - ? * interval '1 hour'", [count]);
  await knex("sessions")
    .where({ hash: Buffer.from(mine.account.sessionKey, "hex") })
    .update({ last_used_at: hours(2) });
  const listed = await own.sessions(mine.account);
  expect(listed.map(({ isThis }) => isThis)).toEqual([false, true]);
  await knex("sessions")
    .where({ hash: Buffer.from(other.account.sessionKey, "hex") })
    .update({ expires_at: hours(1) });
  expect((await own.sessions(mine.account)).map(({ isThis }) => isThis)).toEqual([true]);
});

test("a session is noted as used when it was used more than a minute ago", async () => {
  const { account, cookie } = await newBrowser();
  const row = () =>
    fixture.database
      .knex("sessions")
      .where({ hash: Buffer.from(account.sessionKey, "hex") })
      .first("last_used_at");
  await fixture.database.knex("sessions").update({ last_used_at: "2020-01-01T00:00:00Z" });
  await isLoggedIn(cookie);
  const { last_used_at: used } = await row();
  expect(Date.now() - used.getTime()).toBeLessThan(60_000);
  await isLoggedIn(cookie);
  expect((await row()).last_used_at).toEqual(used);
});

test("saved preferences replace earlier ones, and a page is shown in the saved time zone", async () => {
  expect(await own.preferences(fixture.malee)).toBeNull();
  await own.savePreferences(fixture.somchai, { timeZone: "UTC", language: "th" });
  await own.savePreferences(fixture.somchai, { timeZone: "Asia/Tokyo", language: "en" });
  expect(await own.preferences(fixture.somchai)).toEqual({ timeZone: "Asia/Tokyo", language: "en" });
  const { cookie } = await newBrowser();
  expect((await fixture.pages.sessions.open(cookie)).timeZone).toBe("Asia/Tokyo");
});

test("a login gives a browser in which no language was chosen the saved one, and leaves a chosen one", async () => {
  await own.savePreferences(fixture.somchai, { timeZone: "UTC", language: "en" });
  const fresh = openBrowser(fixture.pages);
  await logIn(fresh, await fresh.visit("/oauth/login"));
  expect(fresh.jar.get("namjai_language")).toBe("en");
  const chosen = openBrowser(fixture.pages);
  chosen.jar.set("namjai_language", "th");
  await logIn(chosen, await chosen.visit("/oauth/login"));
  expect(chosen.jar.get("namjai_language")).toBe("th");
});

test("a session can change its password while logins of the streamer are locked everywhere", async () => {
  const throttle = loginThrottle();
  const { account, cookie } = await newBrowser();
  for (let i = 0; i < 41; i += 1)
    await throttle.attempt({ handle: "somchai", address: `198.51.100.${i}`, browser: null, browserName: null });
  const service = selfService({ ...fixture.pages, knex: fixture.database.knex, throttle });
  const change = { account, current: password, next: "a new password", address: "198.51.100.1", cookie };
  expect(await service.changePassword(change)).toMatchObject({ is: "changed" });
});
