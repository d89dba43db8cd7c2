import { expect, test } from "vitest";
import { TooManyKeys } from "../../auth/keys.ts";
import type { OverlayKeyEntry } from "../../auth/overlay-keys.ts";
import { openStudio } from "../testing.ts";
import { sources } from "./overlay-links.ts";

const overlayKey = (changes: Partial<OverlayKeyEntry> = {}): OverlayKeyEntry => ({
  ...{ id: "k1", publicId: "AbCd1234", name: "OBS", createdAt: new Date("2026-11-20T05:00:00Z"), lastUsedAt: null, sound: "leader" },
  widget: null,
  ...changes,
});
const withKeys = (...keys: OverlayKeyEntry[]) => openStudio({ overlayKeys: { list: async () => keys } });

test("the links of every page are shown once, in the answer that created their key, which leaves other keys alone", async () => {
  const studio = withKeys(overlayKey());
  const made = await studio.post("/studio/overlay", { newest: "k1", name: " Phone " }, "th");
  expect(made).toMatchObject({ status: 200, location: "" });
  const addresses = [...made.html.matchAll(/value="(https:[^"]+)"/g)].map(([, address]) => address);
  const released = ["", "goal", "total?span=today", "total?span=month", "total?span=all", "recent", "top"];
  expect(addresses).toEqual(sources.map(({ path }) => `https://donations.example${path}#namjai_o1_KEY`));
  expect(addresses).toEqual(expect.arrayContaining(released.map((path) => `https://donations.example/overlay/${path}#namjai_o1_KEY`)));
  expect(studio.calls).toEqual([["createOverlayKey", "somchai's id", "Phone", null]]);
  expect((await studio.get("/studio/overlay")).html).not.toContain("namjai_o1_KEY");
});

test("links that are made in English are of pages in English, and the page tells how to change that", async () => {
  const { html } = await openStudio().post("/studio/overlay", { newest: "none", name: "OBS" }, "en");
  const addresses = [...html.replaceAll("&amp;", "&").matchAll(/value="(https:[^"]+)"/g)].map(([, address = ""]) => new URL(address));
  expect(addresses).toHaveLength(sources.length);
  expect(addresses.map(({ searchParams }) => searchParams.getAll("lang"))).toEqual(sources.map(() => ["en"]));
  expect(addresses.map(({ searchParams }) => searchParams.get("span")).filter(Boolean)).toEqual(["today", "month", "all"]);
  expect(html).toContain("change <code>lang=en</code> to <code>lang=th</code>");
});

test("each new link can be opened, and tells the size of its source in OBS; that of a widget leads to its preview", async () => {
  const { html } = await openStudio().post("/studio/overlay", { newest: "none", name: "OBS" }, "th");
  for (const { path, size, th } of sources) {
    expect(html).toContain(`href="https://donations.example${path}#namjai_o1_KEY" target="_blank"`);
    expect(html.replaceAll("&#39;", "'")).toContain(`${th} · ${size}`);
    const [, kind = "", query = ""] = /^\/overlay\/(\w*)\??(.*)$/.exec(path) ?? [];
    const preview = `href="/studio/overlay/widget?kind=${kind}${query && `&amp;${query}`}"`;
    expect(html.includes(preview), path).toBe(kind !== "");
  }
});

test("a page that refuses the name of a key shows the widgets as the page before does", async () => {
  const { status, frames, html } = await openStudio().post("/studio/overlay", { newest: "none", name: "" });
  expect([status, frames, html.includes("<iframe")]).toEqual([400, true, true]);
});

