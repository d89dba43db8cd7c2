import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { TooManyKeys } from "../../auth/keys.ts";
import { Problem } from "../../http/problem.ts";
import { callback, granted, grantStates, type OAuthFixture, openOAuthFixture } from "../testing.ts";
import { findNameFault } from "./client-names.ts";
import { isSecretOf, type NewClient } from "./clients.ts";
import { type OwnClients, ownClients } from "./own-clients.ts";

let fixture: OAuthFixture;
let own: OwnClients;
let owner: string;

beforeAll(async () => {
  fixture = await openOAuthFixture();
  own = ownClients({ knex: fixture.database.knex, brand: "namjai", denials: fixture.denials });
});

afterAll(() => fixture?.close());

beforeEach(async () => {
  owner = await fixture.streamer();
});

const lamp: NewClient = { name: "Lamp", public: false, redirectUris: [callback], scopes: granted };

const register = (changes: Partial<NewClient> = {}) => own.register(owner, { ...lamp, ...changes });

async function verify(clientId: string, secret: string | null): Promise<boolean> {
  const found = await fixture.clients.findWithSecrets(clientId);
  return found !== null && isSecretOf(found, secret ?? "");
}

/** The pointers of what is refused. */
async function pointersOf(act: Promise<unknown>): Promise<(string | undefined)[]> {
  const error = await act.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(error instanceof Problem)) throw error ?? new Error("nothing was refused");
  expect(error.code).toBe("validation_failed");
  return (error.extras.errors ?? []).map(({ pointer }) => pointer);
}

/** The new secret; the streamer's page shows the newest one. */
async function rotate(clientId: string): Promise<string | null> {
  const client = await own.find(owner, clientId);
  return (await own.rotate(owner, clientId, client?.secretSince ?? new Date(0)))?.clientSecret ?? null;
}

test("a streamer may use a name that an application has given itself", async () => {
  const client = { name: "Free", public: true, redirectUris: [callback], scopes: granted };
  await fixture.clients.registerItself(client);
  expect(await register({ name: "Free" })).toMatchObject({ clientId: expect.any(String) });
  await fixture.clients.create({ ...client, name: "Taken" });
  expect(await pointersOf(register({ name: "Taken" }))).toEqual(["/name"]);
});

test("a client that a streamer registers works with its secret, and names its owner", async () => {
  const { clientId, clientSecret } = await register();
  expect(await verify(clientId, clientSecret)).toBe(true);
  const handle = owner; // in this fixture a streamer's handle is the id
  expect(await fixture.clients.find(clientId)).toMatchObject({ name: "Lamp", registeredBy: handle });
  expect((await fixture.clients.list()).find(({ id }) => id === clientId)).toMatchObject({ registeredBy: handle });
  const times = { createdAt: expect.any(Date), secretSince: expect.any(Date) };
  expect(await own.list(owner)).toEqual([{ id: clientId, ...lamp, ...times }]);
});

test("a public client that a streamer registers has no secret, and none can be made", async () => {
  const { clientId, clientSecret } = await register({ public: true });
  expect([clientSecret, await own.rotate(owner, clientId, new Date())]).toEqual([null, null]);
  expect(await own.find(owner, clientId)).toMatchObject({ public: true, secretSince: null });
});

test("everything that is wrong with a new client is named at once, by its member", async () => {
  const wrong = { name: "Namj\u0430i", redirectUris: [callback, "http://client.example/", "https://*.client.example/"], scopes: [] };
  expect(await pointersOf(register(wrong))).toEqual(["/name", "/redirectUris/1", "/redirectUris/2", "/scopes"]);
  expect(await pointersOf(register({ redirectUris: [] }))).toEqual(["/redirectUris"]);
  const eleven = Array.from({ length: 11 }, (_, index) => `${callback}/${index}`);
  expect(await pointersOf(register({ redirectUris: eleven }))).toEqual(["/redirectUris"]);
  expect(await own.list(owner)).toEqual([]);
});

