import { expect, test } from "vitest";
import type { KeyWidget, OverlayKeyEntry } from "../../auth/overlay-keys.ts";
import type { OverlayKeys } from "../studio-deps.ts";
import { openStudio } from "../testing.ts";

const page = "/studio/overlay/widget/settings";
const top: KeyWidget = { kind: "top", parameters: { count: "3", theme: "mint" } };

const keyWith = (widget: KeyWidget | null): OverlayKeyEntry => ({
  ...{
    id: "k1",
    publicId: "AbCd1234",
    name: "Side & screen",
    createdAt: new Date("2026-11-20T05:00:00Z"),
    lastUsedAt: null,
    sound: "leader",
  },
  widget,
});
/** The widgets that the key has one after the other, at each look; the last one stays. */
const withWidgets = (widgets: readonly (KeyWidget | null)[], changes: Partial<OverlayKeys> = {}) => {
  const left = [...widgets];
  const list = async () => [keyWith((left.length > 1 ? left.shift() : left[0]) ?? null)];
  return openStudio({ overlayKeys: { list, ...changes } });
};

const fieldsOf = (html: string): Record<string, string> => {
  const inputs = [...html.matchAll(/<input(?: type="hidden")?(?: id="[^"]*")? name="(\w+)"[^>]*? value="([^"]*)"/g)];
  const selects = [...html.matchAll(/<select[^>]* name="(\w+)"[^>]*>.*?<option value="([^"]*)" selected>/gs)];
  return Object.fromEntries([...inputs, ...selects].map(([, name = "", value = ""]) => [name, value.replaceAll("&amp;", "&")]));
};
const previewOf = (html: string) =>
  html
    .replaceAll("&amp;", "&")
    .match(/<iframe data-preview="([^"]+)" src="([^"]+)"/)
    ?.slice(1);

test("the settings of a key's widget are shown as they are stored, with the usual value of what is not, in whatever language", async () => {
  for (const language of ["th", "en"] as const) {
    const { status, html } = await withWidgets([top]).get(`${page}?key=k1`, language);
    expect(status).toBe(200);
    expect(fieldsOf(html)).toMatchObject({ key: "k1", count: "3", period: "all", theme: "mint", lang: "th", title: "", warm: "" });
    expect(previewOf(html)).toEqual([page, "/overlay/top?count=3&theme=mint&preview"]);
    expect(html).toContain("Side &amp; screen");
    expect(html).toContain(`data-here="${page}?key=k1"`);
    expect(html).not.toContain('name="kind"');
  }
});

test("a goal's page leads to the page of all goals", async () => {
  const { html } = await withWidgets([{ kind: "goal", parameters: {} }]).get(`${page}?key=k1`);
  expect(html).toContain('href="/studio/goals"');
});

test("what was typed is stored without what is usual, and the page then says that the open widget follows", async () => {
  const studio = withWidgets([top]);
  const shown = fieldsOf((await studio.get(`${page}?key=k1`)).html);
  const saved = await studio.post(page, { ...shown, count: "5", period: "week", title: " ดี ", lang: "en", kind: "goal" });
  expect(saved).toMatchObject({ status: 303, location: `${page}?key=k1&note=widget-saved` });
  const to = { kind: "top", parameters: { period: "week", title: "ดี", lang: "en", theme: "mint" } };
  expect(studio.calls).toEqual([["changeWidget", "somchai's id", "k1", { from: top, to }]]);
  expect((await studio.get(saved.location)).html).toContain("The widget that is open in OBS follows");
});

test("the preview shows what is typed, keeps it in its address, and stores nothing", async () => {
  const studio = withWidgets([top]);
  const shown = fieldsOf((await studio.get(`${page}?key=k1`)).html);
  const previewed = await studio.post(page, { ...shown, count: "9", theme: "namjai", preview: "now" });
  expect(previewed).toMatchObject({ status: 303, location: expect.stringContaining(`${page}?key=k1&version=${shown["version"]}&`) });
  const { html } = await studio.get(previewed.location, "en");
  expect(previewOf(html)?.[1]).toBe("/overlay/top?count=9&preview");
  expect(fieldsOf(html)).toMatchObject({ count: "9", theme: "namjai", version: shown["version"] });
  expect(html.replaceAll("&amp;", "&")).toContain(`data-here="${previewed.location}"`);
  expect(studio.calls).toEqual([]);
});

test("a wrong value is refused beside its field, and nothing is stored", async () => {
  const studio = withWidgets([top]);
  const shown = fieldsOf((await studio.get(`${page}?key=k1`)).html);
  const { status, html } = await studio.post(page, { ...shown, count: "11", card: "url(x)<" });
  expect(status).toBe(400);
  for (const field of ["count", "card"]) expect(html).toContain(`id="field-${field}-fault"`);
  expect(studio.calls).toEqual([]);
});

test("settings that were changed elsewhere are not overwritten: what was typed stays, and is stored when it is sent again", async () => {
  const changed: KeyWidget = { kind: "top", parameters: { count: "8" } };
  const studio = withWidgets([top, changed]);
  const shown = fieldsOf((await studio.get(`${page}?key=k1`)).html);
  const refused = await studio.post(page, { ...shown, count: "4" });
  expect(refused.status).toBe(409);
  expect(refused.html).toContain("changed elsewhere");
  expect(studio.calls).toEqual([]);
  const again = fieldsOf(refused.html);
  expect(again).toMatchObject({ count: "4", theme: "mint" });
  expect((await studio.post(page, again)).location).toBe(`${page}?key=k1&note=widget-saved`);
  const to = { kind: "top", parameters: { count: "4", theme: "mint" } };
  expect(studio.calls).toEqual([["changeWidget", "somchai's id", "k1", { from: changed, to }]]);
});

test("settings that are changed elsewhere while they are being stored are not overwritten either", async () => {
  const studio = withWidgets([top], { changeWidget: async () => false });
  const shown = fieldsOf((await studio.get(`${page}?key=k1`)).html);
  expect(await studio.post(page, { ...shown, count: "4" })).toMatchObject({
    status: 409,
    html: expect.stringContaining("changed elsewhere"),
  });
});

test("a form that is sent again after its settings were stored is no conflict", async () => {
  const stored: KeyWidget = { kind: "top", parameters: { theme: "mint", count: "4" } };
  const studio = withWidgets([top, stored]);
  const shown = fieldsOf((await studio.get(`${page}?key=k1`)).html);
  expect((await studio.post(page, { ...shown, count: "4" })).location).toBe(`${page}?key=k1&note=widget-saved`);
});

test.each([
  ["a key that there is not, or that was revoked", top, "k2"],
  ["a key without a widget", null, "k1"],
  ["a widget of an unknown kind", { kind: "wheel", parameters: {} } as unknown as KeyWidget, "k1"],
])("%s has no settings of a widget", async (_title, widget, key) => {
  const studio = withWidgets([widget]);
  expect((await studio.get(`${page}?key=${key}`)).location).toBe("/studio/overlay?note=no-key");
  expect((await studio.post(page, { key, version: "x", count: "4" })).location).toBe("/studio/overlay?note=no-key");
  expect(studio.calls).toEqual([]);
});

test("Enter in a field of the settings saves them: the form's first button is not the preview", async () => {
  const { html } = await withWidgets([top]).get(`${page}?key=k1`);
  const [, form = ""] = new RegExp(`<form[^>]* action="${page}"[^>]*>(.*?)</form>`, "s").exec(html) ?? [];
  const buttons = [...form.matchAll(/<button([^>]*)>([^<]*)</g)].map(([, attributes = "", words]) => [
    / name="preview"/.test(attributes),
    words,
  ]);
  expect(buttons).toEqual([
    [false, "Save"],
    [true, "Show the preview"],
    [false, "Save"],
  ]);
});