test("overlay keys are listed newest first, with name, creation and last use, each with a button to revoke it", async () => {
  const first = overlayKey({ name: "<b>Old</b>", lastUsedAt: new Date("2026-11-21T05:00:00Z") });
  const { html } = await withKeys(first, overlayKey({ id: "k2", name: "Phone", publicId: "ZyXw9876" })).get("/studio/overlay");
  expect([...new Set([...html.matchAll(/name="key" value="([^"]+)"/g)].map(([, id]) => id))]).toEqual(["k2", "k1"]);
  for (const text of ["&lt;b&gt;Old", "namjai_o1_ZyXw9876…", "20 Nov 2026, 12:00", "21 Nov 2026, 12:00", "Never"])
    expect(html).toContain(text);
  expect((await openStudio().get("/studio/overlay")).html).not.toContain("/studio/overlay/revoke");
});

test("a key with a widget is listed with its kind and a link to its settings, one without a widget or with an unknown one is not", async () => {
  const newer = { kind: "wheel", parameters: {} } as unknown as OverlayKeyEntry["widget"];
  const studio = withKeys(
    overlayKey(),
    overlayKey({ id: "k2", name: "A & B", widget: { kind: "top", parameters: {} } }),
    overlayKey({ id: "k3", widget: newer }),
  );
  const { html } = await studio.get("/studio/overlay");
  expect(
    [...html.matchAll(/href="(\/studio\/overlay\/widget\/settings[^"]*)" aria-label="([^"]*)"/g)].map(([, ...found]) => found),
  ).toEqual([["/studio/overlay/widget/settings?key=k2", "Settings: A &amp; B"]]);
  expect(html.match(/<dt>Widget<\/dt><dd>Top donators<\/dd>/g)).toHaveLength(1);
  expect((await studio.get("/studio/overlay", "th")).html).toContain('aria-label="การตั้งค่า: A &amp; B"');
});

test.each(["none", "k1", ""])("a form whose page did not know the newest overlay key (%j) creates no other one", async (newest) => {
  const studio = withKeys(overlayKey(), overlayKey({ id: "k2" }));
  expect((await studio.post("/studio/overlay", { newest, name: "Phone" })).location).toBe("/studio/overlay?note=made-already");
  expect(studio.calls).toEqual([]);
});

test.each([
  ["no name", " ", "Is required."],
  ["a long name", "😀".repeat(61), "Must have at most 60 characters."],
  ["the name of another key", "OBS", "There is a key of this name already."],
])("a new overlay key with %s is refused beside its field, and no key is created", async (_title, name, words) => {
  const studio = withKeys(overlayKey());
  const { status, html } = await studio.post("/studio/overlay", { newest: "k1", name });
  expect(status).toBe(400);
  expect(html).toContain(words);
  expect(html).toContain('id="field-name-fault"');
  expect(studio.calls).toEqual([]);
});

test("an overlay key beyond the limit is refused beside its field", async () => {
  const create = async () => {
    throw new TooManyKeys("a streamer can have at most 20 overlay keys that work; revoke one first");
  };
  const { status, html } = await openStudio({ overlayKeys: { create } }).post("/studio/overlay", { newest: "none", name: "OBS" });
  expect(status).toBe(429);
  expect(html).toContain("A streamer can have at most 20 overlay keys that work; revoke one first.");
});

test("a streamer can revoke their own overlay keys only", async () => {
  const studio = openStudio();
  expect((await studio.post("/studio/overlay/revoke", { key: "k1" })).location).toBe("/studio/overlay?note=revoked");
  expect(studio.calls).toEqual([["revokeOverlayKey", "k1", "somchai's id"]]);
  const other = openStudio({ overlayKeys: { revoke: async () => false } });
  expect((await other.post("/studio/overlay/revoke", { key: "hers" })).location).toBe("/studio/overlay?note=no-key");
});

test("the sound of a link to alerts is chosen beside its key, and an unknown choice is refused", async () => {
  const studio = withKeys(overlayKey({ sound: "always" }), overlayKey({ id: "k2", widget: { kind: "top", parameters: {} } }));
  const { html } = await studio.get("/studio/overlay");
  expect(html.match(/<select id="sound-k1" name="sound">/g)).toHaveLength(1);
  expect(html).toContain('<option value="always" selected>');
  expect(await studio.post("/studio/overlay/sound", { key: "k1", sound: "never" })).toMatchObject({
    location: "/studio/overlay?note=sound-saved",
  });
  expect(studio.calls).toEqual([["changeSound", "somchai's id", "k1", "never"]]);
  await expect(studio.post("/studio/overlay/sound", { key: "k1", sound: "loud" })).rejects.toMatchObject({ code: "validation_failed" });
});
