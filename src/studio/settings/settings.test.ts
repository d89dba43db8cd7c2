import { expect, test } from "vitest";
import { etagOf } from "../../http/etags.ts";
import { Problem } from "../../http/problem.ts";
import { answer, bodyOf, openStudio } from "../testing.ts";
import { fault, settings } from "../testing-examples.ts";
import { settingsForm } from "./settings-form.ts";

/** What a browser sends of the form as it is shown, without the note of what is shown. */
async function sentUnchanged(): Promise<Record<string, string>> {
  const { html } = await openStudio().get("/studio/settings");
  const inputs = [...html.matchAll(/<input id="[^"]*" name="([^"]+)"[^>]*? value="([^"]*)"/g)];
  const ticked = [...html.matchAll(/<input type="checkbox" [^>]*name="([^"]+)" checked/g)].map(([, name]) => [name, "on"]);
  const chosen = [...html.matchAll(/<select [^>]*name="([^"]+)"[^>]*>.*?<option value="([^"]*)" selected>/g)];
  const texts = [...html.matchAll(/<textarea [^>]*name="([^"]+)"[^>]*>\n(.*?)<\/textarea>/gs)];
  const pairs = [...inputs, ...chosen, ...texts].map(([, name, value = ""]) => [name, value.replaceAll("\n", "\r\n")]);
  return Object.fromEntries([...pairs, ...ticked]);
}

const typed = await sentUnchanged();

/** What the contract is asked to change when this is typed. */
async function changed(fields: Record<string, string>): Promise<unknown> {
  const studio = openStudio();
  expect(await studio.post("/studio/settings", fields)).toMatchObject({ status: 303, location: "/studio/settings?note=saved" });
  expect(studio.calls).toEqual([
    ["updateAlertSettings", "somchai's id", { header: { "If-Match": etagOf(settings) }, body: expect.anything() }],
  ]);
  return bodyOf(studio.calls[0]);
}

test("the settings form shows the current settings", async () => {
  const { html } = await openStudio().get("/studio/settings");
  for (const value of ["20", "80", "6", "30"]) expect(html).toContain(`value="${value}"`);
  expect(html).toMatch(/<textarea[^>]*>\nspam\nสแปม<\/textarea>/);
  expect(html).toMatch(/name="speech" checked/);
  expect(html).toContain("5–120");
});

test("a hint of the settings stands apart from the allowed numbers before it, in both languages", async () => {
  const { get } = openStudio();
  expect((await get("/studio/settings")).html).toContain("0–1,000,000. Smaller donations");
  expect((await get("/studio/settings", "th")).html).toContain("0–1,000,000 โดเนทที่ต่ำกว่านี้");
});

test("a settings form changes the settings that were changed in it, and nothing when it is sent unchanged", async () => {
  const studio = openStudio();
  expect(await studio.post("/studio/settings", typed)).toMatchObject({ status: 303, location: "/studio/settings?note=saved" });
  expect(studio.calls).toEqual([]);
  expect(await changed({ ...typed, volume: "70" })).toEqual({ volume: 70 });
});

/** What is changed when a form is sent whose page was loaded before `elsewhere` was saved in another tab. */
async function changedLate(fields: Record<string, string>, elsewhere: Partial<typeof settings>): Promise<unknown> {
  const { html } = await openStudio().get("/studio/settings");
  const [, shown = ""] = /name="shown" value="([^"]+)"/.exec(html.replaceAll("&amp;", "&")) ?? [];
  const studio = openStudio({ answers: { getAlertSettings: answer({ ...settings, ...elsewhere }) } });
  expect((await studio.post("/studio/settings", { ...typed, ...fields, shown })).location).toBe("/studio/settings?note=saved");
  return bodyOf(studio.calls[0]);
}

