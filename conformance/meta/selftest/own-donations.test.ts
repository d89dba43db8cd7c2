// What becomes of what a run records and changes on a server of someone else: its donations are void at its end, and settings that a streamer has changed
// since are not overwritten, neither after a crash nor after a rule.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { beginJournal, note } from "../../suite/client/protection/own.ts";
import { digestOfKey, journalOf, restoreAll } from "../../suite/command/protect.ts";
import { scopes } from "../../suite/contract/contract.ts";
import { type Target, useTarget } from "../../suite/values/target.ts";
import { type Answer, always, conformance, isSound, type Outcome, parsed, secret, serving, sound } from "./command.ts";

const words = ["--profile", "interface", "--depth", "quick", "--seed", "1", "--only", "/^interface.skip-alert$/"];

/** A server that answers each donation with an id, and a request to void one with this status, or with that of its id. */
async function recordingServer(voidStatus: number, ofIds: Record<string, number> = {}) {
  const recorded: string[] = [];
  const voided: unknown[] = [];
  const url = await serving((request, response, body) => {
    const [, id] = /^\/api\/v1\/donations\/(.+)\/void$/.exec(request.url ?? "") ?? [];
    if (id !== undefined) {
      voided.push([id, JSON.parse(body)]);
      return always(ofIds[id] ?? voidStatus)(request, response, body);
    }
    if (request.url !== "/api/v1/donations") return always(404)(request, response, body);
    if (!isSound(request, body)) return always(400)(request, response, body);
    recorded.push(`d-${recorded.length}`);
    always(201, JSON.stringify({ data: { id: recorded.at(-1) } }))(request, response, body);
  });
  return { url, recorded, voided };
}

function temporaryState(): string {
  const state = mkdtempSync(join(tmpdir(), "namjai-selftest-state-"));
  onTestFinished(() => rmSync(state, { recursive: true }));
  return state;
}

test("what a run has recorded is void at its end, with the reason test, and the run says how much", async () => {
  const { url, recorded, voided } = await recordingServer(200);
  const { output } = await conformance(["--url", url, ...words]);
  expect(recorded.length).toBeGreaterThan(2);
  expect(new Set(voided)).toEqual(new Set(recorded.map((id) => [id, { reason: "test" }])));
  expect(output).toContain(`${recorded.length} donations of this run (main) are void now, with the reason test`);
});

test("donations that an earlier run had no time to void are void after the preparation of the next one", async () => {
  const { url, voided } = await recordingServer(200);
  const state = temporaryState();
  const journal = journalOf(state, url, digestOfKey(secret));
  beginJournal(journal, { found: null, startedAt: "2026-01-02T03:04:05.000Z", host: "elsewhere", pid: process.pid });
  note(journal, { made: ["left-1", "left-2"].map((id) => `/api/v1/donations/${id}`) });
  const { output } = await conformance(["--url", url, "--state", state, ...words]);
  expect(voided.slice(0, 2)).toEqual(["left-1", "left-2"].map((id) => [id, { reason: "test" }]));
  expect(output).toContain("2 donations of an earlier run (main) are void now, with the reason test");
  expect(output).not.toContain("was interrupted");
});

test("donations that a run has no time to void are named at its end, stay in its journal, and are void after the next time", async () => {
  const { url, voided } = await recordingServer(200);
  useTarget({ url, keys: { main: secret }, limits: { request: 10, rule: 60 }, requests: null } as Target);
  const journal = join(temporaryState(), "journal.ndjson");
  beginJournal(journal, { found: null, startedAt: "2026-01-02T03:04:05.000Z", host: "elsewhere", pid: process.pid });
  note(journal, { made: ["d-1", "d-2"].map((id) => `/api/v1/donations/${id}`) });
  const streamer = { holder: "main", key: secret, journal, found: null, refusal: null } as const;
  expect(await restoreAll([streamer], 0)).toEqual({
    failures: [],
    notes: ["2 donations of this run (main) stay on the server: there was no time to void more, and the next run goes on"],
  });
  expect(voided).toEqual([]);
  expect((await restoreAll([streamer])).notes).toEqual(["2 donations of this run (main) are void now, with the reason test"]);
  expect(voided).toHaveLength(2);
  expect(existsSync(journal)).toBe(false);
});

test("where the server refuses to void a donation, the run says how many stay and why, and asks no further", async () => {
  const { url, recorded, voided } = await recordingServer(403);
  const { output } = await conformance(["--url", url, ...words]);
  expect(voided.length).toBeLessThan(recorded.length);
  expect(output).toContain(
    `${recorded.length} donations of this run (main) stay on the server: the server answers 403 to POST /api/v1/donations/d-`,
  );
});

test("one donation that the server refuses to void keeps no other from being void, now or after the next run", async () => {
  const { url } = await recordingServer(200, { "d-9": 404 });
  useTarget({ url, keys: { main: secret }, limits: { request: 10, rule: 60 }, requests: null } as Target);
  const journal = join(temporaryState(), "journal.ndjson");
  beginJournal(journal, { found: null, startedAt: "2026-01-02T03:04:05.000Z", host: "elsewhere", pid: process.pid });
  note(journal, { made: Array.from({ length: 10 }, (_, index) => `/api/v1/donations/d-${index}`) });
  const streamer = { holder: "main", key: secret, journal, found: null, refusal: null } as const;
  expect((await restoreAll([streamer])).notes).toEqual([
    "9 donations of this run (main) are void now, with the reason test",
    "1 donation of this run (main) stays on the server: the server answers 404 to POST /api/v1/donations/d-9/void",
  ]);
});

