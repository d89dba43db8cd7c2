import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { answer, fakeAccounts, openStudio } from "../testing.ts";
import { settings } from "../testing-examples.ts";

const named = { voices: async () => [{ name: "th", language: "Thai" }] };
const said = { donatorName: "มะลิ", amount: 100, message: "สู้ ๆ นะ!" };

test.each([
  ["", {}],
  ["&voice=", { voice: null }],
  ["&voice=th", { voice: "th" }],
  ["&voice=th%2Bf3", { voice: "th+f3" }],
  ["&voice=unknown", { voice: null }],
  [`&voice=${"x".repeat(1000)}`, { voice: null }],
])(
  "a sample with%s is spoken to the streamer with the voice %j: one that the engine does not have is the server's",
  async (query, voice) => {
    const studio = openStudio({ speech: named });
    const { status, file } = await studio.get(`/studio/listen?sample=short${query}`);
    expect([status, file?.type, await text(file!.body)]).toEqual([200, "audio/wav", "RIFF"]);
    expect(file?.headers).toMatchObject({ "Content-Length": "4", "X-Content-Type-Options": "nosniff" });
    expect(studio.calls).toEqual([["sample", "somchai's id", { ...said, ...voice }]]);
  },
);

test("only the samples are spoken: of any other name, the first", async () => {
  const studio = openStudio();
  for (const name of ["arabic", "toString", "anything"]) await studio.get(`/studio/listen?sample=${name}`);
  expect(studio.calls.map(([, , spoken]) => (spoken as typeof said).donatorName)).toEqual(["أحمد المصري", "มะลิ", "มะลิ"]);
});

test("a visitor who is not logged in hears nothing", async () => {
  const studio = openStudio({ accounts: fakeAccounts(null) });
  expect(await studio.get("/studio/listen?sample=short")).toMatchObject({ status: 303, location: "/oauth/login?to=/studio/designer" });
  expect(studio.calls).toEqual([]);
});

test("speech that fails, audio that is none, and a server without an engine are answered 503", async () => {
  for (const speech of [
    { sample: async () => null },
    { sample: async () => ({ mime: "text/html", bytes: Buffer.from("<script>") }) },
    { state: async () => "none" as const },
  ]) {
    const reply = await openStudio({ speech }).get("/studio/listen?sample=short");
    expect(reply).toMatchObject({ status: 503, html: "", retryAfter: 10 });
    expect(reply).not.toHaveProperty("file");
  }
});

const louder = { getAlertSettings: answer({ ...settings, volume: 80, speechVolume: 30, speechSpeed: 1.5 }) };

test("the pages of a variation and of the settings have a button that speaks, with what is saved where the form has no field for it", async () => {
  const studio = openStudio({ speech: named, answers: louder });
  const variation = await studio.get("/studio/designer/variation");
  expect(variation.html).toMatch(
    /<button type="button" id="listen" data-listen="\/studio\/listen" data-speed="1.5" data-volume="30" data-inherits/,
  );
  expect((await studio.get("/studio/settings")).html).toMatch(
    /<button type="button" id="listen" data-listen="\/studio\/listen" data-speed="1" data-volume="100" data-stop/,
  );
  for (const page of ["/studio/settings", "/studio/designer/variation"]) {
    expect(await studio.get(page), page).toMatchObject({ audio: true });
    expect((await openStudio({ speech: { state: async () => "none" as const } }).get(page)).html, page).not.toContain("data-listen");
  }
});

test("without a script each page has a player of what was saved or sent, which loads nothing before it is pressed", async () => {
  const studio = openStudio({ speech: named, answers: { getAlertSettings: answer({ ...settings, voice: "th" }) } });
  const playerOf = async (page: string) =>
    /<noscript>.*?<audio controls preload="none" src="([^"]*)"><\/audio><\/noscript>/s.exec((await studio.get(page)).html)?.[1];
  expect(await playerOf("/studio/settings")).toBe("/studio/listen?sample=short&amp;voice=th");
  expect(await playerOf("/studio/designer/variation")).toBe("/studio/listen?sample=short");
  const plain = openStudio({ speech: named });
  expect((await plain.get("/studio/settings")).html).toContain('src="/studio/listen?sample=short&amp;voice="');
  for (const page of ["/studio/settings", "/studio/designer/variation"])
    expect((await studio.get(page)).html.match(/<audio[^>]* src="\/studio\/listen/g), page).toHaveLength(1);
});
