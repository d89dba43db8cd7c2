import { expect, test } from "vitest";
import type { Variation } from "../../alerts/settings/settings.ts";
import { problemOf, refusal } from "../../http/problem.ts";
import { answer, bodyOf, openStudio } from "../testing.ts";
import { alertFile, settings } from "../testing-examples.ts";
import { versionOf } from "./designer.ts";
import { newVariationForm, toVariation, variationForm } from "./variation-form.ts";

const variation = (name: string, members: object = {}) =>
  ({ ...toVariation(newVariationForm("neon")), name, ...members }) as unknown as Variation;
const list = [variation("a", { from: 500 }), variation("b", { from: 0, to: 50 }), variation("c")];
const version = versionOf(list);
const studio = (changes: Parameters<typeof openStudio>[0] = {}) =>
  openStudio({ ...changes, answers: { getAlertSettings: answer({ ...settings, variations: list }), ...changes.answers } });
/** The variations that the last change had. */
const sent = ({ calls }: ReturnType<typeof studio>) => {
  const { variations } = bodyOf(calls.at(-1)) as { variations: Variation[] };
  return variations;
};
/** What a browser sends of the form of a new variation, with what is typed. */
const typed = (changes: Record<string, string>) => {
  const { speak: _1, confetti: _2, sources: _3, channels: _4, ...texts } = newVariationForm("neon");
  return { ...texts, name: "new", place: "", ...changes };
};
const save = (page: ReturnType<typeof studio>, changes: Record<string, string>, language?: "th") =>
  page.post("/studio/designer/variation", typed(changes), language);

test.each([
  ["up", 1, ["b", "a", "c"]],
  ["up", 0, ["a", "b", "c"]],
  ["down", 1, ["a", "c", "b"]],
  ["down", 2, ["a", "b", "c"]],
  ["away", 0, ["b", "c"]],
])("a variation is moved %s from place %s", async (to, place, names) => {
  const page = studio();
  const { location } = await page.post("/studio/designer/move", { place: String(place), to, version });
  expect(location).toMatch(/note=variation-(moved|deleted)$/);
  expect(sent(page).map(({ name }) => name)).toEqual(names);
});

test("a variation is deleted by a button that has to be opened first, and says what it does", async () => {
  const { html } = await studio().get("/studio/designer");
  const questions = [...html.matchAll(/<details>(.*?)<\/details>/gs)].map(([, inside]) => inside);
  expect(questions.filter((inside) => inside?.includes("be undone") && inside.includes('value="away"'))).toHaveLength(list.length);
  expect(html.match(/value="away"/g)).toHaveLength(list.length);
});

test("a form of a list that was changed meanwhile changes nothing", async () => {
  const page = studio();
  expect((await page.post("/studio/designer/move", { place: "0", to: "away", version: "old" })).location).toContain("designer-changed");
  expect((await page.post("/studio/designer/move", { place: "3", to: "away", version })).location).toContain("no-variation");
  expect(page.calls).toEqual([]);
});

test("a variation is saved where it stands by now, though others were added, moved or deleted meanwhile", async () => {
  const page = studio();
  const { html } = await openStudio({ answers: { getAlertSettings: answer({ ...settings, variations: list.slice(1) }) } }).get(
    "/studio/designer/variation?place=1",
  );
  const [, shown = ""] = /name="version" value="([^"]+)"/.exec(html) ?? [];
  await save(page, { place: "1", version: shown, name: "new c" });
  expect(sent(page).map(({ name }) => name)).toEqual(["a", "b", "new c"]);
});

test("variations that are stored with members of a later contract are saved and moved without them", async () => {
  const later = (one: Variation) => ({ ...one, glow: "soft", style: { ...one.style, tilt: 3 } });
  const stored = [later(list[0]!), later(list[1]!)];
  const page = studio({ answers: { getAlertSettings: answer({ ...settings, variations: stored }) } });
  const { html } = await page.get("/studio/designer/variation?place=0");
  const [, shown = ""] = /name="version" value="([^"]+)"/.exec(html) ?? [];
  await save(page, { place: "0", version: shown, name: "mine", from: "5", speak: "on" });
  expect(sent(page)).toEqual([variation("mine", { from: 5 }), list[1]]);
  await page.post("/studio/designer/move", { place: "1", to: "up", version: versionOf(stored) });
  expect(sent(page)).toEqual([list[1], list[0]]);
});

