import { expect, test } from "vitest";
import type { Problem } from "../../http/problem.ts";
import { chooseVariation, type VariedDonation } from "../queue/filter.ts";
import { changeSettings, completeVariation, defaultSettings, type NewVariation } from "./settings.ts";

const variations = (...sent: Partial<NewVariation>[]) =>
  sent.map((members, i) => completeVariation({ name: String(i), from: 0, ...members }));

/** The name of the chosen variation: its place in the list. */
function chosen(sent: Partial<NewVariation>[], donation: Partial<VariedDonation> = {}): string | undefined {
  return chooseVariation(variations(...sent), { amount: 100, source: "external", channel: "external", ...donation })?.name;
}

// The defaults stand here again: a default that changes by mistake fails the test.
test("members of a variation that were not sent get their defaults, those of the style as well", () =>
  expect(completeVariation({ name: "big", from: 500, style: { theme: "neon", size: undefined } })).toEqual({
    ...{
      name: "big",
      from: 500,
      to: null,
      sources: null,
      channels: null,
      image: null,
      libraryImage: null,
      sound: null,
      librarySound: null,
      seconds: null,
      template: null,
      voice: null,
    },
    ...{ speak: true, confetti: false },
    style: {
      ...{ theme: "neon", position: null, size: 100, fontSize: 100, enter: "theme", leave: "theme" },
      ...{ cardColor: null, textColor: null, accentColor: null, secondColor: null, font: null },
    },
  }));

test.each([
  ["from is included", [{ from: 100 }], {}, "0"],
  ["an amount below from does not fit", [{ from: 100.01 }], {}, undefined],
  ["to is included", [{ to: 100 }], {}, "0"],
  ["an amount above to does not fit", [{ to: 99.99 }], {}, undefined],
  ["the first that fits wins, not the narrowest", [{ from: 200 }, { from: 1 }, { from: 100, to: 100 }], {}, "1"],
  ["an amount in a gap between variations has the default look", [{ to: 99 }, { from: 101 }], {}, undefined],
  ["without variations there is the default look", [], {}, undefined],
  ["a source that is not named does not fit", [{ sources: ["native"] }], {}, undefined],
  ["a source that is named fits", [{ sources: ["native"] }], { source: "native" }, "0"],
  ["an empty list of sources fits no donation", [{ sources: [] }], {}, undefined],
  ["a channel that is not named does not fit", [{ channels: ["promptpay"] }], { source: "native", channel: "card" }, undefined],
  ["a channel that is named fits", [{ channels: ["promptpay"] }], { source: "native", channel: "promptpay" }, "0"],
  ["a test fits every channel", [{ channels: ["promptpay"] }], { source: "test", channel: "other" }, "0"],
  ["a test fits no other source", [{ sources: ["native"] }], { source: "test", channel: "other" }, undefined],
] as const)("choice of a variation: %s", (_, sent, donation, expected) =>
  expect(chosen(sent as unknown as Partial<NewVariation>[], donation)).toBe(expected),
);

test("a variation whose to is below its from is refused, together with other contradictions of the request", () => {
  const change = { maximumSeconds: 5, minimumSeconds: 9, variations: variations({}, { from: 10, to: 9.5 }, { from: 3, to: 3 }) };
  const faults = () => {
    try {
      return changeSettings(defaultSettings, change);
    } catch (error) {
      return (error as Problem).extras.errors?.map(({ pointer, code }) => `${pointer} ${code}`);
    }
  };
  expect(faults()).toEqual(["/maximumSeconds out_of_range", "/variations/1/to out_of_range"]);
});

test("variations that are sent replace those that there were, and those that are not sent stay", () => {
  const settings = { ...defaultSettings, variations: variations({ name: "old" }) };
  expect(changeSettings(settings, { volume: 1 }).variations.map(({ name }) => name)).toEqual(["old"]);
  expect(changeSettings(settings, { variations: [{ name: "new", from: 1 }] }).variations.map(({ name }) => name)).toEqual(["new"]);
  expect(changeSettings(settings, { variations: [] }).variations).toEqual([]);
});