test("settings that were saved in another tab meanwhile stay, word by word, and the form's own changes are saved", async () => {
  expect(await changedLate({}, { volume: 10, speech: false, blockedWords: [] })).toBeUndefined();
  expect(await changedLate({ volume: "70" }, { blockedWords: ["spam"], minimumAmount: 5 })).toEqual({ volume: 70 });
  expect(await changedLate({}, { blockedWords: ["theirs", "spam", "สแปม"] })).toBeUndefined();
  expect(await changedLate({ blockedWords: "สแปม\nmine" }, { blockedWords: ["spam", "สแปม", "theirs"] })).toEqual({
    blockedWords: ["สแปม", "mine", "theirs"],
  });
  expect(await changedLate({ blockedWords: "spam\nสแปม\nmine" }, { blockedWords: ["สแปม"] })).toEqual({ blockedWords: ["สแปม", "mine"] });
});

test("settings that are stored with members of a later contract are saved without them", async () => {
  const studio = openStudio({ answers: { getAlertSettings: answer({ ...settings, sparkle: true } as typeof settings) } });
  await studio.post("/studio/settings", { ...typed, volume: "70" });
  expect(bodyOf(studio.calls[0])).toEqual({ volume: 70 });
});

test("every setting that is described has a field on the page", async () => {
  const { html } = await openStudio().get("/studio/settings");
  expect(Object.keys(settingsForm.fields).filter((name) => !html.includes(`name="${name}"`))).toEqual([]);
});

test("speech is off when its checkbox is not ticked", async () => {
  const { speech: _left, ...others } = typed;
  expect(await changed(others)).toMatchObject({ speech: false });
});

test("speech without a volume of its own is as loud as other sounds: an empty field is null, and 0 is silent", async () => {
  const louder = openStudio({ answers: { getAlertSettings: answer({ ...settings, speechVolume: 5 }) } });
  await louder.post("/studio/settings", { ...typed, speechVolume: " " });
  expect(bodyOf(louder.calls[0])).toEqual({ speechVolume: null });
  expect(await changed({ ...typed, speechVolume: "0" })).toMatchObject({ speechVolume: 0 });
});

const malee = { voices: async () => [{ name: "malee", language: "Thai" }] };

test("the voice of all alerts is chosen from those of the engine, and an empty field is the server's", async () => {
  const { html } = await openStudio({ speech: malee, answers: { getAlertSettings: answer({ ...settings, voice: "malee" }) } }).get(
    "/studio/settings",
  );
  expect(html).toMatch(/name="voice"[^>]*value="malee"[^>]*list="field-voice-suggestions"/);
  expect(html).toContain('<option value="malee">Thai</option>');
  expect(await changed({ ...typed, voice: " malee ", speechSpeed: "1.5" })).toEqual({ voice: "malee", speechSpeed: 1.5 });
  const own = openStudio({ answers: { getAlertSettings: answer({ ...settings, voice: "malee" }) } });
  await own.post("/studio/settings", typed);
  expect(bodyOf(own.calls[0])).toEqual({ voice: null });
});

test("a voice that the engine does not have is refused beside its field, with a list of those that it has, and nothing is saved", async () => {
  const studio = openStudio({ speech: malee });
  const { status, html } = await studio.post("/studio/settings", { ...typed, voice: "mali <b>", volume: "50" });
  expect([status, studio.calls]).toEqual([400, []]);
  expect(html).toMatch(/id="field-voice-fault"><p>This server has no voice “<bdi>mali &lt;b&gt;<\/bdi>”/);
  expect(html).toMatch(/<details class="voices" open>\s*<summary>1 voice<\/summary>\s*<ul><li><code>malee<\/code> Thai<\/li><\/ul>/);
  expect((await studio.post("/studio/settings", { ...typed, voice: "mali" }, "th")).html).toContain("เซิร์ฟเวอร์นี้ไม่มีเสียง “<bdi>mali</bdi>”");
});

test("a voice that was saved before is named where the engine has it no more, and keeps nothing else from being saved", async () => {
  const studio = openStudio({ speech: malee, answers: { getAlertSettings: answer({ ...settings, voice: "gone" }) } });
  expect((await studio.get("/studio/settings")).html).toContain("This server has no voice “<bdi>gone</bdi>”: its own speaks.");
  expect((await studio.post("/studio/settings", { ...typed, voice: "gone", volume: "50" })).location).toBe("/studio/settings?note=saved");
  expect(bodyOf(studio.calls[0])).toEqual({ volume: 50 });
});