test("every member of a variation that is described has a field on its page", async () => {
  const { html } = await studio().get("/studio/designer/variation");
  const isShown = (name: string) => html.includes(`name="${name}"`) || html.includes(`name="${name} `);
  // The fields of image and sound offer the library as well.
  expect(Object.keys(variationForm.fields).filter((name) => !isShown(name))).toEqual(["libraryImage", "librarySound"]);
});

test("a picture and a sound of the library are chosen in the fields of own files, and are shown as chosen", async () => {
  const page = studio();
  await save(page, { name: "mine", from: "5", image: "library:cat", sound: "library:gong", font: "mitr" });
  const chosen = { image: null, libraryImage: "cat", sound: null, librarySound: "gong", style: { font: "mitr" } };
  expect((sent(page) as object[]).at(-1)).toMatchObject(chosen);
  const stored = studio({ answers: { getAlertSettings: answer({ ...settings, variations: [variation("a", chosen as never)] }) } });
  const { html } = await stored.get("/studio/designer/variation?place=0");
  for (const one of ['"image" value="library:cat"', '"sound" value="library:gong"']) expect(html).toContain(`name=${one} checked>`);
  expect(html).toContain('<img src="/overlay/library/cat.svg" alt=""');
  expect(html).toContain('src="/overlay/library/gong.wav" aria-label="Listen to Gong"');
});

test("a variation that was changed or deleted elsewhere is not overwritten, and what was typed stays in the form, for a new one", async () => {
  const page = studio();
  const { status, html } = await page.post("/studio/designer/variation", { place: "0", version: "old", name: "<mine>", theme: "gold" });
  expect([status, page.calls]).toEqual([409, []]);
  for (const part of ["was changed or deleted elsewhere", 'value="&lt;mine&gt;"', 'name="place" value=""']) expect(html).toContain(part);
});

test("a variation that is saved unchanged stays as it is, and a new one for other donations joins the end of the list", async () => {
  const page = studio();
  const same = { name: "a", from: "500", speak: "on", place: "0", version: versionOf(list.slice(0, 1)) };
  await save(page, same);
  expect(sent(page)).toEqual(list);
  await save(page, { from: "60" });
  expect(sent(page).map(({ name }) => name)).toEqual(["a", "b", "c", "new"]);
});

test("faults of a variation are shown at its fields, with everything that was typed", async () => {
  const { status, html } = await save(studio(), { name: "<b>", template: "{nmae}", theme: "gold", size: "1" });
  expect(status).toBe(400);
  expect(html).toMatch(/id="field-size"[^>]*aria-invalid="true"/);
  expect(html).toMatch(/id="field-template"[^>]*aria-invalid="true"/);
  expect(html.match(/ aria-invalid="true"/g)).toHaveLength(2);
  expect(html).toContain('value="&lt;b&gt;"');
  expect(html).toContain('<option value="gold" selected>');
});

test("a variation whose image was deleted meanwhile keeps everything that was typed, and names the field to choose again in", async () => {
  const refuse = async () => {
    throw problemOf(refusal("unknown_file", "/variations/0/image must be the id of an uploaded image."));
  };
  const [gone, id] = ["g".repeat(43), "s".repeat(43)];
  const sound = alertFile({ id, kind: "sound", mime: "audio/wav", name: "a.wav", size: 1, width: null, height: null });
  const page = studio({ answers: { updateAlertSettings: refuse }, alertFiles: { list: async () => [sound] } });
  const fields = { name: "<mine>", theme: "gold", template: "{name}!", from: "7", image: gone, sound: id, "channels card": "on" };
  const { status, html } = await save(page, { ...fields, place: "0", version: versionOf(list.slice(0, 1)) });
  expect(status).toBe(400);
  for (const part of [
    'value="&lt;mine&gt;"',
    '<option value="gold" selected>',
    "{name}!</textarea>",
    'value="7"',
    `name="sound" value="${id}" checked>`,
  ])
    expect(html).toContain(part);
  expect(html).toMatch(/name="channels card" checked/);
  expect(html).toMatch(/id="field-image"[^>]*aria-invalid="true"/);
  expect(html).not.toMatch(/id="field-sound"[^>]*aria-invalid/);
  expect(html).toContain("The file was deleted meanwhile.");
  expect(html).toContain('name="place" value="0"');
});

