import { hash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeSite } from "../../http/base-url.ts";
import { cursorCodec } from "../../http/cursor.ts";
import { type OAuthPagesFixture, openOAuthPagesFixture, password } from "../testing-pages.ts";
import { endSession, listSessions, type Session, sessionStore } from "./sessions.ts";

let fixture: OAuthPagesFixture;

beforeAll(async () => {
  fixture = await openOAuthPagesFixture();
});

afterAll(async () => fixture?.close());

const siteOf = (secure: boolean) => makeSite({ brand: "namjai", baseUrl: `http${secure ? "s" : ""}://donations.example` });
const store = (secure = true) => sessionStore(fixture.database.knex, siteOf(secure), codec);
const codec = cursorCodec(Buffer.alloc(32, 1));
const begin = async (handle: string, before: Session) => {
  const verified = await fixture.pages.passwords.verifyPassword(handle, password);
  return (verified && (await store().begin(before, verified))) ?? "";
};
const pair = (line: string) => line.split(";")[0] ?? "";

test("over https the session cookie has the prefix __Host-, Secure, HttpOnly, SameSite=Lax, Path=/ and no Domain", async () => {
  const [line = ""] = (await store().open(undefined)).cookies;
  expect(line).toMatch(/^__Host-namjai_session=[\w-]{80,120}; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
});

test("over http the session cookie has no __Host- prefix, which browsers would refuse", async () => {
  const [line = ""] = (await store(false).open(undefined)).cookies;
  expect(line).toMatch(/^namjai_session=[\w-]{80,120}; Path=\/; HttpOnly; SameSite=Lax$/);
});

test("a session cookie is set once and kept, also before the login", async () => {
  const first = await store().open(undefined);
  const second = await store().open(`other=1; ${pair(first.cookies[0] ?? "")}; last=2`);
  expect(second).toEqual({ key: first.key, streamer: null, timeZone: null, hasEnded: false, cookies: [] });
});

test.each([
  ["no header", undefined],
  ["an empty header", ""],
  ["another cookie", "theme=dark"],
  ["an empty value", "__Host-namjai_session="],
  ["an invented value", `__Host-namjai_session=${"a".repeat(100)}`],
  ["a value that no server has sealed", `__Host-namjai_session=${"a".repeat(43)}`],
  [
    "one that another server has sealed",
    `__Host-namjai_session=${cursorCodec(Buffer.alloc(32)).seal("session cookie", { loggedIn: true })}`,
  ],
  ["odd characters", `__Host-namjai_session=${"-".repeat(43)}`],
  ["the name without its prefix", `namjai_session=${"a".repeat(43)}`],
  ["the name at the end of another", `x__Host-namjai_session=${"a".repeat(43)}`],
])("a Cookie header with %s opens a new session without a streamer", async (_title, header) => {
  const opened = await store().open(header);
  expect(opened).toMatchObject({ streamer: null, cookies: [expect.any(String)] });
  expect(opened.key).not.toBe((await store().open(header)).key);
});

test("a session cookie that no login has set is not looked up in the database", async () => {
  const noDatabase = (() => {
    throw new Error("looked up");
  }) as never;
  const { open } = sessionStore(noDatabase, siteOf(true), codec);
  const given = (await open(`__Host-namjai_session=${"a".repeat(43)}`)).cookies[0] ?? "";
  expect((await open(pair(given))).streamer).toBeNull();
});

test("the session cookie of a login lasts twelve hours, and only its SHA-256 is stored", async () => {
  const line = await begin("somchai", await store().open(undefined));
  expect(line).toMatch(/; Max-Age=43200$/);
  const id = pair(line).split("=")[1] ?? "";
  const opened = await store().open(pair(line));
  expect(opened).toEqual({
    key: hash("sha256", id),
    streamer: { id: fixture.somchai, handle: "somchai" },
    timeZone: null,
    hasEnded: false,
    cookies: [],
  });
  const rows = await fixture.database
    .knex("sessions")
    .select("*", fixture.database.knex.raw("expires_at - created_at = interval '12 hours' as twelve"));
  expect(rows.map((row) => row.hash)).toContainEqual(hash("sha256", id, "buffer"));
  expect(rows.every(({ twelve }) => twelve)).toBe(true);
  expect(JSON.stringify(rows)).not.toContain(id);
});

test("a login in a session that is logged in ends that session", async () => {
  const first = await begin("somchai", await store().open(undefined));
  const second = await begin("malee", await store().open(pair(first)));
  expect((await store().open(pair(first))).streamer).toBeNull();
  expect((await store().open(pair(second))).streamer?.handle).toBe("malee");
});

test("an expired session has no streamer, and the next login deletes it", async () => {
  const line = await begin("somchai", await store().open(undefined));
  await fixture.database.knex("sessions").update({ expires_at: fixture.database.knex.fn.now() });
  expect((await store().open(pair(line))).streamer).toBeNull();
  await Promise.all([1, 2, 3, 4].map(async () => begin("malee", await store().open(undefined))));
  expect(await fixture.database.knex("sessions").where({ streamer_id: fixture.somchai })).toEqual([]);
});

test("ending a session deletes it and clears the cookie", async () => {
  const line = await begin("somchai", await store().open(undefined));
  expect(await store().end(await store().open(pair(line)))).toBe(
    "__Host-namjai_session=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0",
  );
  expect(await store().open(pair(line))).toMatchObject({ streamer: null, hasEnded: true });
});

test("one session is ended by the id that lists it, for its streamer alone", async () => {
  const { knex } = fixture.database;
  const lines = [await begin("somchai", await store().open(undefined)), await begin("somchai", await store().open(undefined))];
  const [first, second] = await Promise.all(lines.map(async (line) => (await store().open(pair(line))).key));
  const listed = await listSessions(knex, fixture.somchai, first ?? "");
  const others = listed.filter(({ isThis }) => !isThis).map(({ id }) => id);
  const other = others.find((id) => second?.startsWith(id)) ?? "";
  expect(await endSession(knex, crypto.randomUUID(), other)).toBe(false);
  for (const invented of ["", "%", other.slice(1), `${other}0`]) expect(await endSession(knex, fixture.somchai, invented)).toBe(false);
  expect(await endSession(knex, fixture.somchai, other)).toBe(true);
  expect(await endSession(knex, fixture.somchai, other)).toBe(false);
  expect(await Promise.all(lines.map(async (line) => (await store().open(pair(line))).streamer !== null))).toEqual([true, false]);
});

test("a login whose password was changed while it was checked begins no session", async () => {
  const { passwords } = fixture.pages;
  const before = await store().open(undefined);
  const verified = await passwords.verifyPassword("somchai", password);
  await passwords.setPassword(fixture.somchai, "another password");
  expect(await store().begin(before, verified!)).toBeNull();
  expect(await fixture.database.knex("sessions").where({ streamer_id: fixture.somchai })).toEqual([]);
  await passwords.setPassword(fixture.somchai, password);
});

test("a login that is under way while the password is changed leaves no session behind", async () => {
  const { passwords } = fixture.pages;
  const logins = Array.from({ length: 20 }, async () => begin("somchai", await store().open(undefined)));
  await Promise.all([...logins, passwords.setPassword(fixture.somchai, "another password")]);
  expect(await fixture.database.knex("sessions").where({ streamer_id: fixture.somchai })).toEqual([]);
  await passwords.setPassword(fixture.somchai, password);
});