test.each([
  ["malee+f3", malee],
  ["anything", { voices: async () => [] }],
])("the voice %s is taken: a variant of a voice, or of an engine that names none", async (voice, speech) => {
  const studio = openStudio({ speech });
  expect((await studio.post("/studio/settings", { ...typed, voice })).location).toBe("/studio/settings?note=saved");
  expect(bodyOf(studio.calls[0])).toEqual({ voice });
});

test("a server without a speech engine says so beside the voice, on the pages of settings and of a variation", async () => {
  for (const page of ["/studio/settings", "/studio/designer/variation"]) {
    expect((await openStudio({ speech: { state: async () => "none" as const } }).get(page)).html, page).toContain(
      "This server has no speech engine",
    );
    expect((await openStudio().get(page)).html, page).not.toContain("This server has no speech engine");
  }
});

test("blocked words are read one per line, trimmed, without duplicates and empty lines", async () => {
  expect(await changed({ ...typed, blockedWords: "  a b \r\n\r\nc\na b\n" })).toMatchObject({ blockedWords: ["a b", "c"] });
  expect(await changed({ ...typed, blockedWords: "" })).toMatchObject({ blockedWords: [] });
});

test.each([
  ["1,000", 1000],
  ["123,456.5", 123_456.5],
  [" 12.5 ", 12.5],
  ["๑๒๐", 120],
  [".5", 0.5],
])("a number field with %j is read as %j", async (text, value) => {
  expect(await changed({ ...typed, minimumAmount: text })).toEqual({ minimumAmount: value });
});

test.each(["1,50", "12,34,567", "", "abc", "1e3", "0x10", "1 2x"])("a number field with %j is refused", async (text) => {
  const studio = openStudio();
  const { status, html } = await studio.post("/studio/settings", { ...typed, volume: text });
  expect([status, studio.calls]).toEqual([400, []]);
  expect(html).toMatch(/id="field-volume"[^>]* aria-invalid="true"/);
});

test("faults are shown beside their fields in the language of the page, with links to the fields, and the typed values are kept", async () => {
  const studio = openStudio();
  const long = "long & ".repeat(8).trim();
  const shown = long.replaceAll("&", "&amp;");
  const { speech: _left, ...others } = typed;
  const fields = { ...others, volume: "300", blockedWords: `a\n${long}` };
  const { status, html } = await studio.post("/studio/settings", fields, "th");
  expect(status).toBe(400);
  for (const name of ["volume", "blockedWords"]) {
    expect(html).toContain(`<a href="#field-${name}">`);
    expect(html).toMatch(new RegExp(`id="field-${name}"[^>]* aria-invalid="true"[^>]* aria-describedby="[^"]*field-${name}-fault"`));
  }
  for (const text of ["ต้องอยู่ระหว่าง 0 ถึง 100", `“${shown}”`, 'value="300"', `a\n${shown}`]) expect(html).toContain(text);
  expect((await studio.post("/studio/settings", fields, "en")).html).toContain("<p>Must be at most 100.</p>");
  expect(html).not.toMatch(/name="speech" checked/);
  expect(html.match(/ aria-invalid="true"/g)).toHaveLength(2);
});

test("a failure other than validation_failed is thrown and not shown as a fault", async () => {
  const updateAlertSettings = async () => {
    throw new Problem("unavailable", "no");
  };
  await expect(openStudio({ answers: { updateAlertSettings } }).post("/studio/settings", { ...typed, volume: "70" })).rejects.toMatchObject(
    {
      code: "unavailable",
    },
  );
});

test("a longest time below the shortest is explained in words when each of them is valid by itself", async () => {
  const updateAlertSettings = async () => {
    throw new Problem("validation_failed", "no", { errors: [fault("/maximumSeconds", "out_of_range", "must be at least minimumSeconds")] });
  };
  const studio = openStudio({ answers: { updateAlertSettings } });
  const both = await studio.post("/studio/settings", { ...typed, minimumSeconds: "40" });
  expect(both.html).toContain("Must not be less than the minimum display time.");
  const one = await studio.post("/studio/settings", { ...typed, maximumSeconds: "500" }, "th");
  expect(one.html).toContain("ต้องอยู่ระหว่าง 5 ถึง 120");
});
