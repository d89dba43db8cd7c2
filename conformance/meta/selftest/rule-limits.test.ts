// No rule has less time than the suite gives every rule: on a busy machine it would fail a sound server.

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { conformanceFolder } from "../../suite/contract/test-files.ts";
import { stateLimitMs, timeLimits } from "../../suite/values/time-limits.ts";

const files = ["rules", "interface", "derived", "suite/client/events", "suite/client/overlay", "suite/servers/cuts"].flatMap((folder) =>
  readdirSync(`${conformanceFolder}${folder}`, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `${folder}/${file}`),
);

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
  const found = files.flatMap((file) =>
    shortLimitsIn(readFileSync(`${conformanceFolder}${file}`, "utf8")).map((line) => `${file}:${line}`),
  );
  expect(found).toEqual([]);
});
