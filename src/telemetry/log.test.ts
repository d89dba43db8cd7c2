import { pino } from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readableLine, throttleLines } from "./log.ts";

function lineOf(write: (log: pino.Logger) => void): string {
  let line = "";
  write(pino({ base: null }, { write: (json) => void (line = readableLine(json)) }));
  return line;
}

test("a line for a terminal has the clock, the level, the message and the members", () => {
  const line = lineOf((log) => log.info({ port: 8080, place: "/tmp/a", list: [1, 2], text: "two words" }, "started"));
  expect(line).toMatch(/^\d\d:\d\d:\d\d info {2}started port=8080 place=\/tmp\/a list=\[1,2\] text="two words"\n$/);
});

test("a request's line for a terminal reads as a request", () => {
  const line = lineOf((log) => log.info({ requestId: "r-1", method: "GET", path: "/api/v1/donations/{donationId}", status: 200, ms: 0.4 }));
  expect(line).toMatch(/ info {2}GET \/api\/v1\/donations\/\{donationId\} 200 0\.4 ms requestId=r-1\n$/);
});

test("an error's stack stands on lines of its own", () => {
  const line = lineOf((log) => log.error({ err: new Error("no space left") }, "could not write"));
  expect(line).toMatch(/error\u001b\[0m could not write\nError: no space left\n {4}at /);
});

test("nothing that a line quotes reaches the terminal as a control character", () => {
  const sent = "\u001b[2J\u009b2J\u0007";
  const line = lineOf((log) => log.info({ sent, err: new Error(sent), path: sent, method: sent, status: 1 }, sent));
  expect(line.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
});

let written: Record<string, unknown>[];
const open = () => {
  const throttle = throttleLines();
  const log = pino({ base: null, hooks: { logMethod: throttle.logMethod } }, { write: (line) => void written.push(JSON.parse(line)) });
  return { log, throttle };
};
const times = (count: number, work: (index: number) => void) => Array.from({ length: count }, (_, index) => work(index));

beforeEach(() => {
  vi.useFakeTimers();
  written = [];
});
afterEach(() => void vi.useRealTimers());

test("a thousand equal lines at level error become ten, and one after ten seconds that has the last of them and counts the others", () => {
  const { log } = open();
  const child = log.child({ worker: 2 });
  times(1_000, (index) => child.error({ requestId: index, error: { code: "53100" } }, "request failed"));
  expect(written).toHaveLength(10);
  vi.advanceTimersByTime(10_000);
  expect(written).toHaveLength(11);
  expect(written.at(-1)).toMatchObject({ level: 50, worker: 2, requestId: 999, suppressed: 989, msg: "request failed" });
  times(3, () => child.error({ error: { code: "53100" } }, "request failed"));
  expect(written).toHaveLength(14);
  vi.advanceTimersByTime(20_000);
  expect(written).toHaveLength(14);
});

test("lines of level info, and lines that differ in message, error code, path, status or level, are not counted together", () => {
  const { log } = open();
  times(50, () => log.info({ path: "/api/v1/me" }, "served"));
  expect(written).toHaveLength(50);
  written = [];
  times(10, () => {
    log.warn("away");
    log.warn("back");
    log.error("away");
    log.error({ error: { code: "53100" } }, "away");
    log.error({ error: { name: "TypeError" } }, "away");
    log.error({ path: "/a", status: 500 }, "away");
    log.error({ path: "/b", status: 500 }, "away");
    log.error({ path: "/b", status: 503 }, "away");
  });
  expect(written).toHaveLength(80);
});

test("lines without members are counted as well, and flush writes what is held back at once", () => {
  const { log, throttle } = open();
  times(12, () => log.warn("away"));
  throttle.flush();
  expect(written.slice(10)).toEqual([expect.objectContaining({ suppressed: 1, msg: "away" })]);
  vi.advanceTimersByTime(20_000);
  expect(written).toHaveLength(11);
});
