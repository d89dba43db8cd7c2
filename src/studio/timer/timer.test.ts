import { expect, test } from "vitest";
import { problemOf, refusal } from "../../http/problem.ts";
import { answer, bodyOf, exampleOf, openStudio } from "../testing.ts";
import type { Timer } from "./timer-form.ts";

const page = "/studio/timer";
const withTimer = (changes: Partial<Timer>) => openStudio({ answers: { getTimer: answer({ ...exampleOf("Timer"), ...changes }) } });
const ended: Partial<Timer> = { status: "ended", remainingMs: 0, endsAt: null, endedAt: "2026-11-21T03:00:00.000Z" };

test("a timer that runs is shown with what is left, which the script counts down, and can be paused, adjusted and ended", async () => {
  const { html } = await withTimer({ remainingMs: 3_723_000 }).get(page);
  expect(html).toMatch(/role="timer" data-left="3723000">1:02:03</);
  expect(html.match(/name="(?:control|by)" value="[^"]+"/g)?.map((button) => button.replaceAll(/.*value="|"/g, ""))).toEqual([
    "pause",
    "end",
    "-300",
    "-60",
    "60",
    "300",
    "add",
    "take",
  ]);
});

test("a paused timer can be resumed, and its time stands still", async () => {
  const { html } = await withTimer({ status: "paused", endsAt: null }).get(page);
  expect(html).toContain('value="resume"');
  expect(html).not.toContain("data-left");
});

test("a timer that has ended can be started, and nothing else", async () => {
  const { html } = await withTimer(ended).get(page);
  expect(html).toContain(`action="${page}/start"`);
  expect(html).not.toMatch(/name="(?:control|by)"/);
});

test("the address of the live part answers the live part alone", async () => {
  const { html } = await openStudio().get(`${page}/now`);
  expect(html).toMatch(/^<div id="live-timer" data-live/);
  expect((await openStudio().get(page)).html).toContain(`data-source="${page}/now"`);
});

test.each([
  ["pause", "pauseTimer", "timer-paused"],
  ["resume", "resumeTimer", "timer-resumed"],
  ["end", "endTimer", "timer-ended"],
])("the button %s calls %s and leads back to the page", async (control, operation, note) => {
  const studio = openStudio();
  expect(await studio.post(`${page}/control`, { control })).toMatchObject({ status: 303, location: `${page}?note=${note}` });
  expect(studio.calls.map(([id]) => id)).toEqual([operation]);
});

test("a control that the timer's state does not allow is told on the page", async () => {
  const pauseTimer = async () => {
    throw problemOf(refusal("timer_state_conflict", "no"));
  };
  expect((await openStudio({ answers: { pauseTimer } }).post(`${page}/control`, { control: "pause" })).location).toBe(
    `${page}?note=timer-not-open`,
  );
});

test.each([
  [{ hours: "1", minutes: "30" }, 5_400],
  [{ hours: "0.5", minutes: "" }, 1_800],
  [{ hours: "", minutes: "๕" }, 300],
])("a start of %j begins with %d seconds", async (typed, seconds) => {
  const studio = openStudio();
  expect((await studio.post(`${page}/start`, typed)).location).toBe(`${page}?note=timer-started`);
  expect(bodyOf(studio.calls[0])).toEqual({ seconds });
});

test.each([[{ hours: "0", minutes: "0" }], [{ hours: "soon", minutes: "0" }]])(
  "a start of %j is refused on the page, with what was typed",
  async (typed) => {
    const { status, html } = await withTimer(ended).post(`${page}/start`, typed);
    expect(status).toBe(400);
    expect(html).toContain('class="fault"');
    expect(html).toContain(`name="hours" value="${typed.hours}"`);
  },
);

test.each([
  [{ by: "-300" }, -300],
  [{ by: "add", minutes: "2.5" }, 150],
  [{ by: "take", minutes: "10" }, -600],
])("an adjustment of %j is %d seconds, with the form's key", async (typed, seconds) => {
  const studio = openStudio();
  expect((await studio.post(`${page}/adjust`, { ...typed, key: "k1" })).location).toBe(`${page}?note=timer-adjusted`);
  expect(bodyOf(studio.calls[0])).toEqual({ seconds, idempotencyKey: "k1" });
});

test("an adjustment that is no number is refused on the page", async () => {
  const { status, html } = await openStudio().post(`${page}/adjust`, { by: "add", minutes: "many" });
  expect([status, html.includes('class="fault"')]).toEqual([400, true]);
});

test("two pages give their adjustments different keys", async () => {
  const keyOf = async () => /name="key" value="([^"]+)"/.exec((await openStudio().get(page)).html)?.[1];
  expect(await keyOf()).not.toBe(await keyOf());
});

test("the rows of the rules become steps, without empty rows, and hours become seconds", async () => {
  const studio = openStudio();
  const rows = { "from 0": "20", "seconds 0": "60", "per 0": "100", "from 3": "1,000", "seconds 3": "900", "per 3": "" };
  expect((await studio.post(`${page}/rules`, { ...rows, maximumSeconds: "1.5", countTests: "on" })).location).toBe(
    `${page}?note=timer-rules`,
  );
  expect(bodyOf(studio.calls[0])).toEqual({
    steps: [
      { from: 20, seconds: 60, per: 100 },
      { from: 1_000, seconds: 900, per: null },
    ],
    ...{ maximumSeconds: 5_400, countTests: true, countImports: false },
  });
});

test("rules without steps and without a maximum are rules, too", async () => {
  const studio = openStudio();
  await studio.post(`${page}/rules`);
  expect(bodyOf(studio.calls[0])).toEqual({ steps: [], maximumSeconds: null, countTests: false, countImports: false });
});

test("rules that are refused stay as they were typed, with the fault", async () => {
  const { status, html } = await openStudio().post(`${page}/rules`, { "from 0": "x", "seconds 0": "60", maximumSeconds: "0" });
  expect(status).toBe(400);
  for (const shown of ['name="from 0" value="x"', 'name="maximumSeconds" value="0"'])
    expect(html).toContain(shown.replaceAll('name="maximumSeconds" ', ""));
  expect(html).toContain('class="fault"');
});
