import { pino } from "pino";
import { afterEach, expect, test } from "vitest";
import type { BatchedReads } from "./batched-reads.ts";
import { onPrimary, readsWithStandby, type StandbyOutcome } from "./exact-reads.ts";
import { silent, until } from "./testing.ts";

const lost = Object.assign(new Error("connection refused"), { code: "ECONNREFUSED" });
const conflict = Object.assign(new Error("conflict with recovery"), { code: "40001" });

/** A server whose counters the test moves, and which the test breaks with `fault`. */
function fakeServer(name: string) {
  const server = {
    reader: name,
    counters: { recorded: 1, receivedAt: 1, alerts: 1 as number | null } as object | null,
    inRecovery: name === "standby",
    fault: null as Error | null,
    reads: (async () => {
      if (server.fault) throw server.fault;
      return server.counters ? [{ ...server.counters, inRecovery: server.inRecovery }] : [];
    }) as unknown as BatchedReads,
    check: async () => {
      if (server.fault) throw server.fault;
      if (!server.inRecovery) throw new Error("not in recovery");
    },
  };
  return server;
}

let stop = async () => {};
afterEach(() => stop());

async function servers(log = silent) {
  const [primary, standby] = [fakeServer("primary"), fakeServer("standby")];
  const outcomes: StandbyOutcome[] = [];
  const opened = readsWithStandby({ primary, standby, log, onRead: (outcome) => outcomes.push(outcome), checkPauseMs: 1 });
  stop = opened.stop;
  const where = () => opened.read("s", async (reader) => reader);
  await until(async () => (await where()) === "standby");
  return { primary, standby, outcomes, read: opened.read, where };
}

test("without a standby everything is read on the primary", async () => {
  expect(await onPrimary("primary")("s", async (reader) => reader)).toBe("primary");
});

test.each([
  ["a donation or an event that was committed", { recorded: 2, receivedAt: 1, alerts: 1 }],
  ["a change of the alert queue that was committed", { recorded: 1, receivedAt: 1, alerts: 2 }],
])("a standby that lacks %s is passed over until it has it", async (_what, counters) => {
  const { primary, standby, where, outcomes } = await servers();
  primary.counters = counters;
  expect([await where(), outcomes.at(-1)]).toEqual(["primary", "behind"]);
  standby.counters = { recorded: 3, receivedAt: 3, alerts: 3 };
  expect([await where(), outcomes.at(-1)]).toEqual(["standby", "standby"]);
});

test("a standby that lacks the streamer is passed over", async () => {
  const { standby, where } = await servers();
  standby.counters = null;
  expect(await where()).toBe("primary");
});

test("a standby without alerts is level with a primary without alerts", async () => {
  const { primary, standby, where } = await servers();
  primary.counters = { recorded: 1, receivedAt: 1, alerts: null };
  standby.counters = { recorded: 1, receivedAt: 1, alerts: null };
  expect(await where()).toBe("standby");
});

test("a standby that fails is left out until a check finds it again, and both are logged once", async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line).msg) });
  const { standby, where, outcomes } = await servers(log);
  standby.fault = lost;
  expect([await where(), await where(), await where()]).toEqual(["primary", "primary", "primary"]);
  expect(outcomes.slice(-3)).toEqual(["failed", "away", "away"]);
  standby.fault = null;
  await until(async () => (await where()) === "standby");
  expect(lines.filter((line) => line.startsWith("the standby"))).toEqual([
    "the standby cannot be used; trying again until it can",
    "the standby is back",
  ]);
});

test("a read that the standby loses or cancels is repeated on the primary", async () => {
  for (const fault of [conflict, lost]) {
    const { read, outcomes } = await servers();
    const answer = read("s", async (reader) => {
      if (reader === "standby") throw fault;
      return reader;
    });
    expect([await answer, outcomes.at(-1)]).toEqual(["primary", "failed"]);
    await stop();
  }
});

test("an error that the primary would answer alike is not repeated there", async () => {
  const { read } = await servers();
  const readers: string[] = [];
  const answer = read("s", async (reader) => {
    readers.push(reader);
    throw new Error("invalid cursor");
  });
  await expect(answer).rejects.toThrow("invalid cursor");
  expect(readers).toEqual(["standby"]);
});

test("a primary that can't be reached is an error, even when the standby has everything", async () => {
  const { primary, where } = await servers();
  primary.fault = lost;
  await expect(where()).rejects.toBe(lost);
});

test("a standby that was promoted while it is connected is left out, even if it has counted further than the primary, until it is a standby again", async () => {
  const { standby, where, outcomes } = await servers();
  Object.assign(standby, { inRecovery: false, counters: { recorded: 9, receivedAt: 9, alerts: 9 } });
  expect([await where(), outcomes.at(-1)]).toEqual(["primary", "failed"]);
  expect([await where(), outcomes.at(-1)]).toEqual(["primary", "away"]);
  standby.inRecovery = true;
  await until(async () => (await where()) === "standby");
});
