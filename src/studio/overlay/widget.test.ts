import { expect, test } from "vitest";
import { openStudio } from "../testing.ts";
import { widgetKinds, widgetSize } from "./widget-form.ts";

const page = "/studio/overlay/widget";
const previewOf = (html: string) =>
  html
    .replaceAll("&amp;", "&")
    .match(/<iframe data-preview="[^"]*" src="([^"]+)" width="(\d+)" height="(\d+)"/)
    ?.slice(1);

test.each([
  ["", "/overlay/goal?preview"],
  ["?kind=nothing", "/overlay/goal?preview"],
  ["?kind=top", "/overlay/top?preview"],
  ["?kind=top&count=10&period=week&title=", "/overlay/top?period=week&count=10&preview"],
  ["?kind=total&span=today&theme=mint&accent=teal&warm=teal&count=3", "/overlay/total?span=today&theme=mint&warm=teal&preview"],
  ["?kind=goal&accent=teal", "/overlay/goal?accent=teal&preview"],
  ["?kind=donator&show=largest&period=all&card=%23112233", "/overlay/donator?show=largest&card=%23112233&preview"],
])("the settings %s of a widget's page are previewed by the widget itself, without what is usual", async (query, address) => {
  const reply = await openStudio().get(page + query, "th");
  expect(reply).toMatchObject({ status: 200, frames: true });
  expect(previewOf(reply.html)?.[0]).toBe(address);
});

test("a widget that is set up in English is in English, unless another language was chosen", async () => {
  const { html } = await openStudio().get(`${page}?kind=top&count=3`, "en");
  expect(previewOf(html)?.[0]).toBe("/overlay/top?count=3&lang=en&preview");
  expect(html).toContain('<option value="en" selected>');
  expect(previewOf((await openStudio().get(`${page}?kind=top&lang=th`, "en")).html)?.[0]).toBe("/overlay/top?preview");
  expect(previewOf((await openStudio().get(`${page}?kind=top&lang=en`, "th")).html)?.[0]).toBe("/overlay/top?lang=en&preview");
  const studio = openStudio();
  const made = await studio.post(page, { kind: "goal", newest: "none", name: "Goal" }, "en");
  expect(studio.calls[0]?.[3]).toEqual({ kind: "goal", parameters: { lang: "en" } });
  expect(made.html).toContain('value="https://donations.example/overlay/goal#namjai_o1_KEY"');
});

test("only the widget that may show the largest donation says that its period is that donation's", async () => {
  const hint = "For the largest donation.";
  expect((await openStudio().get(`${page}?kind=donator`)).html).toContain(hint);
  expect((await openStudio().get(`${page}?kind=top`)).html).not.toContain(hint);
});

test("the colour of a bar is asked for where there is a bar, and how colours are written is said once", async () => {
  const fields = async (kind: string) => (await openStudio().get(`${page}?kind=${kind}`)).html;
  expect(await fields("goal")).toContain('name="accent"');
  expect(await fields("top")).not.toContain('name="accent"');
  expect((await fields("top")).match(/Any CSS colour/g)).toHaveLength(1);
});

test("a list is as tall as its rows, and never taller with fewer", () => {
  const heights = (kind: "recent" | "top") =>
    Array.from({ length: 10 }, (_, n) => widgetSize({ kind, values: { count: String(n + 1) } }).height);
  for (const kind of ["recent", "top"] as const) expect(heights(kind)).toEqual(heights(kind).toSorted((a, b) => a - b));
  expect(widgetSize({ kind: "recent", values: {} })).toEqual({ width: 400, height: 460 });
  expect(widgetSize({ kind: "top", values: { count: "10" } })).toEqual({ width: 400, height: 460 });
});

test.each([
  ["count", "11", "Must be one of 1, 2"],
  ["period", "year", "Must be one of all, day"],
  ["title", "😀".repeat(61), "Must have at most 60 characters."],
  ["theme", "pink", "Must be one of namjai"],
  ["card", "url(x)<", "Must be a CSS colour"],
])("a wrong %s of a widget is named beside its field, and is in neither preview nor link", async (name, value, words) => {
  const studio = openStudio();
  const { status, html } = await studio.get(`${page}?kind=top&${new URLSearchParams({ [name]: value })}`);
  expect(status).toBe(400);
  expect(html).toContain(`id="field-${name}-fault"`);
  expect(html).toContain(words);
  expect(previewOf(html)?.[0]).toBe("/overlay/top?lang=en&preview");
  expect((await studio.post(page, { kind: "top", [name]: value, newest: "none", name: "Top" })).status).toBe(400);
  expect(studio.calls).toEqual([]);
});

test("a widget's link has a key of its own, with which its settings are stored, is shown once, and tells its size", async () => {
  const studio = openStudio();
  const made = await studio.post(page, { kind: "recent", count: "10", title: "ล่าสุด", newest: "none", name: "Side screen" }, "th");
  expect(made.html).toContain('value="https://donations.example/overlay/recent#namjai_o1_KEY"');
  expect(made.html).toContain("400 × 880");
  const widget = { kind: "recent", parameters: { count: "10", title: "ล่าสุด" } };
  expect(studio.calls).toEqual([["createOverlayKey", "somchai's id", "Side screen", widget]]);
  expect((await studio.get(`${page}?kind=recent`)).html).not.toContain("namjai_o1_KEY");
});

test("a widget has what was typed without a look at the preview, which shows what was typed and makes no key", async () => {
  const studio = openStudio();
  const { html } = await studio.get(`${page}?kind=top`);
  const forms = [...html.matchAll(/<form[^>]* action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].filter(([, action]) => action === page);
  expect(forms).toHaveLength(1);
  const names = [...(forms[0]?.[2] ?? "").matchAll(/<(?:input|select|button)[^>]* name="(\w+)"/g)].map(([, name]) => name);
  expect([...new Set(names)].toSorted().join(" ")).toBe(
    "card count font formToken ink kind lang name newest period preview soft theme title warm",
  );
  const typed = { kind: "top", count: "10", period: "week", theme: "mint", title: "", newest: "none", name: "Side & screen" };
  const shown = await studio.post(page, { ...typed, preview: "now" });
  expect(shown).toMatchObject({ status: 303, location: `${page}?kind=top&period=week&count=10&theme=mint&name=Side+%26+screen` });
  expect(studio.calls).toEqual([]);
  expect((await studio.get(shown.location)).html).toContain('value="Side &amp; screen"');
  await studio.post(page, typed, "th");
  expect(studio.calls[0]?.[3]).toEqual({ kind: "top", parameters: { period: "week", count: "10", theme: "mint" } });
});

test.each(widgetKinds)("no two fields or buttons of the form of the widget %s have the same name", async (kind) => {
  const { html } = await openStudio().get(`${page}?kind=${kind}`);
  const [, form = ""] = new RegExp(`<form[^>]* action="${page}"[^>]*>(.*?)</form>`, "s").exec(html) ?? [];
  const fields = [...form.matchAll(/<(?:input|select|button)[^>]* name="(\w+)"/g)];
  const names = fields.filter(([field]) => !field.includes('type="radio"')).map(([, name]) => name);
  expect(names).toEqual([...new Set(names)]);
});

test("the name of a widget's key is proposed so that no key has it yet, and one that is taken is refused beside its field", async () => {
  const made = {
    publicId: "AbCd1234",
    createdAt: new Date("2026-11-20T05:00:00Z"),
    lastUsedAt: null,
    widget: null,
    sound: "leader",
  } as const;
  const list = async () => ["Goal bar", "Goal bar 2"].map((name, id) => ({ ...made, id: `k${id}`, name }));
  const studio = openStudio({ overlayKeys: { list } });
  expect((await studio.get(page)).html).toContain('value="Goal bar 3"');
  expect((await studio.get(page, "th")).html).toContain('value="แถบเป้าหมาย"');
  expect((await studio.get(`${page}?name=Goal+bar`)).html).toContain('value="Goal bar 3"');
  const { status, html } = await studio.post(page, { kind: "goal", newest: "k1", name: "Goal bar" });
  expect([status, html.includes("There is a key of this name already.")]).toEqual([400, true]);
  expect((await studio.post(page, { kind: "goal", newest: "k0", name: "Other" })).location).toBe("/studio/overlay?note=made-already");
  expect(studio.calls).toEqual([]);
});

test("Enter in a field of the form that sets up a widget creates the link: the form's first button is not the preview", async () => {
  const { html } = await openStudio().get(`${page}?kind=top`);
  const [, form = ""] = new RegExp(`<form[^>]* action="${page}"[^>]*>(.*?)</form>`, "s").exec(html) ?? [];
  const buttons = [...form.matchAll(/<button((?! type="button")[^>]*)>([^<]*)</g)].map(([, attributes = "", words]) => [
    / name="preview"/.test(attributes),
    words,
  ]);
  expect(buttons).toEqual([
    [false, "Create the link"],
    [true, "Show the preview"],
    [false, "Create the link"],
  ]);
});
