// Rules that send no request, such as those that check the contract, are run in full at every depth.

import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { selectRules } from "../../suite/command/rule-files.ts";
import { familyOf, offlineFamilies } from "../../suite/contract/offline-rules.ts";
import { conformanceFolder } from "../../suite/contract/test-files.ts";
import { conformance } from "./command.ts";
import { foreign } from "./second-server.ts";

const all = selectRules({ profile: "contract", depth: "full", only: null }).files;

/** Returns all files that a file imports, directly or indirectly. */
function importsOf(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const imports = [...readFileSync(file, "utf8").matchAll(/^import (?!type )[^;]*?"(\.[^"]*\.ts)"/gm)];
  for (const [, path = ""] of imports) importsOf(resolve(dirname(file), path), seen);
  return seen;
}

/** The modules that send requests. */
const senders = [
  "suite/client/http-client.ts",
  "suite/servers/cuts/cuts.ts",
  "suite/servers/cuts/webhook-kills.ts",
  "rules/events/event-socket.test.ts",
  "suite/servers/rehearsals/load.ts",
  "attack/sockets.ts",
].map((file) => join(conformanceFolder, file));

function sends(file: string): boolean {
  const imports = importsOf(join(conformanceFolder, file));
  return senders.some((sender) => imports.has(sender));
}

describe("rules that send no request", () => {
  test("every rule file that cannot send a request is listed in suite/contract/offline-rules.ts", () => {
    const silent = all.filter((file) => !sends(file)).map(familyOf);
    expect(silent.length).toBeGreaterThan(0);
    expect(silent.filter((family) => !offlineFamilies.includes(family))).toEqual([]);
  });

  test("every rule file in suite/contract/offline-rules.ts exists and is part of a quick run", () => {
    const quick = selectRules({ profile: "contract", depth: "quick", only: null }).files.map(familyOf);
    expect(offlineFamilies.filter((family) => !quick.includes(family))).toEqual([]);
  });

  test("a quick run runs every rule of transport/contract", async () => {
    const { code, output } = await conformance(["--depth", "quick", "--only", "/^transport.contract$/"], await foreign());
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(/[\d,]+ rules: 0 passed, 0 failed, 0 not run, [\d,]+ not asked of the server/),
    ]);
  });
});
