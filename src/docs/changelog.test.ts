import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const changelog = readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8");
const headings = (level: string) => changelog.split("\n").filter((line) => line.startsWith(`${level} `));

test("CHANGELOG.md is shorter than 10 KB", () => {
  expect(Buffer.byteLength(changelog)).toBeLessThan(10 * 1024);
});

test("each section of CHANGELOG.md is Unreleased, or a version with its day", () => {
  expect(headings("##").filter((line) => !/^## (?:Unreleased|\d+\.\d+\.\d+ – \d{4}-\d{2}-\d{2})$/.test(line))).toEqual([]);
});

test("changes stand in CHANGELOG.md under the headings of Keep a Changelog, or Breaking", () => {
  const known = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Breaking"];
  expect(headings("###").filter((line) => !known.includes(line.slice(4)))).toEqual([]);
});
