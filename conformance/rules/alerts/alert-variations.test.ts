import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { expectFaults, expectProblem } from "../../suite/client/api.ts";
import {
  change,
  control,
  decide,
  defaults,
  donate,
  freshQueue,
  queue,
  queueOf,
  replay,
  sendTest,
  settings,
  settingsOf,
} from "../../suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, firstPlayback, follow, overlayKeyOf, show } from "../../suite/client/overlay/overlay-page.ts";

beforeEach(() => freshQueue());
afterEach(() => closePages());

const style = {
  ...{ theme: "namjai", position: null, size: 100, fontSize: 100, enter: "theme", leave: "theme" },
  ...{ cardColor: null, textColor: null, accentColor: null, secondColor: null, font: null },
};
const complete = {
  ...{ name: "big", from: 500, to: null, sources: null, channels: null, style, seconds: null, template: null, voice: null },
  ...{ image: null, libraryImage: null, sound: null, librarySound: null, speak: true, confetti: false },
};

describe("both sides of every bound of a variation", () => {
  const accepted = [
    {},
    { from: 0, to: 0 },
    { from: 1_000_000, to: 1_000_000 },
    { to: null, sources: null, channels: null, seconds: null, template: null, voice: null },
    { name: "ก".repeat(60) },
    { sources: [], channels: [] },
    { sources: ["external", "native", "test"], channels: ["external", "promptpay", "truemoney", "bank_transfer", "card", "other"] },
    { seconds: 2 },
    { seconds: 120 },
    { template: "{name}{amount}{message}" },
    { name: " big ", template: " {name}\u00a0e\u0301 " },
    { template: "ก".repeat(200) },
    { voice: `a${"B._+-9".repeat(10)}` },
    { speak: false, confetti: true },
    { style: { ...style, theme: "pixel", position: "bottom_right", size: 25, fontSize: 200, enter: "flip", leave: "none" } },
    { style: { ...style, size: 300, fontSize: 50, cardColor: "#000000", textColor: "#FFFFFF80", accentColor: "#aBcDeF" } },
  ];
  test.each(accepted.map((members) => ({ members, text: JSON.stringify(members) })))(
    "a variation within its bounds is accepted and answered whole: $text",
    async ({ members }) => {
      const sent = { name: "big", from: 500, ...members };
      const expected = [{ ...complete, ...members }];
      expect(settingsOf(await change({ variations: [sent] })).variations).toEqual(expected);
      expect(settingsOf(await settings()).variations).toEqual(expected);
    },
  );

  const refused: [members: object, fault: string][] = [
    [{ name: undefined }, "name required"],
    [{ name: "" }, "name too_short"],
    [{ name: "ก".repeat(61) }, "name too_long"],
    [{ from: undefined }, "from required"],
    [{ from: -0.01 }, "from out_of_range"],
    [{ from: 1_000_001 }, "from out_of_range"],
    [{ to: 1_000_001 }, "to out_of_range"],
    [{ to: 499.99 }, "to out_of_range"],
    [{ sources: ["elsewhere"] }, "sources/0 invalid_enum"],
    [{ sources: ["test", "test", "test", "test"] }, "sources too_many_items"],
    [{ channels: ["paypal"] }, "channels/0 invalid_enum"],
    [{ seconds: 1 }, "seconds out_of_range"],
    [{ seconds: 121 }, "seconds out_of_range"],
    [{ seconds: 2.5 }, "seconds invalid_type"],
    [{ template: "" }, "template too_short"],
    [{ template: "ก".repeat(201) }, "template too_long"],
    [{ template: "{nmae} gave {amount}" }, "template invalid_format"],
    [{ template: "{ name }" }, "template invalid_format"],
    [{ template: "{name" }, "template invalid_format"],
    [{ template: "name}" }, "template invalid_format"],
    [{ voice: "" }, "voice invalid_format"],
    [{ voice: "-f /etc/passwd" }, "voice invalid_format"],
    [{ voice: "../x" }, "voice invalid_format"],
    [{ image: "x" }, "image invalid_format"],
    [{ sound: "../../etc/passwd" }, "sound invalid_format"],
    [{ speak: "true" }, "speak invalid_type"],
    [{ confetti: null }, "confetti invalid_type"],
    [{ colour: "#000000" }, "colour unknown_member"],
    [{ style: { theme: "comic" } }, "style/theme invalid_enum"],
    [{ style: { position: "middle" } }, "style/position invalid_enum"],
    [{ style: { size: 24 } }, "style/size out_of_range"],
    [{ style: { size: 301 } }, "style/size out_of_range"],
    [{ style: { fontSize: 49 } }, "style/fontSize out_of_range"],
    [{ style: { fontSize: 201 } }, "style/fontSize out_of_range"],
    [{ style: { cardColor: "red" } }, "style/cardColor invalid_format"],
    [{ style: { textColor: "#fff" } }, "style/textColor invalid_format"],
    [{ style: { accentColor: "#00000000;}" } }, "style/accentColor invalid_format"],
    [{ style: { secondColor: "url(//x)" } }, "style/secondColor invalid_format"],
    [{ style: { enter: "wipe" } }, "style/enter invalid_enum"],
    [{ style: { leave: null } }, "style/leave invalid_type"],
    [{ style: { css: "" } }, "style/css unknown_member"],
  ];
  test.each(refused.map(([members, fault]) => ({ members, fault, text: JSON.stringify(members) })))(
    "a variation beyond its bounds is refused, and changes nothing: $text",
    async ({ members, fault }) => {
      expectFaults(
        await change({
          volume: 1,
          variations: [
            { name: "a", from: 0 },
            { name: "big", from: 500, ...members },
          ],
        }),
        `/variations/1/${fault}`,
      );
      expect(settingsOf(await settings())).toEqual(defaults);
    },
  );

  test.each(["image", "sound"])(
    "a variation whose %s was not uploaded is refused with unknown_file, and changes nothing",
    async (member) => {
      expectProblem(await change({ volume: 1, variations: [{ name: "a", from: 0, [member]: "A".repeat(43) }] }), 422, "unknown_file");
      expect(settingsOf(await settings())).toEqual(defaults);
    },
  );

  test("20 variations are accepted and 21 are refused", async () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => ({ name: String(i), from: i }));
    expect(settingsOf(await change({ variations: many(20) })).variations.map(({ name }) => name)).toEqual(many(20).map(({ name }) => name));
    expectFaults(await change({ variations: many(21) }), "/variations too_many_items");
  });
});

