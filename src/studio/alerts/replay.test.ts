import { expect, test } from "vitest";
import { problemOf, refusal } from "../../http/problem.ts";
import type { Donation } from "../components/donation.ts";
import { answer, answerPage, openStudio } from "../testing.ts";
import { donation } from "../testing-examples.ts";

const keptOff = (reason: Donation["alert"]["reason"], changes: Partial<Donation["alert"]> = {}) =>
  donation({ id: "d1", alert: { status: "skipped", reason, shownAt: null, masked: false, ...changes } });
const withDonation = (one: Donation) => openStudio({ answers: { getDonation: answer(one), listDonations: answerPage([one]) } });

const asked = [
  ["denied", "You or a moderator denied"],
  ["timed_out", "Nobody approved"],
  ["filtered", "a blocked word"],
] as const;

test.each(asked)(
  "an alert that was not shown as %s leads to a question in place of its replay button, which says why: %s",
  async (reason, why) => {
    const studio = withDonation(keptOff(reason));
    for (const [page, address] of [
      ["/studio", "/studio/replay?donation=d1"],
      ["/studio/donation?id=d1", "/studio/replay?donation=d1&back=donation"],
    ] as const) {
      const { html } = await studio.get(page);
      expect(html, page).toContain(`href="${address.replaceAll("&", "&amp;")}"`);
      expect(html, page).not.toMatch(/<button[^>]*name="donation"/);
      const question = await studio.get(address);
      expect(question).toMatchObject({ status: 200, scripted: true });
      for (const text of [why, "Malee", "฿250", "สู้ๆ นะ", "name and message on stream"]) expect(question.html).toContain(text);
    }
    expect(studio.calls).toEqual([]);
  },
);

test.each(asked)(
  "a replay of an alert that was not shown as %s asks first even from an old page, and replays once the question is answered",
  async (reason) => {
    const studio = withDonation(keptOff(reason));
    for (const answer of [{}, { despite: "control" }, { despite: "" }] as Record<string, string>[]) {
      const reply = await studio.post("/studio/replay", { donation: "d1", back: "donation", ...answer });
      expect(reply).toMatchObject({ status: 303, location: "/studio/replay?donation=d1&back=donation" });
    }
    expect(studio.calls).toEqual([]);
    const { html } = await studio.get("/studio/replay?donation=d1&back=donation");
    const fields = Object.fromEntries(
      [...html.matchAll(/<(?:input|button)[^>]* name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    );
    expect(fields).toMatchObject({ donation: "d1", back: "donation", despite: reason });
    expect((await studio.post("/studio/replay", { donation: "d1", back: "donation", despite: reason })).location).toBe(
      "/studio/donation?id=d1&note=replayed",
    );
    expect(studio.calls).toEqual([["replayAlert", "somchai's id", { path: { donationId: "d1" } }]]);
  },
);

test("a question that was answered for another reason is asked again", async () => {
  const studio = withDonation(keptOff("denied"));
  expect((await studio.post("/studio/replay", { donation: "d1", despite: "timed_out" })).location).toBe("/studio/replay?donation=d1");
  expect(studio.calls).toEqual([]);
});

test("the question about an alert that was masked says that a replay shows its amount only", async () => {
  const { html } = await withDonation(keptOff("denied", { masked: true })).get("/studio/replay?donation=d1");
  expect(html).toContain("amount only, without name and message");
  expect(html).not.toContain("name and message on stream");
});

test.each([
  ["shown", null],
  ["skipped", "control"],
  ["skipped", "below_minimum"],
  ["skipped", "skip_alert"],
  ["expired", null],
  ["unconfirmed", null],
] as const)("an alert that was %s (%s) is replayed by one tap, and has no question", async (status, reason) => {
  const studio = withDonation(keptOff(reason, { status }));
  for (const page of ["/studio", "/studio/donation?id=d1"])
    expect((await studio.get(page)).html, page).toMatch(/<button[^>]* name="donation" value="d1"/);
  expect((await studio.get("/studio/replay?donation=d1")).location).toBe("/studio");
  expect((await studio.post("/studio/replay", { donation: "d1" })).location).toBe("/studio?note=replayed");
  expect(studio.calls).toEqual([["replayAlert", "somchai's id", { path: { donationId: "d1" } }]]);
});

test("a name that looks like markup is escaped in the question", async () => {
  const bad = `"><script>alert(1)</script>`;
  const { html } = await withDonation({ ...keptOff("denied"), donatorName: bad, message: bad }).get("/studio/replay?donation=d1");
  expect(html).not.toContain("<script>");
});

test.each([
  ["alert_state_conflict", "in-queue"],
  ["alert_not_found", "no-donation"],
] as const)("a replay that is refused with %s shows the notice %s", async (code, note) => {
  const replayAlert = async () => {
    throw problemOf(refusal(code, "no"));
  };
  expect((await openStudio({ answers: { replayAlert } }).post("/studio/replay", { donation: "x" })).location).toBe(`/studio?note=${note}`);
});

test("a donation that is void or not the streamer's has no question", async () => {
  const voided = { at: "2026-11-21T04:00:00.000Z", reason: "refund" } as const;
  expect((await withDonation({ ...keptOff("denied"), voided }).get("/studio/replay?donation=d1")).location).toBe(
    "/studio?note=voided-already",
  );
  const unknown = async () => {
    throw problemOf(refusal("donation_not_found", "no"));
  };
  const studio = openStudio({ answers: { getDonation: unknown } });
  expect((await studio.get("/studio/replay?donation=x")).location).toBe("/studio?note=no-donation");
  expect((await studio.post("/studio/replay", { donation: "x" })).location).toBe("/studio?note=no-donation");
});
