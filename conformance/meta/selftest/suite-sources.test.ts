// What the suite's own sources keep: bounds that stand in one place, the order of imports, limits of time, and tables of operations.

import { globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { missingFor, readerFaults } from "../../../spec/check/operations.ts";
import { operations } from "../../suite/contract/contract.ts";
import { type Member, maxAmount, members } from "../../suite/contract/interface.ts";
import { needs, scopeFaults } from "../../suite/contract/scopes.ts";
import { checkout, conformanceFolder } from "../../suite/contract/sources.ts";
import { readers, unreadOperations } from "../../suite/models/derive/members.ts";
import { stateLimitMs, timeLimits } from "../../suite/values/run-settings.ts";

// The order of the suite's folders: each file imports only files of its own folder and of those before it. Imports of types count as well.
const order = ["contract", "values", "client", "models", "servers", "report", "command"];

const suite = join(conformanceFolder, "suite");

const files = globSync("**/*.ts", { cwd: suite });

/** The files of the suite that a file imports. */
function importsOf(file: string): string[] {
  const named = [...readFileSync(join(suite, file), "utf8").matchAll(/(?:from |import\()"(\.[^"]+\.ts)"/g)].map(([, path = ""]) => path);
  return named.map((path) => relative(suite, join(suite, dirname(file), path)));
}

const placeOf = (file: string): number => order.indexOf(file.split("/")[0] ?? "");

test("every folder of the suite has its place in the order of imports", () =>
  expect(files.filter((file) => placeOf(file) < 0)).toEqual([]));

test("a file of the suite imports nothing from folders after its own, nor from outside of the suite but generated/, cases/ and the operator's command line", () => {
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .filter((target) =>
        target.startsWith("../") ? !/^(\.\.\/)+(generated\/|cases\/|src\/cli\/run\.ts$)/.test(target) : placeOf(target) > placeOf(file),
      )
      .map((target) => `${file} → ${target}`),
  );
  expect(wrong).toEqual([]);
});

test("no file of the suite imports itself through others, types included", () => {
  const ended = new Set<string>();
  const circleFrom = (file: string, path: readonly string[]): string | null => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file].join(" → ");
    if (ended.has(file)) return null;
    const circle = importsOf(file)
      .filter((target) => !target.startsWith("../"))
      .reduce<string | null>((found, target) => found ?? circleFrom(target, [...path, file]), null);
    ended.add(file);
    return circle;
  };
  expect(files.map((file) => circleFrom(file, [])).filter((circle) => circle !== null)).toEqual([]);
});

// A server of someone else has an https address. Rules of `deployment/` and those about overload start servers of their own.
test("no rule opens a connection of its own without TLS: connections.ts does it for all", () => {
  const opening = /^import (?!type).*\b(?:request|connect)\b.* from "node:(?:http|https|net|tls)"/m;
  const allowed =
    /^(?:suite\/client\/(?:connections|send-once)\.ts|suite\/servers\/.*|rules\/deployment\/.*|rules\/transport\/overload\.test\.ts)$/;
  const all = globSync("{suite,rules,derived,interface}/**/*.ts", { cwd: conformanceFolder });
  const found = all.filter((file) => opening.test(readFileSync(join(conformanceFolder, file), "utf8")));
  expect(found.filter((file) => !allowed.test(file))).toEqual([]);
});

// The bounds of interface 2.1 are written in suite/contract/interface.ts only. A line elsewhere that names a member of the donation
// must not repeat the member's bound as a number.

/** Files where literal values are intended: counterexamples as data, contracts that a test invents, and code of others. */
const literal =
  /^(cases|meta\/bench|meta\/browser|meta\/clients\/(node_modules|generated))\/|^suite\/contract\/interface\.ts$|^meta\/selftest\/(reports|suite-sources|usage|breaking)\.test\.ts$/;

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

const filesWithLimits = globSync("{rules,interface,derived,suite/client/events,suite/client/overlay,suite/servers/cuts}/**/*.ts", {
  cwd: conformanceFolder,
});