test.each([
  ["en", "Only some sources or channels…"],
  ["th", "เฉพาะบางที่มาหรือบางช่องทาง…"],
] as const)("sources and channels of a variation are folded until one of them is chosen: %s", async (language, words) => {
  const variations = [variation("a"), variation("b", { sources: ["native"] }), variation("c", { channels: ["card"] })];
  const page = studio({ answers: { getAlertSettings: answer({ ...settings, variations }) } });
  for (const [place, state] of ["", " open", " open"].entries()) {
    const { html } = await page.get(`/studio/designer/variation?place=${place}`, language);
    expect(html).toMatch(new RegExp(`<details${state}>\\s*<summary>${words}</summary>.*name="sources native".*name="channels card"`, "s"));
  }
});

test("colours of a variation are sent in the form of the contract", async () => {
  const page = studio();
  await save(page, { accentColor: " Lime ", from: "0" });
  expect(sent(page).at(-1)?.style).toMatchObject({ accentColor: "#00ff00", cardColor: null });
});

test("faults of a variation's colours and text say what they may be, in both languages", async () => {
  const wrong = { accentColor: "no colour", template: "{nmae}", voice: "ไทย" };
  const english = (await save(studio(), wrong)).html;
  for (const words of ["Must be a colour, such as #27c7a5, #fff or teal.", "Only {name}, {amount} and {message} may stand in braces."])
    expect(english).toContain(words);
  const thai = (await save(studio(), wrong, "th")).html;
  for (const words of ["ต้องเป็นสี เช่น #27c7a5, #fff หรือ teal", "ในวงเล็บปีกกามีได้แต่ {name}", "ต้องเป็นเช่น th-TH-Premwadee"])
    expect(thai).toContain(words);
});

test("the first variation is for every donation, so that it replaces the default look; a further one is proposed from 100 baht", async () => {
  const none = openStudio({ answers: { getAlertSettings: answer({ ...settings, variations: [] }) } });
  expect((await none.get("/studio/designer/variation?theme=neon")).html).toMatch(/name="from"[^>]* value="0"/);
  expect((await studio().get("/studio/designer/variation?theme=neon")).html).toMatch(/name="from"[^>]* value="100"/);
  const all = openStudio({ answers: { getAlertSettings: answer({ ...settings, variations: [variation("all", { from: 0 })] }) } });
  expect((await all.get("/studio/designer")).html).toContain("Every amount");
});

test("a new variation stands at the end, or above the one that would keep it from playing", async () => {
  const names = async (from: string) => {
    const page = studio();
    await save(page, { from });
    return sent(page).map(({ name }) => name);
  };
  expect(await names("20")).toEqual(["a", "b", "c", "new"]);
  expect(await names("600")).toEqual(["new", "a", "b", "c"]);
});

test("a variation is saved and tested on the stream by one button, and its page tells what plays", async () => {
  const page = studio();
  const { location } = await save(page, { from: "600", test: "1" });
  expect(location).toBe("/studio/designer/variation?place=0&note=test-0-0");
  expect(page.calls.map(([what]) => what)).toEqual(["updateAlertSettings", "sendTestAlert"]);
  expect(page.calls[1]).toEqual(["sendTestAlert", "somchai's id", { body: { amount: 600, message: "Testing the alert" } }]);
  const { html } = await studio().get("/studio/designer/variation?place=0&note=test-0-0");
  expect(html).toContain("Variation saved. Test alert sent: “a” plays.");
  expect((await studio().get("/studio/designer/variation?place=0&note=test-0-1")).html).toContain("but “b” plays instead of “a”");
});

test("a variation that is refused is not tested", async () => {
  const page = studio();
  expect(await save(page, { name: "", test: "1" })).toMatchObject({ status: 400 });
  expect(page.calls).toEqual([]);
});

