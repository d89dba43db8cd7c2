import { expect, test } from "vitest";
import { Problem } from "../http/problem.ts";
import { fault, openStudio, settings } from "./testing.ts";

const typed = {
  ...{ minimumAmount: "20", blockedWords: "spam\r\nสแปม", volume: "80", speech: "on", minimumSeconds: "6", maximumSeconds: "30" },
  ...{ "goal.title": "ไมค์ตัวใหม่", "goal.target": "5000", "goal.from": "2026-11-01" },
};

/** What the contract is asked to change when this is typed. */
async function changed(fields: Record<string, string>): Promise<unknown> {
  const studio = openStudio();
  expect(await studio.post("/studio/settings", fields)).toMatchObject({ status: 303, location: "/studio/settings?note=saved" });
  expect(studio.calls).toEqual([["change", "somchai's id", expect.anything()]]);
  return studio.calls[0]?.[2];
}

test("the settings form shows the current settings", async () => {
  const { html } = await openStudio().get("/studio/settings");
  for (const value of ["20", "80", "6", "30", "ไมค์ตัวใหม่", "5000", "2026-11-01"]) expect(html).toContain(`value="${value}"`);
  expect(html).toMatch(/<textarea[^>]*>\nspam\nสแปม<\/textarea>/);
  expect(html).toMatch(/name="speech" checked/);
  expect(html).toContain("5–120");
});

test("a settings form that is sent unchanged changes nothing", async () => expect(await changed(typed)).toEqual(settings));

test("speech is off when its checkbox is not ticked", async () => {
  const { speech: _left, ...others } = typed;
  expect(await changed(others)).toMatchObject({ speech: false });
});

test("blocked words are read one per line, trimmed, without duplicates and empty lines", async () => {
  expect(await changed({ ...typed, blockedWords: "  a b \r\n\r\nc\na b\n" })).toMatchObject({ blockedWords: ["a b", "c"] });
  expect(await changed({ ...typed, blockedWords: "" })).toMatchObject({ blockedWords: [] });
});

test("a settings form without title and target has no goal, and a new goal starts today in Bangkok", async () => {
  expect(await changed({ ...typed, "goal.title": " ", "goal.target": "" })).toMatchObject({ goal: null });
  const studio = openStudio({ alerts: { settings: async () => ({ ...settings, goal: null }) } });
  expect((await studio.get("/studio/settings")).html).toMatch(/name="goal.from"[^>]*value="2026-11-21"/);
});

test.each([
  ["1,000", 1000],
  [" 12.5 ", 12.5],
  ["๑๒๐", 120],
  ["0", 0],
  [".5", 0.5],
  ["", ""],
  ["abc", "abc"],
  ["1e3", "1e3"],
  ["0x10", "0x10"],
  ["1 2x", "1 2x"],
])("a number field with %j is read as %j", async (text, value) => {
  expect(await changed({ ...typed, volume: text })).toMatchObject({ volume: value });
});

test("faults are shown beside their fields in both languages, with links to the fields, and the typed values are kept", async () => {
  const errors = [
    fault("/volume"),
    fault("/blockedWords/1", "too_long", "must have at most 50 characters"),
    fault("/goal/title", "too_short", "must have at least 1 character(s)"),
  ];
  const studio = openStudio({
    alerts: {
      change: async () => {
        throw new Problem("validation_failed", "no", { errors });
      },
    },
  });
  const { speech: _left, ...others } = typed;
  const { status, html } = await studio.post("/studio/settings", {
    ...others,
    volume: "300",
    blockedWords: "a\nlong & long",
    "goal.title": "",
  });
  expect(status).toBe(400);
  for (const name of ["volume", "blockedWords", "goal-title"]) {
    expect(html).toContain(`<a href="#field-${name}">`);
    expect(html).toMatch(new RegExp(`id="field-${name}"[^>]* aria-invalid="true"[^>]* aria-describedby="[^"]*field-${name}-fault"`));
  }
  for (const text of [
    "ต้องอยู่ระหว่าง 0 ถึง 100",
    "Must be at most 100.",
    "“long &amp; long”",
    "ต้องกรอกช่องนี้",
    'value="300"',
    "a\nlong &amp; long",
  ])
    expect(html).toContain(text);
  expect(html).not.toMatch(/name="speech" checked/);
  expect(html.match(/ aria-invalid="true"/g)).toHaveLength(3);
});

test("a failure other than validation_failed is thrown and not shown as a fault", async () => {
  const change = async () => {
    throw new Problem("unavailable", "no");
  };
  await expect(openStudio({ alerts: { change } }).post("/studio/settings", typed)).rejects.toMatchObject({ code: "unavailable" });
});

test("a longest time below the shortest is explained in words when each of them is valid by itself", async () => {
  const change = async () => {
    throw new Problem("validation_failed", "no", { errors: [fault("/maximumSeconds", "out_of_range", "must be at least minimumSeconds")] });
  };
  const studio = openStudio({ alerts: { change } });
  const both = await studio.post("/studio/settings", { ...typed, minimumSeconds: "40" });
  expect(both.html).toContain("Must not be less than the minimum display time.");
  const one = await studio.post("/studio/settings", { ...typed, maximumSeconds: "500" });
  expect(one.html).toContain("ต้องอยู่ระหว่าง 5 ถึง 120");
});