/** What sets itself a limit below the general one, with its line: a wait (`timeout: 8_000`), or a rule or its preparation (`}, 20_000);`). */
function shortLimitsIn(code: string): string[] {
  const limits = [
    [/\btimeout: ([\d_]+)/, stateLimitMs],
    [/^ *\}, ([\d_]+)\);$/, timeLimits.rule * 1000],
  ] as const;
  return code
    .split("\n")
    .flatMap((line, index) =>
      limits.some(([pattern, least]) => Number((pattern.exec(line)?.[1] ?? "Infinity").replaceAll("_", "")) < least)
        ? [`${index + 1}: ${line.trim()}`]
        : [],
    );
}

test("a short limit is found, of a wait and of a rule", () => {
  const code = `await expect.poll(state, { timeout: 8_000 }).toBe(1);\n}, 20_000);\n}, 240_000);\n{ timeout: 60_000 }`;
  expect(shortLimitsIn(code)).toEqual(["1: await expect.poll(state, { timeout: 8_000 }).toBe(1);", "2: }, 20_000);"]);
});

test("no rule has a limit of its own below that of every rule", () => {
  const found = filesWithLimits.flatMap((file) =>
    shortLimitsIn(readFileSync(`${conformanceFolder}${file}`, "utf8")).map((line) => `${file}:${line}`),
  );
  expect(found).toEqual([]);
});

const listed = [...Object.keys(readers), ...Object.keys(unreadOperations)];

test("an operation that answers donations and has no reader is named", () =>
  expect(
    readerFaults(
      operations,
      listed.filter((name) => name !== "listDonations"),
    ),
  ).toEqual([expect.stringContaining("listDonations answers donations: say in conformance/suite/models/derive/members.ts how")]));

test("a reader of an operation that was removed from the contract is named", () =>
  expect(readerFaults(operations, [...listed, "getLatestDonation"])).toEqual([
    "getLatestDonation is no operation of the contract: take it out of conformance/suite/models/derive/members.ts",
  ]));

test("make check names all that a new operation lacks in the suite", () => {
  const [read, changed] = ["getNothing", "postNothing"].map((id) => ({
    ...(operations.find((one) => one.id === (id === "getNothing" ? "getDonation" : "voidDonation")) as (typeof operations)[number]),
    id,
  }));
  expect(missingFor([...operations, read as never, changed as never])).toEqual([
    expect.stringContaining("/get-nothing.test.ts is missing"),
    expect.stringContaining("/post-nothing.test.ts is missing"),
    expect.stringContaining("getNothing is missing: write into conformance/suite/contract/scopes.ts"),
    expect.stringContaining("postNothing is missing: write into conformance/suite/contract/scopes.ts"),
    expect.stringContaining("getNothing may read donations: add its paths to pathsOf"),
    expect.stringContaining("postNothing may change something: say in conformance/suite/contract/http-request.ts"),
    expect.stringContaining("getNothing reads: add its paths to requestsByOperation in src/ops/upgrade/questions.ts"),
  ]);
});

describe("the table of scopes", () => {
  const mends = (asked: string) =>
    `as conformance/suite/contract/scopes.ts says, and the contract asks for ${asked}: change the one that is wrong`;

  test("the table of scopes reveals a wrong scope in the contract", () => {
    const mistaken = operations.map((one) => (one.id === "getDonation" ? { ...one, scopes: ["read:alerts"] } : one));
    expect(scopeFaults(mistaken)).toEqual([`getDonation needs read:donations, ${mends("read:alerts")}`]);
  });

  test("the table of scopes reveals an operation that requires no scope any more", () => {
    const open = operations.map((one) => (one.id === "listDonations" ? { ...one, scopes: [] } : one));
    expect(scopeFaults(open)).toEqual([`listDonations needs read:donations, ${mends("any")}`]);
  });

  test("an operation missing in the table of scopes, and one that was removed from the contract, are reported", () => {
    const { getMe: _, ...others } = needs;
    expect(scopeFaults(operations, { ...others, getNothing: "none" })).toEqual([
      "getMe is missing: write into conformance/suite/contract/scopes.ts which scope it needs, and why",
      "getNothing is no operation of the contract: take it out of conformance/suite/contract/scopes.ts",
    ]);
  });
});