test("a variation that never plays is named in the list with the one above it, and a button moves it there", async () => {
  const everyone = variation("Everyone", { from: 1 });
  const shadowed = [
    variation("First", { from: 900, to: 950 }),
    everyone,
    variation("Others", { from: 0 }),
    variation("Huge", { from: 1_000 }),
  ];
  const page = studio({
    answers: { getAlertSettings: answer({ ...settings, variations: shadowed }) },
  });
  const { html } = await page.get("/studio/designer");
  expect(html.match(/Never plays: “<bdi>Everyone<\/bdi>” above/g)).toHaveLength(1);
  expect(html.match(/value="above"/g)).toHaveLength(1);
  await page.post("/studio/designer/move", { place: "3", to: "above", version: versionOf(shadowed) });
  expect(sent(page).map(({ name }) => name)).toEqual(["First", "Huge", "Everyone", "Others"]);
});

test("the test of a variation says so when another variation plays, or the default look", async () => {
  const shadowed = [
    variation("<All>", { from: 1, sources: ["test"] }),
    variation("Huge", { from: 1_000 }),
    variation("Native", { sources: ["native"] }),
  ];
  const page = studio({ answers: { getAlertSettings: answer({ ...settings, variations: shadowed }) } });
  const says = async (place: string) => (await page.get((await page.post("/studio/designer/test", { place })).location)).html;
  expect(await says("0")).toContain("Test alert sent: “&lt;All&gt;” plays.");
  expect(await says("1")).toContain("Test alert sent, but “&lt;All&gt;” plays instead of “Huge”.");
  const alone = studio({ answers: { getAlertSettings: answer({ ...settings, variations: shadowed.slice(2) }) } });
  expect((await alone.post("/studio/designer/test", { place: "0" })).location).toBe("/studio/designer?note=test-0-default");
  expect((await alone.get("/studio/designer?note=test-0-default")).html).toContain("but the default look plays instead of “Native”");
});

test("a test alert has an amount that the variation is for, and a message in the reader's language", async () => {
  const page = studio();
  await page.post("/studio/designer/test", { place: "0" });
  await page.post("/studio/designer/test", { place: "1" }, "th");
  expect(page.calls.map(bodyOf)).toEqual([
    { amount: 500, message: "Testing the alert" },
    { amount: 50, message: "ทดสอบการแจ้งเตือน" },
  ]);
});

test("the voice of a variation is chosen from those that the speech engine names, or typed; without any there is no list", async () => {
  const voices = async () => [
    { name: "th", language: "Thai" },
    { name: "<x>", language: "<b>" },
  ];
  const { html } = await openStudio({ speech: { voices } }).get("/studio/designer/variation");
  expect(html).toMatch(/<input id="field-voice" name="voice"[^>]* list="field-voice-suggestions"/);
  expect(html).toContain(
    '<datalist id="field-voice-suggestions"><option value="th">Thai</option><option value="&lt;x&gt;">&lt;b&gt;</option></datalist>',
  );
  expect((await studio().get("/studio/designer/variation")).html).not.toContain("datalist");
});

test("a variation with a voice that the engine does not have is refused beside its field, unless it was saved with it before", async () => {
  const speech = { voices: async () => [{ name: "th", language: "Thai" }] };
  const saved = { ...toVariation(newVariationForm("neon", true)), name: "Everyone", voice: "gone" } as never;
  const own = openStudio({ speech, answers: { getAlertSettings: answer({ ...settings, variations: [saved] }) } });
  const { html } = await own.get("/studio/designer/variation?place=0");
  const shown = Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]),
  );
  const fields = { ...shown, from: "0", name: "Everyone" };
  const refused = await save(own, { ...fields, voice: "thai" });
  expect([refused.status, own.calls]).toEqual([400, []]);
  expect(refused.html).toMatch(/id="field-voice-fault"><p>This server has no voice “<bdi>thai<\/bdi>”/);
  expect((await save(own, { ...fields, voice: "gone" })).location).toContain("note=variation-saved");
  expect(own.calls).toHaveLength(1);
});
