// The audit log of the whole application: which operation of the contract writes which line, in whose name.

import { randomBytes } from "node:crypto";
import { beforeAll, expect, test, vi } from "vitest";
import { png } from "./alerts/media/testing-files.ts";
import type { AuditAction } from "./audit/audit-log.ts";
import { verifyChains } from "./audit/chains.ts";
import { auditLines } from "./audit/testing.ts";
import { overlayKeyStore } from "./auth/overlay-keys.ts";
import { newId } from "./db/ids.ts";
import { useDatabase } from "./db/testing.ts";
import { loadContract } from "./http/contract/contract.ts";
import { unauditedOperations } from "./http/guards.ts";
import type { OperationId } from "./http/operations.ts";
import { openTestApp, type TestApp } from "./testing-app.ts";

vi.setConfig({ testTimeout: 60_000 });

let app: TestApp;
let keyId: string;

const database = useDatabase();
beforeAll(async () => {
  app = await openTestApp(database);
  keyId = (await database.knex("api_keys").first("id")).id;
  return app.close;
});

const person = { donatorName: "Żaneta Qwixworthy", message: "zyzzyva jkqx", identifier: "line:U9f3Qwix77" };
const donate = async (members: object = {}) =>
  (await app.send("POST /donations", { amount: 20, currency: "THB", ...person, ...members })).body.data.id as string;
const webhook = async () =>
  (await app.send("POST /webhooks", { url: "http://127.0.0.1:9/hook", types: ["donation.created"] })).body.data.id as string;
/** An alert that waits for approval; a task of the server holds it. */
const held = async () => {
  await app.send("PATCH /alerts/settings", { approval: "all" });
  const id = await donate();
  await vi.waitFor(async () => expect(await statusOf(id)).toBe("held"), 20_000);
  return id;
};
const statusOf = async (id: string) => (await database.knex("alerts").where({ donation_id: id }).first("status")).status;
const file = async () => {
  const id = randomBytes(32).toString("base64url");
  const bytes = Buffer.from("x");
  await database.knex("alert_files").insert({ id, streamer_id: app.streamerId, kind: "sound", mime: "audio/wav", name: "a", bytes });
  return id;
};

const upload = () =>
  fetch(`${app.url}/api/v1/alert-files?name=a.png`, {
    method: "POST",
    headers: { Authorization: `Bearer ${app.key}`, "Content-Type": "image/png" },
    body: png(),
  });

/** Skips the alert that a page plays. */
async function skipPlaying() {
  await app.send("PATCH /alerts/settings", { approval: "off" });
  const key = await overlayKeyStore(database.knex, app.config.brand).create(app.streamerId, "OBS");
  const leaving = new AbortController();
  const headers = { Authorization: `Bearer ${key}` };
  await fetch(`${app.url}/api/v1/overlay/stream?player=${newId()}&plays=true`, { headers, signal: leaving.signal });
  await donate();
  await vi.waitFor(async () => expect((await app.send("POST /alerts/skip")).status).toBe(200), 20_000);
  leaving.abort();
}

/** Makes a page lead that is connected. */
async function lead() {
  const key = await overlayKeyStore(database.knex, app.config.brand).create(app.streamerId, "OBS 2");
  const leaving = new AbortController();
  const headers = { Authorization: `Bearer ${key}` };
  await fetch(`${app.url}/api/v1/overlay/stream?player=${newId()}&plays=true`, { headers, signal: leaving.signal });
  const { overlays } = (await app.send("GET /alerts")).body.data as unknown as { overlays: { id: string }[] };
  await app.send(`POST /alerts/overlays/${overlays[0]?.id}/lead`);
  leaving.abort();
}

/** Ends the timer that runs, if there is one. */
async function startTimer() {
  await app.send("POST /timer/end");
  await app.send("POST /timer/start", { seconds: 3_600 });
}

type Case = readonly [call: () => Promise<unknown>, lines: readonly AuditAction[]];
type Reading = `${"get" | "list" | "search" | "export" | "stream"}${string}` | "authorize";
type Audited = Exclude<OperationId, Reading | keyof typeof unauditedOperations | (typeof ofOAuth)[number]>;

/** Their lines need a client and a grant, or are of no streamer: src/oauth/audit.test.ts, src/oauth/clients/register-client.test.ts. */
const ofOAuth = ["issueToken", "revokeToken", "registerClient"] as const;

