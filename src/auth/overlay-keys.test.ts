import { expect, test } from "vitest";
import { auditLines } from "../audit/testing.ts";
import { useDatabase } from "../db/testing.ts";
import { streamerStore } from "../donations/streamers.ts";
import { TooManyKeys } from "./keys.ts";
import { type KeyWidget, overlayKeyStore } from "./overlay-keys.ts";

const database = useDatabase();

const store = () => overlayKeyStore(database.knex, "namjai");
const newStreamer = async (handle: string) => (await streamerStore(database.knex).create(handle)).id;
const names = async (streamerId: string) => (await store().list(streamerId)).map(({ name }) => name);
const version = async () => Number((await database.knex("credential_changes").first("version")).version);

test("a further overlay key leaves the streamer's others as they are, and tells no process of a revocation", async () => {
  const id = await newStreamer("several");
  const before = await version();
  for (const name of ["OBS", "Phone"]) await store().create(id, name);
  expect(await names(id)).toEqual(["OBS", "Phone"]);
  expect(await version()).toBe(before);
});

test("one overlay key is revoked alone, once, and only by its own streamer", async () => {
  const [id, other] = [await newStreamer("revokes"), await newStreamer("stranger")];
  for (const name of ["OBS", "Phone"]) await store().create(id, name);
  const [obs] = await store().list(id);
  const before = await version();
  expect(await store().revoke(obs?.id ?? "", other)).toBe(false);
  expect(await store().revoke(obs?.id ?? "", id)).toBe(true);
  expect(await store().revoke(obs?.publicId ?? "", id)).toBe(false);
  expect(await names(id)).toEqual(["Phone"]);
  expect(await version()).toBe(before + 1);
  expect(await store().revokedAmong([obs?.id ?? ""])).toEqual([obs?.id]);
});

test("a key that replaces all others is the only one left", async () => {
  const id = await newStreamer("replaces");
  for (const name of ["OBS", "Phone"]) await store().create(id, name);
  await store().replaceAll(id, "New");
  expect(await names(id)).toEqual(["New"]);
});

test("a streamer has at most 20 overlay keys that work, even when they are created at once; a key that replaces all is no further one", async () => {
  const id = await newStreamer("many");
  const made = await Promise.allSettled(Array.from({ length: 25 }, (_, n) => store().create(id, `key ${n}`)));
  expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(20);
  for (const one of made) if (one.status === "rejected") expect(one.reason).toBeInstanceOf(TooManyKeys);
  await store().replaceAll(id, "New");
  expect(await names(id)).toEqual(["New"]);
});

const week = { kind: "top", parameters: { period: "week", title: "ดี" } } as const;
const day = { kind: "top", parameters: { period: "day" } } as const;

test("a key is created with its widget, which is changed by its own streamer alone, while it is still the one that was seen", async () => {
  const [id, other] = [await newStreamer("widgets"), await newStreamer("onlooker")];
  for (const [name, widget] of [
    ["Top", week],
    ["OBS", null],
  ] as const)
    await store().create(id, name, widget);
  const [top, obs] = (await store().list(id)).map((key) => key.id) as [string, string];
  expect((await store().list(id)).map(({ widget }) => widget)).toEqual([week, null]);
  const usual = { widget: null, sound: "leader" } as const;
  expect(await store().settingsOf([top, obs])).toEqual(
    new Map<string, unknown>([
      [top, { ...usual, widget: week }],
      [obs, usual],
    ]),
  );
  const before = await version();
  const sameInOtherOrder = { parameters: { title: "ดี", period: "week" }, kind: "top" } as const;
  const change = (owner: string, key: string, [from, to]: readonly [KeyWidget, KeyWidget], alsoWrite = async () => {}) =>
    store().changeWidget(owner, key, { from, to, alsoWrite });
  expect(await change(other, top, [week, day])).toBe(false);
  expect(await change(id, "no id", [week, day])).toBe(false);
  expect(await change(id, obs, [week, day])).toBe(false);
  const failing = change(id, top, [week, day], () => Promise.reject(new Error("not written")));
  await expect(failing, "the change and what is written with it are one transaction").rejects.toThrow("not written");
  expect(await change(id, top, [sameInOtherOrder, day])).toBe(true);
  expect(await change(id, top, [week, day])).toBe(false);
  expect((await store().list(id)).map(({ widget }) => widget)).toEqual([day, null]);
  await store().revoke(top, id);
  expect(await change(id, top, [day, week])).toBe(false);
  expect(await version(), "no credential is revoked by a change of its widget").toBe(before + 1);
  const lines = await auditLines(database.knex, id);
  expect(lines.filter(({ action }) => action === "overlay_key.changed").map(({ target }) => target)).toEqual([top]);
});

test("the last use of an overlay key never goes back to an earlier time", async () => {
  const id = await newStreamer("uses");
  await store().create(id, "OBS");
  const [key] = await store().list(id);
  const [earlier, later] = [new Date("2100-11-20T05:00:00Z"), new Date("2100-11-20T05:05:00Z")];
  for (const at of [later, earlier]) await store().recordUses(new Map([[key?.id ?? "", at]]));
  expect((await store().list(id))[0]?.lastUsedAt).toEqual(later);
});

test("the last use of an overlay key, whose time is rounded down, is not before its creation", async () => {
  const id = await newStreamer("rounded");
  await store().create(id, "OBS");
  const [key] = await store().list(id);
  await store().recordUses(new Map([[key?.id ?? "", new Date(Date.now() - 300_000)]]));
  const [used] = await store().list(id);
  expect(used?.lastUsedAt).toEqual(used?.createdAt);
});
