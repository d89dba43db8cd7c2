// A run that is killed leaves alerts whose requests it has not seen answered: which alerts of the queue are they?

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";

import { adoptUnanswered, noteOwnDonation, noteSentAlert, ownDonations } from "../../suite/client/protection/own-alerts.ts";

const donations = "/api/v1/donations";
const alert = { donationId: "a", donatorName: "Mali", amount: 20.5, currency: "THB", message: "hi", source: "external" };

let ownAlerts = "";
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "namjai-own-alerts-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  ownAlerts = join(folder, "alerts");
});

const sent = (body: unknown, path = donations): string | null =>
  noteSentAlert({ ownAlerts }, "alert", { path, body: JSON.stringify(body) });

/** Ids of these alerts that are taken for the suite's own. `records`: what is read of a donation. */
async function own(alerts: readonly Record<string, unknown>[], records: Record<string, Record<string, unknown>> = {}): Promise<string[]> {
  await adoptUnanswered({ ownAlerts }, alerts, async (id) => records[id] ?? {});
  return [...ownDonations({ ownAlerts })];
}

const call = (name: string, members: object) => ({ jsonrpc: "2.0", method: "tools/call", params: { name, arguments: members } });
const { donatorName, amount, message } = alert;

test.each([
  ["a donation", { donatorName, amount, message }, donations],
  ["a donation without a message", { donatorName, amount }, donations],
  ["a donation by a tool call", call("create_donation", { donatorName, amount, message }), "/mcp"],
  ["a replay", undefined, `${donations}/a/replay`],
  ["a replay by a tool call", call("replay_alert", { donationId: "a" }), "/mcp"],
])("the alert of an unanswered request is the suite's own after %s", async (_, body, path) => {
  sent(body, path);
  expect(await own([alert])).toEqual(["a"]);
});

test("the alert of an unanswered request is the suite's own after a test alert, which may leave out its members", async () => {
  sent({}, "/api/v1/alerts/test");
  expect(await own([{ ...alert, source: "test" }])).toEqual(["a"]);
});

test("the alert of a request is the suite's own where the answer was 503, which does not say whether the donation was recorded", async () => {
  const token = sent({ donatorName, amount, message });
  noteOwnDonation({ ownAlerts }, { effect: "alert", token }, { status: 503, body: {} });
  expect(await own([alert])).toEqual(["a"]);
});

test("the alert of an unanswered request is the suite's own also where the queue shows it masked", async () => {
  sent({ donatorName, amount, message });
  expect(await own([{ ...alert, donatorName: "", message: "" }], { a: alert })).toEqual(["a"]);
});

test.each([
  ["another name", { ...alert, donatorName: "Ploy" }],
  ["another amount", { ...alert, amount: 20.51 }],
  ["another message", { ...alert, message: "" }],
])("an alert with %s than the unanswered request is not the suite's own", async (_, other) => {
  sent({ donatorName, amount, message });
  expect(await own([other])).toEqual([]);
});

test("an alert like a request that was refused is not the suite's own", async () => {
  const token = sent({ donatorName, amount, message });
  noteOwnDonation({ ownAlerts }, { effect: "alert", token }, { status: 400, body: {} });
  expect(await own([alert])).toEqual([]);
});

test("an alert like an unanswered request that has raised another one already is not the suite's own", async () => {
  sent({ donatorName, amount, message });
  expect(await own([alert, { ...alert, donationId: "b" }])).toEqual(["a"]);
});

test("an alert that is no test is not the suite's own after an unanswered test alert", async () => {
  sent({}, "/api/v1/alerts/test");
  expect(await own([alert])).toEqual([]);
});

test("an alert is not the suite's own after a body that no donation can have", async () => {
  noteSentAlert({ ownAlerts }, "alert", { path: donations, body: "{" });
  sent([alert]);
  sent({ message });
  expect(await own([alert])).toEqual([]);
});

test("a donation that was recorded without an alert and then replayed is in the file for the next run", () => {
  const reply = { status: 201, body: { data: { id: "a" } } };
  noteOwnDonation({ ownAlerts }, { effect: "donation", token: null }, reply);
  noteOwnDonation({ ownAlerts }, { effect: "alert", token: sent(undefined, `${donations}/a/replay`) }, { ...reply, status: 202 });
  expect(readFileSync(ownAlerts, "utf8").split("\n")).toContain("a");
});