/** By operation: a call that changes something, and the lines that it writes. One that leaves none stands in unauditedOperations. */
const recorded: Readonly<Record<Audited, Case>> = {
  importDonations: [
    () => app.send("POST /donations/batch", { donations: [{ amount: 1, currency: "THB", ...person }] }),
    ["import.started"],
  ],
  voidDonation: [
    async () => app.send(`POST /donations/${await donate()}/void`, { reason: "refund", note: "zyzzyva" }),
    ["donation.voided"],
  ],
  eraseDonator: [
    async () => donate().then(() => app.send("POST /donators/erase", { identifier: person.identifier })),
    ["erasure.began", "erasure.finished"],
  ],
  updateAlertSettings: [() => app.send("PATCH /alerts/settings", { minimumAmount: 5 }), ["alert_settings.changed"]],
  pauseAlerts: [() => app.send("POST /alerts/pause"), ["alerts.paused"]],
  resumeAlerts: [() => app.send("POST /alerts/resume"), ["alerts.resumed"]],
  hideAlerts: [() => app.send("POST /alerts/hide"), ["alerts.hidden"]],
  unhideAlerts: [() => app.send("POST /alerts/unhide"), ["alerts.unhidden"]],
  approveAlert: [async () => app.send(`POST /alerts/${await held()}/approve`), ["alert_settings.changed", "alert.approved"]],
  maskAlert: [async () => app.send(`POST /alerts/${await held()}/mask`), ["alert_settings.changed", "alert.masked"]],
  denyAlert: [async () => app.send(`POST /alerts/${await held()}/deny`), ["alert_settings.changed", "alert.denied"]],
  clearAlerts: [() => app.send("POST /alerts/clear"), ["alerts.cleared"]],
  skipAlert: [skipPlaying, ["alert_settings.changed", "overlay_key.created", "alert.skipped"]],
  skipOneAlert: [async () => app.send(`POST /alerts/${await donate()}/skip`), ["alert.skipped"]],
  leadOverlay: [lead, ["overlay_key.created", "overlay.chosen"]],
  playAlertNext: [async () => app.send(`POST /alerts/${await donate()}/next`), ["alert.put_next"]],
  replayAlert: [async () => app.send(`POST /donations/${await donate({ skipAlert: true })}/replay`), ["alert.replayed"]],
  uploadAlertFile: [upload, ["alert_file.added"]],
  deleteAlertFile: [async () => app.send(`DELETE /alert-files/${await file()}`), ["alert_file.removed"]],
  startTimer: [startTimer, ["timer.started"]],
  pauseTimer: [() => startTimer().then(() => app.send("POST /timer/pause")), ["timer.ended", "timer.started", "timer.paused"]],
  resumeTimer: [() => app.send("POST /timer/resume"), ["timer.resumed"]],
  adjustTimer: [() => app.send("POST /timer/adjust", { seconds: 60 }), ["timer.adjusted"]],
  updateTimerRules: [() => app.send("PATCH /timer/rules", { countTests: true }), ["timer_rules.changed"]],
  endTimer: [() => app.send("POST /timer/end"), ["timer.ended"]],
  createWebhook: [webhook, ["webhook.created"]],
  updateWebhook: [async () => app.send(`PATCH /webhooks/${await webhook()}`, { enabled: false }), ["webhook.created", "webhook.changed"]],
  rotateWebhookSecret: [
    async () => app.send(`POST /webhooks/${await webhook()}/rotate-secret`),
    ["webhook.created", "webhook.secret_rotated"],
  ],
  deleteWebhook: [async () => app.send(`DELETE /webhooks/${await webhook()}`), ["webhook.created", "webhook.removed"]],
};

test("every operation that changes something writes into the audit log, or its exception has a reason", async () => {
  const { operations } = await loadContract();
  const writing = operations.filter(({ method }) => method !== "GET").map(({ id }) => id);
  expect(writing.filter((id) => !(id in unauditedOperations)).sort()).toEqual([...Object.keys(recorded), ...ofOAuth].sort());
  expect(Object.keys(unauditedOperations).filter((id) => !writing.includes(id as OperationId))).toEqual([]);
});

test.each(Object.entries(recorded))("%s writes its lines in the name of the key, with address and request", async (_, [call, lines]) => {
  const before = (await auditLines(database.knex, app.streamerId)).length;
  await call();
  const written = (await auditLines(database.knex, app.streamerId)).slice(before);
  expect(written.map(({ action }) => action)).toEqual(lines);
  const { actor } = written.at(-1) ?? {};
  expect(actor).toMatchObject({ kind: "api_key", id: keyId, streamer: app.streamerId, from: "127.0.0.1", request: expect.any(String) });
});

test("recording a donation writes no line", async () => {
  const before = (await auditLines(database.knex)).length;
  await donate();
  expect(await auditLines(database.knex)).toHaveLength(before);
});

test("nothing that a donator wrote stands in the log, and its chains are whole", async () => {
  const text = JSON.stringify(await auditLines(database.knex));
  expect(text).not.toMatch(/Qwixworthy|zyzzyva|Qwix77/);
  expect((await verifyChains(database.knex)).broken).toEqual([]);
});

test("a tool of an AI assistant writes its line with the endpoint", async () => {
  const id = await donate();
  const call = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "void_donation", arguments: { donationId: id, reason: "refund" } },
  };
  const headers = { Authorization: `Bearer ${app.key}`, "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  const answer = await fetch(`${app.url}/mcp`, { method: "POST", headers, body: JSON.stringify(call) });
  expect(answer.status).toBe(200);
  expect((await auditLines(database.knex, app.streamerId)).at(-1)).toMatchObject({
    action: "donation.voided",
    target: id,
    actor: { kind: "api_key", id: keyId, via: "/mcp", from: "127.0.0.1" },
  });
});
