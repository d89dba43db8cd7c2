import { expect, test } from "vitest";
import { Problem } from "../../http/problem.ts";
import { openStudio } from "../testing.ts";
import { fault } from "../testing-examples.ts";

const withRetention = (days: number | null) => openStudio({ privacy: { retention: async () => days } });
const path = "/studio/privacy/retention";

test.each([
  ["turned on", null, "30"],
  ["shortened", 365, "๓๐"],
])(
  "retention that is %s asks for a confirmation with the number of donations that the next run erases, and changes nothing",
  async (_, present, days) => {
    const studio = withRetention(present);
    const { status, html } = await studio.post(path, { days });
    expect([status, studio.calls]).toEqual([200, []]);
    for (const part of ["Erase donations after 30 days", "40", 'name="days" value="30"', `name="from" value="${present}"`])
      expect(html).toContain(part);
  },
);

test("a confirmed retention is set, and the privacy page says when it runs", async () => {
  const studio = withRetention(365);
  expect(await studio.post(path, { days: "30", from: "365" })).toMatchObject({ location: "/studio/privacy?note=retention-on" });
  expect(studio.calls).toEqual([["setRetention", "somchai's id", 30]]);
  expect((await studio.get("/studio/privacy?note=retention-on")).html).toContain("within an hour");
});

test("a confirmation of another present setting is asked for anew and changes nothing", async () => {
  const studio = withRetention(90);
  const { status, html } = await studio.post(path, { days: "30", from: "null" });
  expect([status, studio.calls]).toEqual([409, []]);
  expect(html).toContain("nothing has been saved");
});

test("a confirmation that is sent twice leads to the same page", async () => {
  expect(await withRetention(30).post(path, { days: "30", from: "null" })).toMatchObject({ location: "/studio/privacy?note=retention-on" });
});

test.each([
  ["longer", "400", 400, "retention-longer"],
  ["off", " ", null, "retention-off"],
])("retention that becomes %s erases less, and is set at once", async (_, days, expected, note) => {
  const studio = withRetention(365);
  expect(await studio.post(path, { days })).toMatchObject({ status: 303, location: `/studio/privacy?note=${note}` });
  expect(studio.calls).toEqual([["setRetention", "somchai's id", expected]]);
});

test.each(["0", "1.5", "36501", "a month"])("retention of %s days is refused, and shown again as typed", async (days) => {
  const refused = async () => {
    throw new Problem("validation_failed", "no", { errors: [fault("/days")] });
  };
  const { status, html } = await openStudio({ privacy: { countAged: refused, setRetention: refused } }).post(path, { days });
  expect(status).toBe(400);
  for (const part of [`value="${days}"`, "whole number from 1 to 36,500", 'href="#field-days"']) expect(html).toContain(part);
});
