import { expect, test } from "vitest";
import { Problem, problemOf, refusal } from "../../http/problem.ts";
import { answer, answerPage, openStudio } from "../testing.ts";
import { donation, fault } from "../testing-examples.ts";

const voided = { at: "2026-11-21T04:00:00.000Z", reason: "chargeback" } as const;

test("a donation of the alerts page links to the page that voids it; a void one says why, without the link and the replay", async () => {
  const { html } = await openStudio({
    answers: { listDonations: answerPage([donation({ id: "d1" }), donation({ id: "d2", voided })]) },
  }).get("/studio");
  expect(html).toContain('href="/studio/void?donation=d1"');
  expect(html).toContain("Void: Chargeback");
  for (const part of ["/studio/void?donation=d2", 'id="replay-d2"']) expect(html).not.toContain(part);
});

test("the note beside a void donation stands in the list of the latest, escaped, and no other donation is asked for its note", async () => {
  const asked: unknown[] = [];
  const listDonations = answerPage([donation({ id: "d1" }), donation({ id: "d2", voided }), donation({ id: "d3", voided })]);
  const voidNotes = async (...request: unknown[]) => {
    asked.push(request);
    return new Map([["d2", "Case <4711>"]]);
  };
  for (const page of ["/studio", "/studio/queue"]) {
    const { html } = await openStudio({ answers: { listDonations }, donations: { voidNotes } }).get(page);
    expect(html.match(/Case &lt;4711&gt;/g)).toHaveLength(1);
  }
  expect(asked).toEqual(Array(2).fill(["somchai's id", ["d2", "d3"]]));
});

test("the page that voids a donation shows whose it is, and asks for a reason of which none is chosen", async () => {
  const { html } = await openStudio().get("/studio/void?donation=d1");
  for (const text of ["Malee", "฿250", "สู้ๆ นะ", "Refunded", "Chargeback", "This can&#39;t be undone"])
    expect(html.replaceAll("'", "&#39;")).toContain(text);
  expect(html.match(/type="radio"/g)).toHaveLength(5);
  expect(html).not.toContain(" checked");
});

test("a name that looks like markup is escaped in the page that voids a donation", async () => {
  const donatorName = `"><script>alert(1)</script>`;
  const { html } = await openStudio({ answers: { getDonation: answer(donation({ donatorName, message: donatorName })) } }).get(
    "/studio/void?donation=d1",
  );
  expect(html).not.toContain("<script>");
});

test("the form voids the donation for the reason, with the note if there is one, and says so", async () => {
  const studio = openStudio();
  const reply = await studio.post("/studio/void", { donation: "d1", reason: "refund", note: "" });
  await studio.post("/studio/void", { donation: "d1", reason: "fraud", note: "Case 7" });
  expect(reply).toMatchObject({ status: 303, location: "/studio?note=voided" });
  expect(studio.calls).toEqual([
    ["voidDonation", "somchai's id", { path: { donationId: "d1" }, body: { reason: "refund" } }],
    ["voidDonation", "somchai's id", { path: { donationId: "d1" }, body: { reason: "fraud", note: "Case 7" } }],
  ]);
  expect((await studio.get("/studio?note=voided")).html).toContain("Donation voided");
});

test("a form without a reason shows the page again with the fault, and what was typed", async () => {
  const refused = async () => {
    throw new Problem("validation_failed", "no", { errors: [fault("/reason", "required", "is required")] });
  };
  const { status, html } = await openStudio({ answers: { voidDonation: refused } }).post("/studio/void", {
    donation: "d1",
    note: "a note",
  });
  expect(status).toBe(400);
  for (const text of ['id="field-reason-fault"', 'href="#field-reason"', 'value="a note"']) expect(html).toContain(text);
});

test.each([
  ["donation_not_found", "no-donation"],
  ["already_voided", "voided-already"],
] as const)("a donation that answers %s leads back with the notice %s", async (code, note) => {
  const refused = async () => {
    throw problemOf(refusal(code, "no"));
  };
  const reply = await openStudio({ answers: { voidDonation: refused } }).post("/studio/void", { donation: "d1", reason: "refund" });
  expect(reply).toMatchObject({ status: 303, location: `/studio?note=${note}` });
});

test("a donation that is void already has no page that voids it", async () => {
  const reply = await openStudio({ answers: { getDonation: answer(donation({ voided })) } }).get("/studio/void?donation=d1");
  expect(reply).toMatchObject({ status: 303, location: "/studio?note=voided-already" });
});
