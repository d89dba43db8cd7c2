// What the terminal shows while the rules are run.

import { expect, test } from "vitest";

import { progress } from "../../suite/report/terminal.ts";
import { failedRule, knownRule, rule, skippedRule } from "./runs.ts";

const wipe = "\r\x1b[2K";

/** Listens to a run, on a terminal of so many columns or, with null, in a pipe. `written` returns what was written since it was last called. */
function listening(columns: number | null) {
  const texts: string[] = [];
  const out = { isTTY: columns !== null, columns: columns ?? 0, write: (text: string) => texts.push(text) > 0 };
  return { listener: progress(out as Parameters<typeof progress>[0]), written: () => texts.splice(0).join("") };
}

test("on a terminal the last line names the rule files that are running, and how many of their rules are done", () => {
  const { listener, written } = listening(80);
  listener.familyStarts("amount", 2);
  expect(written()).toBe(`${wipe}  … amount`);
  listener.familyStarts("message", 3);
  listener.rule(rule({ family: "amount" }));
  expect(written()).toContain(`${wipe}  … amount 1/2  message 0/3`);
  listener.rule(rule({ family: "message" }));
  expect(written()).toBe(`${wipe}  … amount 1/2  message 1/3`);
});

test("on a terminal a rule file that has ended takes the place of the last line and is named there no more", () => {
  const { listener, written } = listening(80);
  for (const family of ["amount", "message"]) listener.familyStarts(family, 1);
  listener.rule(rule({ family: "amount" }));
  written();
  listener.familyEnds("amount", 1_500);
  expect(written()).toMatch(/^\r\x1b\[2K {2}\S*✓\S* amount +1 rule +30 tried +1\.5 s\n$/);
  listener.rule(rule({ family: "message" }));
  expect(written()).toBe(`${wipe}  … message 1/1`);
});

test("on a terminal the last line is never wider than the terminal, where it could not be wiped", () => {
  const { listener, written } = listening(20);
  listener.familyStarts("a family 🐈 with a long name", 1);
  expect([...written().replace(wipe, "")]).toHaveLength(19);
});

test("an error outside of the rules has a line of its own", () => {
  const { listener, written } = listening(80);
  listener.familyStarts("amount", 1);
  written();
  listener.error("the server is gone");
  expect(written()).toMatch(/^\r\x1b\[2K\S* {2}✗ the server is gone\S*\n$/);
});

test("a pipe gets a line for each rule file that has ended, with what failed, is known and was not run, and no control character", () => {
  const { listener, written } = listening(null);
  listener.familyStarts("amount", 4);
  for (const one of [rule(), failedRule(), knownRule(), skippedRule()]) listener.rule({ ...one, family: "amount" });
  listener.familyEnds("amount", 40);
  listener.familyStarts("empty", 0);
  listener.familyEnds("empty", 0);
  expect(written()).toMatch(/^ {2}✗ amount +4 rules +44 tried +0\.0 s {2}1 failed {2}1 known {2}1 not run\n$/);
});
