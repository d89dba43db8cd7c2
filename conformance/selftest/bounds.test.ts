import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import { folder } from "../command/rule-files.ts";
import { type Member, maxAmount, members } from "../harness/oracle/interface.ts";
import { checkout } from "../harness/server/start-server.ts";

// A bound of interface 2.1 stands in harness/oracle/interface.ts alone: elsewhere a line that names the member takes its bound from there.

/** Where literal values are the point: counterexamples as data, and contracts that a test makes up. */
const literal = /^(cases|breaking|bench|browser)\/|^harness\/oracle\/interface\.ts$|^selftest\/(bounds|usage|breaking)\.test\.ts$/;

const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !literal.test(file))
  .map((file) => ({ file: `conformance/${file}`, text: readFileSync(join(folder, file), "utf8") }));
const guidesFolder = join(checkout, "src/docs/guides");
const guides = readdirSync(guidesFolder).map((file) => ({
  file: `src/docs/guides/${file}`,
  text: readFileSync(join(guidesFolder, file), "utf8"),
}));

/** The upper bound as code and prose write it, and the numbers beside it. */
function numbersOf({ maxLength, upTo }: Member): RegExp | null {
  const bound = maxLength ?? upTo;
  if (bound === undefined) return null;
  const written = [bound - 1, bound, bound + 1].flatMap((one) => [
    String(one),
    one.toLocaleString("en"),
    one.toLocaleString("en").replaceAll(",", "_"),
  ]);
  return new RegExp(`(?<![\\w.,])(?:${[...new Set(written)].join("|")})(?![\\w,]|\\.\\d)`);
}

function repeated(text: string): string[] {
  const bounded = members.flatMap((member) => {
    const numbers = numbersOf(member);
    return numbers ? [{ names: new RegExp(`\\b${member.member}s?\\b`), numbers }] : [];
  });
  return text.split("\n").filter((line) => bounded.some(({ names, numbers }) => names.test(line) && numbers.test(line)));
}

describe("a bound of interface 2.1 stands in harness/oracle/interface.ts alone", () => {
  test.each([...sources, ...guides].map(({ file, text }) => ({ file, lines: repeated(text) })).filter(({ lines }) => lines.length > 0))(
    "$file repeats none",
    ({ file, lines }) =>
      expect(lines, `${file}: take the bound from harness/oracle/interface.ts, in a guide from the contract`).toEqual([]),
  );

  test("so many files were looked at, and a repeated bound is found", () => {
    expect(sources.length).toBeGreaterThan(200);
    expect(guides.length).toBeGreaterThan(8);
    const name = members.find(({ member }) => member === "donatorName")?.maxLength ?? 0;
    expect(repeated(`textOf("donatorName", ${name + 1})`)).toHaveLength(1);
    expect(repeated(`| \`amount\`, at most ${maxAmount.toLocaleString("en")} |`)).toHaveLength(1);
    expect(repeated(`donatorName, ${name}0`)).toEqual([]);
  });
});
