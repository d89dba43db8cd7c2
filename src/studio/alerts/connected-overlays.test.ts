import { expect, test } from "vitest";
import { problemOf, refusal } from "../../http/problem.ts";
import { answer, openStudio } from "../testing.ts";
import { queue } from "../testing-examples.ts";
import type { Queue } from "./held-alerts.ts";

const connected = (id: string, members: Partial<Queue["overlays"][number]> = {}) =>
  ({ id, client: "browser", active: true, leads: false, connectedAt: "2026-11-20T05:00:00.000Z", ...members }) as const;

const studioWith = (overlays: Queue["overlays"]) => openStudio({ answers: { getAlertQueue: answer(queue({ overlays })) } });

test("the alerts page names the connected overlays and which one leads, with a button for each other one", async () => {
  const overlays = [connected("o1", { client: "obs", leads: true }), connected("o2", { active: false })];
  const { html } = await studioWith(overlays).get("/studio");
  for (const text of ["2 pages connected", "Leads, with sound", "hidden"]) expect(html).toContain(text);
  expect(html.match(/form="lead" name="overlay" value="[^"]*"/g)).toEqual(['form="lead" name="overlay" value="o2"']);
  const { html: alone } = await studioWith([connected("o1")]).get("/studio");
  expect(alone).toContain("1 page connected");
  expect(alone).not.toContain('form="lead" name');
});

test("a button makes an overlay lead, and one that is gone is told", async () => {
  const studio = openStudio();
  expect(await studio.post("/studio/lead", { overlay: "o2" })).toMatchObject({ status: 303, location: "/studio?note=leads" });
  expect(studio.calls).toEqual([["leadOverlay", "somchai's id", { path: { overlayId: "o2" } }]]);
  const gone = async () => {
    throw problemOf(refusal("overlay_not_found", "no"));
  };
  expect(await openStudio({ answers: { leadOverlay: gone } }).post("/studio/lead", { overlay: "o2" })).toMatchObject({
    location: "/studio?note=no-overlay",
  });
});
