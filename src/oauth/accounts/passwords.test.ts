import { scryptSync } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cheap, type OAuthPagesFixture, openOAuthPagesFixture, password } from "../testing-pages.ts";
import { currentParameters, deriveHash, passwordStore } from "./passwords.ts";

let fixture: OAuthPagesFixture;

beforeAll(async () => {
  fixture = await openOAuthPagesFixture();
});

afterAll(async () => fixture?.close());

const store = (parameters = cheap) => passwordStore(fixture.database.knex, parameters);

test("the right password resolves to the streamer's id, and a wrong one to null", async () => {
  expect(await store().verifyPassword("somchai", password)).toMatchObject({ streamerId: fixture.somchai });
  for (const wrong of [`${password} `, password.slice(1), "", password.repeat(100), "\0"])
    expect(await store().verifyPassword("somchai", wrong)).toBeNull();
});

test("an unknown handle and a handle without a password resolve to null", async () => {
  await fixture.database.knex("streamer_handles").insert({ streamer_id: "018f0000-0000-7000-8000-000000000001", handle: "no-password" });
  for (const handle of ["nobody", "no-password", "", "Somchai", "\0", "x".repeat(50_000)])
    expect(await store().verifyPassword(handle.replaceAll("\0", "\uFFFD"), password)).toBeNull();
});

test("verifying the password of an unknown handle costs as much as for a known one", async () => {
  const costly = store({ N: 2 ** 14, r: 8, p: 2 });
  await costly.verifyPassword("somchai", password); // rehashes
  const known = await cheapest(() => costly.verifyPassword("somchai", "wrong password"));
  const unknown = await cheapest(() => costly.verifyPassword("nobody", "wrong password"));
  expect(unknown).toBeGreaterThan(known / 2);
  expect(known).toBeGreaterThan(unknown / 2);
});

test("a password hash keeps its parameters until the next login replaces it with current ones", async () => {
  await store().setPassword(fixture.malee, password);
  const [before] = await stored(fixture.malee);
  expect(before?.parameters).toEqual(cheap);
  const later = { N: 2 ** 11, r: 8, p: 1 };
  expect(await store(later).verifyPassword("malee", "wrong password")).toBeNull();
  expect((await stored(fixture.malee))[0]?.parameters).toEqual(cheap);
  expect(await store(later).verifyPassword("malee", password)).toMatchObject({ streamerId: fixture.malee });
  const [after] = await stored(fixture.malee);
  expect(after?.parameters).toEqual(later);
  expect(after?.salt).not.toEqual(before?.salt);
  expect(await store(later).verifyPassword("malee", password)).toMatchObject({ streamerId: fixture.malee });
});

test("a password typed on another keyboard with the same characters is the same password (NFKC)", async () => {
  await store().setPassword(fixture.malee, "น\u0E4D\u0E32ใจ-cafe\u0301");
  expect(await store().verifyPassword("malee", "น\u0E33ใจ-caf\u00E9")).toMatchObject({ streamerId: fixture.malee });
  await store().setPassword(fixture.malee, password);
});

test.each([
  ["seven characters", "1234567", false],
  ["eight characters", "12345678", true],
  ["seven characters of two code units", "😀".repeat(7), false],
  ["1,024 characters of two code units", "😀".repeat(1024), true],
  ["1,025 characters", "x".repeat(1025), false],
])("the length of passwords is checked: %s", async (_title, candidate, good) => {
  const setting = store().setPassword(fixture.malee, candidate);
  if (good) await setting;
  else await expect(setting).rejects.toThrow("a password must have 8 to 1024 characters");
});

test("a new password ends every session of the streamer, and no session of others", async () => {
  await store().setPassword(fixture.malee, password);
  const [hers, his] = [await fixture.loggedIn("malee"), await fixture.loggedIn("somchai")];
  await store().setPassword(fixture.malee, "another password");
  expect((await hers.visit("/oauth/connections")).status).toBe(303);
  expect((await his.visit("/oauth/connections")).status).toBe(200);
});

test("no password is stored in the database as text", async () => {
  const rows = await fixture.database.knex("streamer_passwords").select("hash", "salt", "parameters");
  for (const { hash, salt } of rows) expect(Buffer.concat([hash, salt]).includes(password)).toBe(false);
});

function stored(streamerId: string) {
  return fixture.database.knex("streamer_passwords").where({ streamer_id: streamerId }).select("parameters", "salt");
}

/** CPU time in microseconds, because elapsed time says little beside other tests. */
async function cheapest(work: () => Promise<unknown>): Promise<number> {
  const costs: number[] = [];
  for (let i = 0; i < 5; i += 1) {
    const start = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(start);
    costs.push(user + system);
  }
  return Math.min(...costs);
}

test("deriveHash returns the hash that scrypt returns", async () => {
  const salt = Buffer.from("NaCl");
  expect(await deriveHash("password", salt, cheap)).toEqual(scryptSync("password", salt, 32, cheap));
});

test("the current scrypt parameters cost at least what OWASP recommends: N = 2^15, r = 8, p = 3", async () => {
  const { N, r, p } = currentParameters;
  expect(N * r * p).toBeGreaterThanOrEqual(2 ** 15 * 8 * 3);
  expect(await deriveHash("password", Buffer.from("NaCl"), currentParameters)).toHaveLength(32);
});
