import { expect, test } from "vitest";
import { Problem } from "../http/problem.ts";
import { changeSettings, defaultSettings, fullSettings, keptSettings } from "./settings.ts";

const goal = { title: "ไมค์", target: 5000, from: "2026-11-01" };

function faultOf(change: Parameters<typeof changeSettings>[1], settings = defaultSettings) {
  try {
    return changeSettings(settings, change);
  } catch (error) {
    return error instanceof Problem ? error.extras.errors?.map(({ pointer, code }) => `${pointer} ${code}`) : error;
  }
}

test("members that are not sent stay", () => {
  const changed = changeSettings({ ...defaultSettings, volume: 10, goal }, { minimumAmount: 20, speech: undefined });
  expect(changed).toEqual({ ...defaultSettings, volume: 10, goal, minimumAmount: 20 });
});

test("null removes the goal", () => expect(changeSettings({ ...defaultSettings, goal }, { goal: null }).goal).toBeNull());

test("the longest time is not shorter than the shortest, whichever is sent", () => {
  expect(faultOf({ minimumSeconds: 30 })).toMatchObject({ minimumSeconds: 30, maximumSeconds: 30 });
  expect(faultOf({ minimumSeconds: 31 })).toEqual(["/minimumSeconds out_of_range"]);
  expect(faultOf({ maximumSeconds: 5 })).toEqual(["/maximumSeconds out_of_range"]);
  expect(faultOf({ minimumSeconds: 10, maximumSeconds: 9 })).toEqual(["/maximumSeconds out_of_range"]);
  expect(faultOf({ minimumSeconds: 60, maximumSeconds: 60 })).toMatchObject({ minimumSeconds: 60 });
});

test("only what differs from the defaults is kept, and comes back whole", () => {
  const settings = { ...defaultSettings, volume: 0, blockedWords: ["x"] };
  expect(keptSettings(settings)).toEqual({ volume: 0, blockedWords: ["x"] });
  expect(keptSettings(defaultSettings)).toEqual({});
  expect(fullSettings(keptSettings(settings))).toEqual(settings);
});
