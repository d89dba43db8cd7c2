import { expect, test } from "vitest";
import { loadContract } from "../../http/contract/contract.ts";
import { Problem } from "../../http/problem.ts";
import { changeSettings, completeVariation, defaultSettings, isSpoken, pageSettings, withDefaults, withoutDefaults } from "./settings.ts";

const { schemas, checkerOf } = await loadContract();

const goal = { title: "ไมค์", target: 5000, from: "2026-11-01" };

const withGoal = { goal, goals: [{ id: "main", ...goal }] };

function faultOf(change: Parameters<typeof changeSettings>[1], settings = defaultSettings) {
  try {
    return changeSettings(settings, change);
  } catch (error) {
    return error instanceof Problem ? error.extras.errors?.map(({ pointer, code }) => `${pointer} ${code}`) : error;
  }
}

test("the default settings fit the contract", () =>
  expect(checkerOf("AlertSettings")({ requestBody: structuredClone(defaultSettings) })).toBeNull());

test("members that an update does not send stay as they are", () => {
  const changed = changeSettings({ ...defaultSettings, volume: 10, ...withGoal }, { minimumAmount: 20, speech: undefined });
  expect(changed).toEqual({ ...defaultSettings, volume: 10, ...withGoal, minimumAmount: 20 });
});

test("null as the goal of an update removes the goal", () =>
  expect(changeSettings({ ...defaultSettings, ...withGoal }, { goal: null })).toMatchObject({ goal: null, goals: [] }));

test("an update that would put minimumSeconds above maximumSeconds is refused, and names the member that was sent", () => {
  expect(faultOf({ minimumSeconds: 30 })).toMatchObject({ minimumSeconds: 30, maximumSeconds: 30 });
  expect(faultOf({ minimumSeconds: 31 })).toEqual(["/minimumSeconds out_of_range"]);
  expect(faultOf({ maximumSeconds: 5 })).toEqual(["/maximumSeconds out_of_range"]);
  expect(faultOf({ minimumSeconds: 10, maximumSeconds: 9 })).toEqual(["/maximumSeconds out_of_range"]);
  expect(faultOf({ minimumSeconds: 60, maximumSeconds: 60 })).toMatchObject({ minimumSeconds: 60 });
});

test("only members that differ from the defaults are stored, and reading them gives the whole settings again", () => {
  const settings = { ...defaultSettings, volume: 0, blockedWords: ["x"] };
  expect(withoutDefaults(settings)).toEqual({ volume: 0, blockedWords: ["x"] });
  expect(withoutDefaults(defaultSettings)).toEqual({});
  expect(withDefaults(withoutDefaults(settings))).toEqual(settings);
});

test("a stored variation is completed, so that an answer has every member that the contract has gained since it was stored", () => {
  const older = { name: "Big", from: 500, image: "i".repeat(43), style: { theme: "neon" as const, size: 150 } };
  const { variations } = withDefaults({ volume: 10, variations: [older] });
  expect(variations).toEqual([completeVariation(older)]);
  const { required: members } = schemas["AlertVariation"] as unknown as { required: string[] };
  const { required: styles } = schemas["AlertStyle"] as unknown as { required: string[] };
  expect(Object.keys(variations[0]!)).toEqual(expect.arrayContaining(members));
  expect(Object.keys(variations[0]!.style)).toEqual(expect.arrayContaining(styles));
  expect(variations[0]).toMatchObject({ from: 500, image: "i".repeat(43), style: { size: 150 } });
});

test("settings of any age are answered with every member of the contract", () => {
  const { required: members } = schemas["AlertSettings"] as unknown as { required: string[] };
  expect(Object.keys(withDefaults({}))).toEqual(expect.arrayContaining(members));
});

test("a stored goal of any age is answered with every member of the contract, and as it was stored", () => {
  const { required: members } = schemas["NamedGoal"] as unknown as { required: string[] };
  const { goals } = withDefaults({ goal });
  expect(Object.keys(goals[0]!)).toEqual(expect.arrayContaining(members));
  expect(withDefaults({ goal })).toMatchObject(withGoal);
});

test("goals are stored without a second copy of the first, and read back in their order", () => {
  const goals = ["c", "a", "b"].map((id) => ({ ...goal, id }));
  const stored = withoutDefaults(changeSettings(defaultSettings, { goals }));
  expect(stored).toEqual({ goal: goals[0], moreGoals: goals.slice(1) });
  expect(withDefaults(stored)).toMatchObject({ goal, goals });
});

test("a goal may end on the day it begins, and one that ends before is refused", () => {
  expect(faultOf({ goal: { ...goal, to: "2026-11-01" } })).toMatchObject({ goal: { to: "2026-11-01" } });
  expect(faultOf({ goal: { ...goal, to: "2026-10-31" } })).toEqual(["/goal/to out_of_range"]);
});

test("a page gets the volume of sounds for speech that has none of its own", () => {
  expect(pageSettings({ ...defaultSettings, volume: 30 })).toMatchObject({ volume: 30, speechVolume: 30, speechSpeed: 1 });
  expect(pageSettings({ ...defaultSettings, volume: 30, speechVolume: 0 })).toMatchObject({ volume: 30, speechVolume: 0 });
});

test("a donation is read aloud from speechMinimumAmount on, and none is while speech is off", () => {
  const settings = { ...defaultSettings, speechMinimumAmount: 20 };
  expect([19.99, 20, 21].map((amount) => isSpoken(settings, amount))).toEqual([false, true, true]);
  expect(isSpoken({ ...settings, speech: false }, 21)).toBe(false);
});
