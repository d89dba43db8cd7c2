import { expect, test } from "vitest";
import { completeVariation, type Variation } from "../../alerts/settings/settings.ts";
import { answer, openStudio } from "../testing.ts";
import { settings } from "../testing-examples.ts";

const studio = (variations: readonly Variation[] = []) =>
  openStudio({ answers: { getAlertSettings: answer({ ...settings, variations: [...variations] }) } });
const variation = (name: string, range: Partial<Variation>) =>
  completeVariation({ name, from: 0, style: { theme: "neon" }, ...range } as never);

test("the preview has the colours that would be saved, and none that would be refused", async () => {
  const fields = { name: "x", theme: "neon", accentColor: "rgb(20, 40, 60)", cardColor: "#0000;}", textColor: "url(//x)", place: "" };
  const { html } = await studio().post("/studio/designer/preview", fields);
  const [, address = ""] = /<iframe[^>]* src="([^"]*)"/.exec(html) ?? [];
  const { playback } = JSON.parse(decodeURIComponent(address.slice(address.indexOf("#") + 1)));
  expect(playback.variation.style).toMatchObject({ accentColor: "#14283c", cardColor: null, textColor: null, secondColor: null });
});

test("the preview has what was typed, saves nothing, and takes no number that is none", async () => {
  const page = studio();
  const fields = { name: "x", theme: "pixel", size: "big", seconds: "1e9", template: "{name}!", sample: "million", play: "1", place: "" };
  const { html } = await page.post("/studio/designer/preview", fields);
  const [, address = ""] = /<iframe[^>]* src="([^"]*)"/.exec(html) ?? [];
  expect(address, "the preview is in the reader's language, as new links are").toContain("/overlay/?preview&amp;lang=en#");
  const { playback, plays, volume } = JSON.parse(decodeURIComponent(address.slice(address.indexOf("#") + 1)));
  expect([plays, volume], "it is as loud as on the stream").toEqual([true, settings.volume]);
  expect(playback).toMatchObject({
    amount: 1_000_000,
    variation: { template: "{name}!", seconds: null, style: { theme: "pixel", size: 100 } },
  });
  expect(page.calls).toEqual([]);
});

test.each([
  ["none", [], "Every amount"],
  [
    "two with room between and above",
    [variation("a", { from: 100, to: 200 }), variation("b", { from: 20, to: 50 })],
    "฿0 – ฿19.99, ฿50.01 – ฿99.99, ≥ ฿200.01",
  ],
  ["one from 20 baht on", [variation("a", { from: 20 })], "฿0 – ฿19.99"],
  [
    "two that meet",
    [variation("a", { from: 0, to: 99.99 }), variation("b", { from: 100, to: 1_000_000 })],
    "The variations above take every amount.",
  ],
])("the list says which amounts have the default look because no variation is for them: %s", async (_, variations, words) => {
  const { html } = await studio(variations).get("/studio/designer");
  const rest = html.slice(html.indexOf("Default look")).replace(/<[^>]*>/g, "");
  expect(rest).toContain(words);
});

test("the sample in a preview has an amount that the variation is for", async () => {
  const amountOf = async (fields: Record<string, string>) => {
    const { html } = await studio().post("/studio/designer/preview", { name: "x", theme: "pixel", place: "", ...fields });
    const [, address = ""] = /<iframe[^>]* src="([^"]*)"/.exec(html) ?? [];
    return JSON.parse(decodeURIComponent(address.slice(address.indexOf("#") + 1))).playback.amount;
  };
  expect(await amountOf({ from: "500" })).toBe(500);
  expect(await amountOf({ from: "20", to: "50" })).toBe(50);
  expect(await amountOf({ from: "20", to: "5,000" })).toBe(100);
  expect(await amountOf({ from: "no number" })).toBe(100);
});

test("the picture of a game behind previews is the same for everybody, and is kept by browsers", async () => {
  const { html } = await studio().get("/studio/designer/variation");
  expect(html).toContain('<div class="stage whole"><img src="/studio/scene.svg" alt="">');
  expect(await studio().get("/studio/scene.svg")).toMatchObject({
    file: { type: "image/svg+xml", headers: { "Cache-Control": "max-age=86400" } },
  });
});