describe("the variation that is played", () => {
  const list = [
    { name: "huge", from: 1_000, confetti: true },
    { name: "native", from: 0, sources: ["native"] },
    { name: "middle", from: 100, to: 500.5, seconds: 9, style: { theme: "neon" } },
  ];

  test.for([
    [1_000, "huge"],
    [999.99, null],
    [500.51, null],
    [500.5, "middle"],
    [100, "middle"],
    [99.99, null],
  ] as const)("a donation of %s plays the first variation that fits, whole: %s", async ([amount, name], context) => {
    await change({ variations: list });
    const page = await follow({ key: overlayKeyOf(context) });
    await donate({ amount });
    const { variation } = await firstPlayback(page);
    expect(variation?.name ?? null).toBe(name);
    if (name === "middle") expect(variation).toEqual({ ...complete, ...list[2], style: { ...style, theme: "neon" } });
  });

  test("the first of several variations that fit is played, by the order of the list, however wide they are", async (context) => {
    const [wide, narrow] = [
      { name: "wide", from: 0 },
      { name: "narrow", from: 100, to: 200 },
    ];
    const page = await follow({ key: overlayKeyOf(context) });
    for (const [first, second] of [
      [wide, narrow],
      [narrow, wide],
    ] as const) {
      await change({ variations: [first, second] });
      await donate({ amount: 150 });
      expect((await show(page)).variation?.name).toBe(first.name);
    }
  });

  const everyChannel = ["external", "promptpay", "truemoney", "bank_transfer", "card", "other"];
  test.for<[members: object, fits: { donation: boolean; test: boolean }]>([
    [{ sources: ["external"] }, { donation: true, test: false }],
    [{ sources: ["native", "test"] }, { donation: false, test: true }],
    [{ sources: [] }, { donation: false, test: false }],
    [{ channels: ["promptpay", "external"] }, { donation: true, test: true }],
    [{ channels: everyChannel.slice(1) }, { donation: false, test: true }],
    [{ channels: [] }, { donation: false, test: true }],
    [
      { sources: ["external"], channels: ["card"] },
      { donation: false, test: false },
    ],
    [
      { sources: ["native"], channels: ["external"] },
      { donation: false, test: false },
    ],
  ])(
    "a variation with %j fits donations of its sources and channels alone, and every test of its sources",
    async ([members, fits], context) => {
      await change({ variations: [{ name: "theirs", from: 0, ...members }] });
      const page = await follow({ key: overlayKeyOf(context) });
      await donate({ amount: 100 });
      const ofDonation = (await show(page)).variation !== null;
      await sendTest({ amount: 100 });
      expect({ donation: ofDonation, test: (await show(page)).variation !== null }).toEqual(fits);
    },
  );

  test("an alert that is approved, and a replay of one that was never played, have the variation that fits them", async (context) => {
    await change({ approval: "all", variations: list });
    const [held, quiet] = [await donate({ amount: 300 }), await donate({ amount: 2_000, skipAlert: true })];
    await expect.poll(async () => queueOf(await queue()).heldCount).toBe(1);
    const page = await follow({ key: overlayKeyOf(context) });
    expect((await decide(held.id, "approve")).status).toBe(200);
    expect((await show(page)).variation?.name).toBe("middle");
    expect((await replay(quiet.id)).status).toBe(201);
    expect((await show(page)).variation?.name).toBe("huge");
  });

  test("a change of the variations reaches the next test alert", async (context) => {
    const page = await follow({ key: overlayKeyOf(context) });
    for (const name of ["one", "two"]) {
      await change({ variations: [{ name, from: 0, channels: ["promptpay"] }] });
      await sendTest({ amount: 100 });
      expect((await show(page)).variation?.name).toBe(name);
    }
  });

  test("a replay, and a page that comes back, have the variation of before, whatever the settings are now", async (context) => {
    const key = overlayKeyOf(context);
    await change({ variations: list });
    const page = await follow({ key });
    const { id } = await donate({ amount: 200 });
    expect((await show(page)).variation?.name).toBe("middle");
    await change({ variations: [{ name: "other", from: 0 }] });
    expect((await replay(id)).status).toBe(201);
    const again = await page.next("playback");
    expect(again).toMatchObject({ replay: true, variation: { name: "middle", seconds: 9 } });
    expect((await acknowledge("started", again.id, page)).status).toBe(200);
    await change({ variations: [] });
    closePages();
    const back = await follow({ key, player: page.player });
    expect((await back.next("snapshot")).playback).toMatchObject({ id: again.id, variation: { name: "middle" } });
    await control("skip");
  });
});
