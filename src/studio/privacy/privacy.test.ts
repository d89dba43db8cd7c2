import { expect, test } from "vitest";
import { Problem } from "../../http/problem.ts";
import { openStudio } from "../testing.ts";
import { erasure, erasureId, fault, foundDonations } from "../testing-examples.ts";
import type { Privacy } from "./open-privacy.ts";

const withPrivacy = (privacy: Partial<Privacy>) => openStudio({ privacy });
const named = { by: "identifier", who: "line:mali" };
const asShown = { ...named, ...foundDonations(), erasure: erasureId };
const decided = Object.fromEntries(Object.entries(asShown).map(([name, value]) => [name, String(value)]));
const refusing = (code: "unavailable" | "validation_failed") => async () => {
  throw new Problem(code, "no", { errors: [fault("/identifier", "too_short", "must have at least 1 character")] });
};

test("the privacy page asks whom to erase, says that a name takes only donations without an identifier, and shows the retention", async () => {
  const { html } = await withPrivacy({ retention: async () => 365 }).get("/studio/privacy");
  for (const part of ["Only donations without an identifier", "Kept for 365 days", 'value="365"', "Nobody has been erased"])
    expect(html).toContain(part);
  expect(html).toMatch(/id="by-identifier"[^>]* checked/);
  expect((await openStudio().get("/studio/privacy")).html).toContain("Off: kept for ever");
});

test("the privacy page lists the latest erasures, and links to those that are under way", async () => {
  const list = async () => [erasure({ id: "e2", finishedAt: null, donations: 1_000 }), erasure({ id: "e1" })];
  const { html } = await withPrivacy({ list }).get("/studio/privacy");
  for (const part of ["1,000", "/studio/privacy/erasure?id=e2"]) expect(html).toContain(part);
  expect(html).not.toContain("erasure?id=e1");
});

test("the check of an erasure shows how many donations it takes and from when to when, and erases nothing", async () => {
  const studio = openStudio();
  const { status, html } = await studio.post("/studio/privacy/check", named);
  expect(studio.calls).toEqual([["check", "somchai's id", { identifier: "line:mali" }]]);
  expect(status).toBe(200);
  for (const part of ["line:mali", "Erase 12 donations for good", "1 Nov 2026", "20 Nov 2026", "It can't be undone", "Amounts, times"])
    expect(html.replaceAll("&#39;", "'")).toContain(part);
});

test("the check by name asks for the donations of that name, and says that they are without an identifier", async () => {
  const studio = openStudio();
  const { html } = await studio.post("/studio/privacy/check", { by: "donatorName", who: "มาลี" });
  expect(studio.calls).toEqual([["check", "somchai's id", { donatorName: "มาลี" }]]);
  expect(html).toContain("that have no identifier");
});

test("the check of somebody without donations has no button that erases", async () => {
  const check = async () => foundDonations({ donations: 0, firstAt: null, lastAt: null });
  const { html } = await withPrivacy({ check }).post("/studio/privacy/check", named);
  expect(html).toContain("No donation has this identifier");
  expect(html).not.toContain('action="/studio/privacy/erase"');
});

test("whom the contract refuses is shown again as typed with the fault, and the other form as it is", async () => {
  const check = refusing("validation_failed");
  for (const path of ["/studio/privacy/check", "/studio/privacy/erase"]) {
    const { status, html } = await withPrivacy({ check, retention: async () => 30 }).post(path, { by: "donatorName", who: "<b>" });
    expect(status).toBe(400);
    for (const part of ['href="#field-who"', 'id="field-who-fault"', 'value="&lt;b&gt;"', 'value="30"']) expect(html).toContain(part);
    expect(html).toMatch(/id="by-donatorName"[^>]* checked/);
  }
});

test("what was checked is erased under the id of the form, and the page of the erasure follows", async () => {
  const studio = openStudio();
  const reply = await studio.post("/studio/privacy/erase", decided);
  expect(studio.calls.at(-1)).toEqual(["erase", "somchai's id", { identifier: "line:mali" }, erasureId]);
  expect(reply).toMatchObject({ status: 303, location: `/studio/privacy/erasure?id=${erasureId}&of=12` });
});

test.each([
  ["more donations", foundDonations({ donations: 13 })],
  ["a newer last donation", foundDonations({ lastAt: Date.parse("2026-11-21T00:00:00Z") })],
  ["a later first donation", foundDonations({ firstAt: Date.parse("2026-11-02T00:00:00Z") })],
  ["no donations", foundDonations({ donations: 0, firstAt: null, lastAt: null })],
])("a donator who has %s since the check is not erased: the page shows anew what there is", async (_, found) => {
  const studio = openStudio({ privacy: { check: async () => found } });
  const { status, html } = await studio.post("/studio/privacy/erase", decided);
  expect([status, studio.calls]).toEqual([409, []]);
  expect(html).toContain("the button has erased nothing");
  if (found.donations > 0) expect(html).toContain(`name="donations" value="${found.donations}"`);
});

test("a form without the numbers of a check erases nothing", async () => {
  const studio = openStudio();
  expect((await studio.post("/studio/privacy/erase", named)).status).toBe(409);
  expect(studio.calls.map(([what]) => what)).toEqual(["check"]);
});

test("a form that is sent twice leads to its erasure and begins no other", async () => {
  const studio = withPrivacy({ find: async () => erasure() });
  expect((await studio.post("/studio/privacy/erase", decided)).location).toContain(`erasure?id=${erasureId}`);
  expect(studio.calls).toEqual([]);
});

test("an erasure of locked donations answers 503, says so in words, and offers what is left under another id", async () => {
  const begun = [null, erasure({ finishedAt: null, donations: 0 })];
  const studio = withPrivacy({ erase: refusing("unavailable"), find: async () => begun.shift() ?? null });
  const { status, html } = await studio.post("/studio/privacy/erase", decided);
  expect(status).toBe(503);
  for (const part of ["The server erases the rest by itself", "Erase 12 donations for good"]) expect(html).toContain(part);
  expect(html).not.toContain(erasureId);
});

test("an erasure that has not begun when the server is unavailable does not say that it is continued", async () => {
  const reply = withPrivacy({ erase: refusing("unavailable") }).post("/studio/privacy/erase", decided);
  await expect(reply).rejects.toMatchObject({ code: "unavailable" });
});

test("an erasure under way shows how far it is and is loaded again; a finished one is not", async () => {
  const find = async () => erasure({ finishedAt: null, donations: 1_000 });
  const running = await withPrivacy({ find }).get(`/studio/privacy/erasure?id=${erasureId}&of=2300`);
  expect(running).toMatchObject({ status: 200, refresh: 2 });
  expect(running.html).toContain("1,000 of 2,300");
  const done = await withPrivacy({ find: async () => erasure() }).get(`/studio/privacy/erasure?id=${erasureId}&of=x`);
  expect(done).not.toHaveProperty("refresh");
  expect(done.html).toContain("The donator is erased");
});

test("an erasure that is not the streamer's own leads back to the privacy page", async () => {
  expect((await openStudio().get("/studio/privacy/erasure?id=x")).location).toBe("/studio/privacy?note=no-erasure");
});

test("a name that looks like markup is escaped in the check of an erasure", async () => {
  const { html } = await openStudio().post("/studio/privacy/check", { by: "donatorName", who: `"><script>alert(1)</script>` });
  expect(html).not.toContain("<script>alert");
});