test("where no answer names an id, the run says how many donations stay", async () => {
  let recorded = 0;
  const url = await serving((request, response, body) => {
    if (request.url !== "/api/v1/donations") return always(404)(request, response, body);
    recorded += Number(isSound(request, body));
    always(isSound(request, body) ? 202 : 400, "{}")(request, response, body);
  });
  const { output } = await conformance(["--url", url, ...words]);
  expect(recorded).toBeGreaterThan(2);
  expect(output).toContain(`${recorded} donations of this run (main) stay on the server: no answer named the id of its donation`);
});

test("a run whose every donation is void says of none that it stays, and counts no other answer as a donation", async () => {
  const url = await serving((request, response, body) => {
    if (request.url === "/api/v1/me") return always(200, JSON.stringify({ data: { scopes } }))(request, response, body);
    if (request.url?.endsWith("/void")) return always(200)(request, response, body);
    always(isSound(request, body) ? 201 : 400, JSON.stringify({ data: { id: "a" } }))(request, response, body);
  });
  const { output } = await conformance(["--url", url, "--depth", "quick", "--only", "skipAlert true is accepted"]);
  expect(output).toContain("1 donation of this run (main) is void now, with the reason test");
  expect(output).not.toContain("on the server:");
});

type Streamer = { volume: number; patches: unknown[] };

/** Answers settings with the volume alone, and an empty queue. `onPatch`: after the suite has written. */
const settingsServer =
  (streamer: Streamer, onPatch = (): void => {}): Answer =>
  (request, response, body) => {
    const answer = (data: unknown): void => always(200, JSON.stringify({ data }))(request, response, body);
    const { method = "", url = "" } = request;
    if (url.startsWith("/api/v1/donations?")) return always(request.headers.authorization ? 200 : 401)(request, response, body);
    if (url === "/api/v1/alerts") return answer({ paused: false, connected: false, playing: null, waiting: [], waitingCount: 0 });
    if (url !== "/api/v1/alerts/settings") return sound(request, response, body);
    if (method === "PATCH") streamer.patches.push(parsed(body));
    if (method === "PATCH") streamer.volume = Number(parsed(body).volume ?? streamer.volume);
    answer({ volume: streamer.volume });
    if (method === "PATCH") onPatch();
  };

/** Runs against a server whose volume was 33 before an interrupted run, which set it to 50, and is `volume` now. */
async function runAfterCrash(volume: number, words: readonly string[] = []): Promise<Outcome & { streamer: Streamer }> {
  const streamer: Streamer = { volume, patches: [] };
  const url = await serving(settingsServer(streamer));
  const state = temporaryState();
  const journal = journalOf(state, url, digestOfKey(secret));
  const found = { settings: { volume: 33 }, paused: false, hidden: false };
  beginJournal(journal, { found, startedAt: "2026-01-02T03:04:05.000Z", host: "elsewhere", pid: process.pid });
  note(journal, { wrote: { volume: 50 } });
  const given = ["--url", url, "--depth", "quick", "--only", "amount 0 is refused", "--state", state, ...words];
  return { ...(await conformance(given)), streamer };
}

test("settings that an interrupted run has left are put back by the next run", async () => {
  const { output, streamer } = await runAfterCrash(50);
  expect(output).toContain("a run that started at 2026-01-02T03:04:05.000Z was interrupted (main): settings, pause and queue are put back");
  expect(streamer).toEqual({ volume: 33, patches: [{ volume: 33 }] });
});

test("settings that the streamer has changed since a run was interrupted are not overwritten, and the next run says how to go on", async () => {
  const { code, output, streamer } = await runAfterCrash(40);
  expect(output).toMatch(/2026-01-02T03:04:05.000Z .*not put back: volume is 40 now, which the suite has not written; it was 33 before/);
  expect(output).toMatch(/then delete \S+\.ndjson and run again/);
  expect([code, streamer]).toEqual([2, { volume: 40, patches: [] }]);
});

test("a run with --read-only warns that settings of an interrupted run are still to be put back", async () => {
  const { output, streamer } = await runAfterCrash(50, ["--read-only"]);
  expect(output).toMatch(/WARNING: a run that started at 2026-01-02T03:04:05.000Z was interrupted \(main\): .* still to be put back/);
  expect(streamer.patches).toEqual([]);
});

test("settings that the streamer changes during a run are not overwritten, neither after the rule nor by the next one", async () => {
  const streamer: Streamer = { volume: 33, patches: [] };
  const change = (): void => {
    streamer.volume = 77;
  };
  const url = await serving(settingsServer(streamer, change));
  const { code, output } = await conformance(["--url", url, "--only", "/^alerts.update-alert-settings$/", "--seed", "7"]);
  expect(output).toMatch(
    /not put back on the server \(main\): volume is 77 now, which the suite has not written; it was 33 before the run/,
  );
  expect(output).toContain("somebody else changes the settings during the run");
  expect([code, streamer.volume]).toEqual([1, 77]);
}, 120_000);
