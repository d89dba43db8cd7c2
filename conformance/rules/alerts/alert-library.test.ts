import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { expectFaults } from "../../suite/client/api.ts";
import { send, sendUnchecked } from "../../suite/client/http-client.ts";
import { change, donate, freshQueue, settings, settingsOf } from "../../suite/client/overlay/alert-controls.ts";
import { closePages, firstPlayback, follow, overlayKeyOf } from "../../suite/client/overlay/overlay-page.ts";

beforeEach(() => freshQueue());
afterEach(() => closePages());

const images = [
  ...["hearts", "star", "confetti", "fireworks", "gift", "crown"],
  ...["coffee", "cat", "elephant", "lotus", "naga", "lanterns"],
];
const sounds = ["bell", "coins", "pop", "fanfare", "gong", "ranat", "drum", "swoosh", "arcade", "sparkle"];
const fonts = [...["prompt", "kanit", "sarabun", "mitr", "k2d", "chakra_petch"], ...["mali", "itim", "sriracha", "pattaya", "charm"]];

describe("pictures, sounds and typefaces that every server has", () => {
  test.each([
    ["libraryImage", images],
    ["librarySound", sounds],
  ])("every value of %s is accepted and answered, and another one is refused with invalid_enum", async (member, names) => {
    const sent = names.map((name) => ({ name, from: 0, [member]: name }));
    const answered = settingsOf(await change({ variations: sent })).variations as unknown as Record<string, unknown>[];
    expect(answered.map((one) => one[member])).toEqual(names);
    expectFaults(await change({ variations: [{ name: "a", from: 0, [member]: "unicorn" }] }), `/variations/0/${member} invalid_enum`);
  });

  test("every typeface is accepted as style.font and answered, and another one is refused with invalid_enum", async () => {
    await change({ variations: fonts.map((font) => ({ name: font, from: 0, style: { font } })) });
    expect(settingsOf(await settings()).variations.map(({ style }) => (style as { font?: string }).font)).toEqual(fonts);
    expectFaults(await change({ variations: [{ name: "a", from: 0, style: { font: "arial" } }] }), "/variations/0/style/font invalid_enum");
  });

  test.each(images)("the picture %s of the library is read without a credential, as an SVG that can load and run nothing", async (name) => {
    const { status, headers, text } = await sendUnchecked({ path: `/overlay/library/${name}.svg`, key: null });
    expect([status, headers["content-type"]]).toEqual([200, "image/svg+xml"]);
    expect(headers["content-security-policy"]).toMatch(/\bsandbox\b|default-src 'none'|script-src 'none'/);
    expect(text).toMatch(/^<svg [\s\S]*<\/svg>\s*$/);
    expect(text).not.toMatch(/<script|<foreignObject|\son\w+=|href=["'](?!#)|url\((?!#)/i);
  });

  test.each(sounds)("the sound %s of the library is read without a credential, as a whole WAV file", async (name) => {
    const { status, headers, text } = await sendUnchecked({ path: `/overlay/library/${name}.wav`, key: null });
    expect([status, headers["content-type"]]).toEqual([200, "audio/wav"]);
    expect(text).toMatch(/^RIFF[^W]{1,8}WAVEfmt /);
  });

  test("an alert carries picture, sound and typeface of its variation to the overlay", async (context) => {
    await change({ variations: [{ name: "a", from: 0, libraryImage: "naga", librarySound: "gong", style: { font: "itim" } }] });
    const page = await follow({ key: overlayKeyOf(context) });
    await donate({ amount: 100 });
    const { variation } = await firstPlayback(page);
    expect(variation).toMatchObject({ image: null, libraryImage: "naga", sound: null, librarySound: "gong", style: { font: "itim" } });
  });

  test("an uploaded file is used while a variation names it beside an item of the library, and not by that item alone", async () => {
    const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
    const uploaded = await send({
      ...{ method: "POST", path: "/api/v1/alert-files?name=a.png", headers: { "Content-Type": "image/png" }, body: png },
    });
    const { id } = (uploaded.body as { data: { id: string } }).data;
    const isUsed = async () => {
      const { body } = await send({ path: "/api/v1/alert-files" });
      return (body as { data: { id: string; used: boolean }[] }).data.find((one) => one.id === id)?.used;
    };
    await change({ variations: [{ name: "a", from: 0, image: id, libraryImage: "cat" }] });
    expect(await isUsed()).toBe(true);
    await change({ variations: [{ name: "a", from: 0, libraryImage: "cat" }] });
    expect(await isUsed()).toBe(false);
    expect((await send({ method: "DELETE", path: `/api/v1/alert-files/${id}` })).status).toBe(204);
    expect(settingsOf(await settings()).variations[0]).toMatchObject({ image: null, libraryImage: "cat" });
    await change({ variations: [] });
  });
});
