import { pino } from "pino";
import { expect, test } from "vitest";
import { readableLine } from "./readable-lines.ts";

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
