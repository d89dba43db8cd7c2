import { expect, test } from "vitest";
import { problemOf, refusal } from "../../http/problem.ts";
import { answer, answerPage, openStudio } from "../testing.ts";
import { donation, playback, queue } from "../testing-examples.ts";

const waiting = answer(queue({ connected: false, waiting: [playback()], waitingCount: 1 }));

test("the dock shows the live parts of the alerts page in a page without a header, and keeps its address for a reload", async () => {
  const studio = openStudio({ answers: { getAlertQueue: waiting, listDonations: answerPage([donation()]) } });
  const { html, scripted } = await studio.get("/studio/dock");
  expect([scripted, html.includes("<header>"), html.includes('class="dock"')]).toEqual([true, false, true]);
  for (const text of [
    "Malee",
    "No overlay connected",
    "None is connected.",
    'data-source="/studio/dock/queue"',
    'data-here="/studio/dock"',
  ])
    expect(html).toContain(text);
  const parts = (text: string) => text.match(/id="live-\w+"/g)?.toSorted();
  expect(parts(html)).toEqual(parts((await studio.get("/studio/dock/queue")).html));
  expect(html, "links of the studio open outside of the dock").not.toMatch(/href="\/studio\/(?!dock|studio\.js)[^"]*"(?! target="_blank")/);
});

test.each([
  ["/studio/control", { control: "pause" }, "paused"],
  ["/studio/decide", { decision: "deny d1" }, "denied"],
  ["/studio/replay", { donation: "d1" }, "replayed"],
  ["/studio/lead", { overlay: "o1" }, "leads"],
  ["/studio/test", { donatorName: "Namjai", amount: "100", message: "" }, "test"],
])("%s leads back to the dock when its form is there, and to the alerts page otherwise", async (path, fields, note) => {
  const answers = { getDonation: answer(donation()) };
  expect((await openStudio({ answers }).post(path, { ...fields, back: "dock" } as Record<string, string>)).location).toBe(
    `/studio/dock?note=${note}`,
  );
  expect((await openStudio({ answers }).post(path, fields as Record<string, string>)).location).toBe(`/studio?note=${note}`);
});

test("the dock says when the alert to skip is over", async () => {
  const skipOneAlert = async () => {
    throw problemOf(refusal("alert_state_conflict", "no"));
  };
  const studio = openStudio({ answers: { skipOneAlert } });
  expect((await studio.post("/studio/decide", { decision: "skip d1", back: "dock" })).location).toBe("/studio/dock?note=over-already");
});
