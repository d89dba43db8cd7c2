import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Member, maxAmount, members } from "../../suite/contract/interface.ts";
import { checkout } from "../../suite/contract/sources.ts";
import { conformanceFolder } from "../../suite/contract/test-files.ts";

// The bounds of interface 2.1 are written in suite/contract/interface.ts only. A line elsewhere that names a member of the donation
// must not repeat the member's bound as a number.

/** Files where literal values are intended: counterexamples as data, and contracts that a test invents. */
const literal =
  /^(cases|meta\/bench|meta\/browser)\/|^suite\/contract\/interface\.ts$|^meta\/selftest\/(baseline|bounds|usage|breaking)\.test\.ts$/;

const sources = readdirSync(conformanceFolder, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !literal.test(file))
  .map((file) => ({ file: `conformance/${file}`, text: readFileSync(join(conformanceFolder, file), "utf8") }));
const guidesFolder = join(checkout, "src/docs/guides");
const guides = readdirSync(guidesFolder).map((file) => ({
  file: `src/docs/guides/${file}`,
  text: readFileSync(join(guidesFolder, file), "utf8"),
}));

/** Matches the upper bound, one less and one more, in the notations of code and prose. */
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

describe("bounds of interface 2.1", () => {
  test.each([...sources, ...guides].map(({ file, text }) => ({ file, lines: repeated(text) })).filter(({ lines }) => lines.length > 0))(
    "$file repeats no bound of interface 2.1",
    ({ file, lines }) =>
      expect(lines, `${file}: take the bound from suite/contract/interface.ts, in a guide from the contract`).toEqual([]),
  );

  test("the check of bounds reads all files and finds a repeated bound", () => {
    expect(sources.length).toBeGreaterThan(200);
    expect(guides.length).toBeGreaterThan(8);
    const name = members.find(({ member }) => member === "donatorName")?.maxLength ?? 0;
    expect(repeated(`textOf("donatorName", ${name + 1})`)).toHaveLength(1);
    expect(repeated(`| \`amount\`, at most ${maxAmount.toLocaleString("en")} |`)).toHaveLength(1);
    expect(repeated(`donatorName, ${name}0`)).toEqual([]);
  });
});