test("a streamer's client must not have the name of a client of the operator; another streamer's may have the same", async () => {
  await fixture.client({ name: "Checked bot" });
  expect(await pointersOf(register({ name: "checked-bot" }))).toEqual(["/name"]);
  await own.register(await fixture.streamer(), { ...lamp, name: "Popular" });
  await register({ name: "Popular" });
});

test("a change of name and redirect URIs is checked as a new client is, and counts at once", async () => {
  const { clientId } = await register();
  const change = { name: "Lamp 2", redirectUris: [`${callback}/2`, `${callback}/2`] };
  expect(await own.change(owner, clientId, change)).toBe(true);
  expect(await fixture.clients.find(clientId)).toMatchObject({ name: "Lamp 2", redirectUris: [`${callback}/2`], scopes: granted });
  expect(await pointersOf(own.change(owner, clientId, { name: "", redirectUris: ["com.lamp.app:/x"] }))).toEqual([
    "/name",
    "/redirectUris/0",
  ]);
  expect(await fixture.clients.find(clientId)).toMatchObject({ name: "Lamp 2" });
});

test("rotating the secret of a streamer's client keeps the one before until the next rotation", async () => {
  const { clientId, clientSecret } = await register();
  const second = await rotate(clientId);
  expect([await verify(clientId, clientSecret), await verify(clientId, second)]).toEqual([true, true]);
  await rotate(clientId);
  expect([await verify(clientId, clientSecret), await verify(clientId, second)]).toEqual([false, true]);
});

test("a form that rotates the secret of a streamer's client and is sent several times at once makes one new secret", async () => {
  const { clientId, clientSecret } = await register();
  const since = (await own.find(owner, clientId))?.secretSince ?? new Date(0);
  const rotated = await Promise.all(Array.from({ length: 6 }, () => own.rotate(owner, clientId, since)));
  const made = rotated.flatMap((one) => one?.clientSecret ?? []);
  expect([made.length, await verify(clientId, clientSecret), await verify(clientId, made[0] ?? null)]).toEqual([1, true, true]);
});

test("a streamer's client that is deleted is unknown at once, and the grants of every streamer are revoked", async () => {
  const { clientId } = await register();
  for (let count = 0; count < 2; count += 1) await fixture.approve({ client_id: clientId });
  expect(await own.remove(owner, clientId)).toBe(true);
  expect(await grantStates(fixture, clientId)).toEqual(["revoked", "revoked"]);
  expect([await fixture.clients.find(clientId), await own.find(owner, clientId), await own.list(owner)]).toEqual([null, null, []]);
  expect(await own.remove(owner, clientId)).toBe(false);
  expect(await own.change(owner, clientId, lamp)).toBe(false);
});

test("a streamer reaches neither another streamer's clients nor those of the operator", async () => {
  const stranger = await fixture.streamer();
  const ids = [(await register()).clientId, (await fixture.client()).client_id];
  for (const id of ids) {
    expect([await own.find(stranger, id), await own.rotate(stranger, id, new Date())]).toEqual([null, null]);
    expect([await own.change(stranger, id, { ...lamp, name: "Taken" }), await own.remove(stranger, id)]).toEqual([false, false]);
    expect(await fixture.clients.find(id)).not.toMatchObject({ name: "Taken" });
  }
  expect(await own.list(stranger)).toEqual([]);
});

test("a streamer has at most 20 clients, even when they are registered at once, and deleting one makes room", async () => {
  const made = await Promise.allSettled(Array.from({ length: 22 }, (_, index) => register({ name: `Lamp ${index}` })));
  const refused = made.filter((one) => one.status === "rejected");
  expect(refused.map(({ reason }) => reason)).toEqual([expect.any(TooManyKeys), expect.any(TooManyKeys)]);
  const [first] = await own.list(owner);
  await own.remove(owner, first?.id ?? "");
  await register();
});

