import { expect, test } from "vitest";
import { etagOf } from "../../http/etags.ts";
import { problemOf, refusal } from "../../http/problem.ts";
import { answer, bodyOf, openStudio } from "../testing.ts";
import { settings } from "../testing-examples.ts";

const goals = [
  { id: "mic", title: "Mic", target: 5000, from: "2026-11-01" },
  { id: "trip", title: "Trip", target: 900, from: "2026-11-01", to: "2026-12-31" },
];
const open = () => openStudio({ answers: { getAlertSettings: answer({ ...settings, goals }) } });
const page = "/studio/goals";

/** What the form saves. */
async function saved(path: string, fields: Record<string, string>): Promise<unknown> {
  const studio = open();
  await studio.post(path, fields);
  return bodyOf(studio.calls[0]);
}

/** The fields of the form as its page has them. */
async function shown(id: string): Promise<Record<string, string>> {
  const { html } = await open().get(`${page}?goal=${id}`);
  const [, form = ""] = html.split('<h2 id="form">');
  const inputs = [...form.matchAll(/<input[^>]* name="([^"]+)"[^>]* value="([^"]*)"|<input[^>]* value="([^"]*)"[^>]* name="([^"]+)"/g)];
  const named = inputs.map(([, name, value, otherValue, otherName]) => [
    name ?? otherName,
    (value ?? otherValue ?? "").replaceAll("&quot;", '"'),
  ]);
  return Object.fromEntries(named);
}

test("the page of goals lists them in their order, each with its own link for OBS", async () => {
  const { html } = await open().get(page);
  expect(html.match(/kind=goal&amp;goal=\w+/g)).toEqual(["kind=goal&amp;goal=mic", "kind=goal&amp;goal=trip"]);
  expect(html).toMatch(/name="from"[^>]*value="2026-11-21"|value="2026-11-21"[^>]*name="from"/);
});

test("a goal that is saved in the moment in which another tab adds one is saved beside it", async () => {
  let stored = goals.slice(0, 1);
  const studio = openStudio({
    answers: {
      getAlertSettings: async () => answer({ ...settings, goals: stored })(),
      updateAlertSettings: async ({ header, body }) => {
        if (stored.length === 1) stored = goals; // by the other tab
        if (header?.["If-Match"] !== etagOf({ ...settings, goals: stored })) throw problemOf(refusal("precondition_failed", "changed"));
        stored = (body as { goals: typeof goals }).goals;
        return answer({ ...settings, goals: stored })();
      },
    },
  });
  await studio.post(page, { title: "Lamp", target: "1", from: "2026-11-21", to: "", goal: "", version: "" });
  expect(stored.map(({ title }) => title)).toEqual(["Mic", "Trip", "Lamp"]);
});

test("a new goal is added at the end with an id of its own, and one that is changed keeps its id and place", async () => {
  const fields = { title: "Lamp", target: "1,500", from: "2026-11-21", to: "" };
  const added = { id: expect.stringMatching(/^[0-9a-f]{8}$/), title: "Lamp", target: 1500, from: "2026-11-21" };
  expect(await saved(page, { ...fields, goal: "", version: "" })).toEqual({ goals: [...goals, added] });
  const changed = { ...(await shown("mic")), target: "6000" };
  expect(await saved(page, changed)).toEqual({ goals: [{ ...goals[0], target: 6000 }, goals[1]] });
});

test("a goal that was changed elsewhere is not overwritten, and what was typed stays in the form", async () => {
  const studio = open();
  const { status, html } = await studio.post(page, { ...(await shown("mic")), title: "Typed", version: "older" });
  expect([status, html.includes('value="Typed"'), studio.calls]).toEqual([409, true, []]);
});

test("goals are moved and deleted by their ids", async () => {
  expect(await saved(`${page}/move`, { goal: "trip", to: "up" })).toEqual({ goals: goals.toReversed() });
  expect(await saved(`${page}/move`, { goal: "mic", to: "away" })).toEqual({ goals: goals.slice(1) });
  expect((await open().post(`${page}/move`, { goal: "gone", to: "up" })).location).toBe(`${page}?note=no-goal`);
});

test("the form of a goal bar offers all goals, and a deleted one while it is chosen", async () => {
  const choices = async (query: string) => [
    ...(await open().get(`/studio/overlay/widget?kind=goal${query}`)).html.matchAll(
      /<option value="([^"]*)"( selected)?>(?:Mic|Trip|The first goal|gone)/g,
    ),
  ];
  expect((await choices("&goal=trip")).map(([, id, chosen]) => id + (chosen ?? ""))).toEqual(["", "mic", "trip selected"]);
  expect((await choices("&goal=gone")).map(([, id, chosen]) => id + (chosen ?? ""))).toEqual(["", "mic", "trip", "gone selected"]);
});
