// What a request may change on a server, which is read from the request alone, and which alerts of the queue a run that is killed has left: those whose
// requests it has not seen answered.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { adoptUnanswered } from "../../suite/client/protection/guard.ts";
import { announce, noteAnswer, notedIn, type Sending } from "../../suite/client/protection/own.ts";
import { effectOf, isHarmless } from "../../suite/contract/http-request.ts";
import { type Target, useTarget } from "../../suite/values/target.ts";

const donations = "/api/v1/donations";

const alert = { donationId: "a", donatorName: "Mali", amount: 20.5, currency: "THB", message: "hi", source: "external" };

let journal = "";

beforeEach(() => {
  useTarget({ keys: { main: "key" } } as Target);
  const folder = mkdtempSync(join(tmpdir(), "namjai-own-alerts-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  journal = join(folder, "journal");
});

const sent = (body: unknown, path = donations): Sending => announce(journal, { method: "POST", path, body: JSON.stringify(body) });

const idOf = (path: string): string => path.slice(donations.length + 1);

/** Ids of these alerts that are taken for the suite's own. `records`: what is read of a donation. */
async function own(alerts: readonly Record<string, unknown>[], records: Record<string, Record<string, unknown>> = {}): Promise<string[]> {
  await adoptUnanswered(journal, alerts, async (path) => records[idOf(path)] ?? {});
  return [...notedIn(journal).made].map(idOf);
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
  noteAnswer(journal, sent({ donatorName, amount, message }), { status: 503, body: {} });
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
  noteAnswer(journal, sent({ donatorName, amount, message }), { status: 400, body: {} });
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
  announce(journal, { method: "POST", path: donations, body: "{" });
  sent([alert]);
  sent({ message });
  expect(await own([alert])).toEqual([]);
});

test("a donation that was recorded without an alert and then replayed is in the file for the next run, and to be voided once", () => {
  noteAnswer(journal, sent({ donatorName, amount, skipAlert: true }), { status: 201, body: { data: { id: "a" } } });
  noteAnswer(journal, sent(undefined, `${donations}/a/replay`), { status: 201, body: { data: { donationId: "a" } } });
  const { made, unanswered } = notedIn(journal);
  expect([[...made], unanswered.size]).toEqual([[`${donations}/a`], 0]);
});

test("a donation that a tool call records is the suite's own, and voided at the end", () => {
  const structuredContent = { data: { id: "a", amount, createdAt: "2026-10-02T00:00:00Z" } };
  noteAnswer(journal, sent(call("create_donation", { donatorName, amount }), "/mcp"), {
    status: 200,
    body: { result: { structuredContent } },
  });
  expect([...notedIn(journal).made]).toEqual([`${donations}/a`]);
});

test("the donations of an import as NDJSON are the suite's own, also where its answer is a single line", () => {
  const lines = ["a", "b", "c"].map((donationId) => `${JSON.stringify({ index: 0, status: 201, donationId, problem: null })}\n`);
  const answered = (text: string, body?: unknown) =>
    noteAnswer(journal, sent(undefined, `${donations}/batch`), { status: 200, text, body });
  answered(lines.slice(0, 2).join(""));
  answered(lines[2] ?? "", JSON.parse(lines[2] ?? ""));
  expect([...notedIn(journal).made]).toEqual(["a", "b", "c"].map((id) => `${donations}/${id}`));
});

const toolCall = (name: string, given: object): string =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } });

test.each([
  ["GET", "/api/v1/donations?limit=1", undefined, "nothing"],
  ["GET", "/api/v1/alerts/settings", undefined, "nothing"],
  ["POST", "/api/v1/donations", '{"amount":1,"skipAlert":true}', "donation"],
  ["POST", "/api/v1/donations", '{"amount":1}', "alert"],
  ["POST", "/api/v1/donations", '{"amount":1,"skipAlert":"true"}', "alert"],
  ["POST", "/api/v1/donations", "{", "alert"],
  ["POST", "/api/v1/donations/x/replay", undefined, "alert"],
  ["PATCH", "/api/v1/alerts/settings", "{}", "settings"],
  ["POST", "/studio/settings", "volume=80", "form"],
  ["POST", "/api/v1/alerts/clear", undefined, "queue"],
  ["POST", "/api/v1//alerts/%63lear", undefined, "queue"],
  ["DELETE", "/api/v1/Alerts", undefined, "queue"],
  ["GET", "/api/v1/overlay/stream?player=a", undefined, "nothing"],
  ["GET", "/api/v1/overlay/stream?player=a&plays=true", undefined, "queue"],
  ["GET", "/api/v1/overlay/stream?player=a&plays=1", undefined, "queue"],
  ["POST", "/api/v1/webhooks", "{}", "webhook"],
  ["GET", "/api/v1/webhooks", undefined, "nothing"],
  ["POST", "/api/v1/alert-files?name=a.wav", "RIFF", "object"],
  ["DELETE", "/api/v1/alert-files/x", undefined, "object"],
  ["POST", "/oauth/token", "grant_type=refresh_token", "credential"],
  ["POST", "/mcp", toolCall("get_alert_queue", {}), "nothing"],
  ["POST", "/mcp", toolCall("skip_alert", {}), "queue"],
  ["POST", "/mcp", toolCall("create_donation", { amount: 1 }), "alert"],
  ["POST", "/mcp", toolCall("create_donation", { amount: 1, skipAlert: true }), "donation"],
] as const)("%s %s %s changes: %s", (method, path, body, effect) =>
  expect(effectOf({ method, path, ...(body === undefined ? {} : { body }) })).toBe(effect),
);

test.each([
  ["GET", "/api/v1/donations", true],
  ["HEAD", "/api/v1/donations", true],
  ["GET", "/oauth/authorize?client_id=a", false],
  ["GET", "/api/v1/overlay/stream?player=a&plays=true", false],
  ["POST", "/mcp", false],
  ["DELETE", "/api/v1/donations", false],
  ["GETX", "/api/v1/donations", false],
] as const)("whether %s %s is harmless: %s", (method, path, harmless) => expect(isHarmless({ method, path })).toBe(harmless));