test("a streamer registers at most 60 clients in an hour", async () => {
  for (let count = 0; count < 60; count += 1) await own.remove(owner, (await register()).clientId);
  await expect(register()).rejects.toThrow(/60 applications per hour/);
});

const find = (name: string) => findNameFault(name, { brand: "namjai", taken: ["Alert Bot"] });

test.each([
  "Lamp",
  "ไฟเวที ๒๐๒๖",
  "Bot น้ำใจ",
  "Müller's lights!",
  "배경음악",
  "7",
  "a".repeat(60),
  "😀 lights",
  "Alert Bot 2",
  "🇹🇭 alerts",
  "Ελλάδα",
  "Привет",
  "Tip.ly lights",
  "Việt Nam",
  "Sport! $ tips",
])("a streamer's client may have the name %j", (name) => expect(find(name)).toBeNull());

test.each([
  ["no characters", "", "required", /required/],
  ["61 characters", "😀".repeat(60).concat("a"), "too_long", /60 characters/],
  ["a control character", "Lamp\u0007", "invalid_format", /control/],
  ["a line break", "Lamp\nby Namjai", "invalid_format", /line breaks/],
  ["a right-to-left override", "Lamp\u202Egpj", "invalid_format", /invisible/],
  ["an isolate", "\u2066Lamp\u2069", "invalid_format", /invisible/],
  ["a zero-width space", "La\u200Bmp", "invalid_format", /invisible/],
  ["a Hangul filler", "\u3164", "invalid_format", /invisible/],
  ["a non-breaking space", "Lamp\u00A0bot", "invalid_format", /invisible/],
  ["a line separator", "Lamp\u2028bot", "invalid_format", /line breaks/],
  ["an unpaired surrogate", "Lamp\uD800", "invalid_format", /invisible/],
  ["four marks on a letter", "La\u0301\u0301\u0301\u0301mp", "invalid_format", /marks/],
  ["punctuation alone", "...", "invalid_format", /letter or a digit/],
])("a streamer's client must not have a name with %s", (_title, name, code, rule) => {
  expect(find(name)).toMatchObject({ code, message: expect.stringMatching(rule) });
});

test.each([
  "Namjai",
  "NAMJAI Support",
  "n a m j a i",
  "nämjai",
  "namja\u0456",
  "N\u0430mj\u0430i",
  "namja1",
  "narnjai",
  "ｎａｍｊａｉ",
  "official-nam.jai",
  "\u039D\u0391\u039C\u0408\u0391\u0406", // Greek and Cyrillic capitals
  "🅽🅰🅼🅹🅰🅸 1",
  "🇳🇦🇲🇯🇦🇮 1",
  "namja|",
  "n@mja!",
])("a streamer's client must not have the name %j, which looks like the platform's", (name) =>
  expect(find(name)?.message).toMatch(/platform/),
);

test.each(["Alert Bot", "alert bot", "Alert-Bot", "A1ert B0t", "\u0410lert Bot", "Alert Bot™", "Alert Bot!", "A|ert Bot"])(
  "a streamer's client must not have the name %j, which looks like that of a client of the operator",
  (name) => expect(find(name)?.message).toMatch(/another application/),
);

test.each([
  ["Latin and Cyrillic letters", "Stre\u0430m lights"],
  ["Greek and Cyrillic letters", "\u039D\u0430"],
  ["small capitals", "ɴᴀᴍᴊᴀɪ"],
  ["phonetic letters", "namʝai"],
  ["Lisu letters", "ꓠꓮꓟꓙꓮꓲ"],
  ["Cherokee letters", "Ꮑamjai"],
])("a streamer's client must not have a name with letters that pass for Latin ones: %s", (_title, name) =>
  expect(find(name)?.message).toMatch(/pass for Latin ones|platform/),
);

test("a streamer's client must not be named as if it had been found at an address", () =>
  expect(find("claude.ai · Claude")?.message).toMatch(/address/));
