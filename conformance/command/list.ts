// Lists and counts the rules that a command selects, without sending a request.

import type { Settings } from "./options.ts";
import { familyOf, selectRules } from "./rule-files.ts";
import { createTarget } from "./target.ts";
import { UsageError } from "./usage-error.ts";
import { openVitest } from "./vitest.ts";

/** Returns every rule of the profile, one per line. Sends no request. */
export const list = async (settings: Settings): Promise<string> => (await titlesOf(settings)).map((title) => `${title}\n`).join("");

/** Throws UsageError when `--only` matches neither a rule file nor the title of a rule. Sends no request. */
export async function expectMatch(settings: Settings): Promise<void> {
  if (settings.only === null || selectRules(settings).titles === undefined || (await titlesOf(settings)).length > 0) return;
  throw new UsageError(`--only ${settings.only} matches neither a rule file nor the title of a rule of profile ${settings.profile}`);
}

/** Returns how many rules `--changed-since` selects, and of how many. Sends no request. */
export async function countSelected(settings: Settings): Promise<{ selected: number; all: number }> {
  const { files, titles = /^/ } = selectRules(settings);
  const families = new Set(files.map(familyOf));
  const all = (await titlesOf({ ...settings, operations: null })).map((line) => line.split(" > "));
  const selected = all.filter(([family = "", ...names]) => families.has(family) && titles.test(names.join(" ")));
  return { selected: selected.length, all: all.length };
}

/** Returns the share of the profile's rules that `--only` selects, from 0 to 1. Sends no request. */
export async function selectedShare(settings: Settings): Promise<number> {
  if (settings.only === null && settings.operations === null) return 1;
  const [selected, all] = [await titlesOf(settings), await titlesOf({ ...settings, only: null, operations: null })];
  return selected.length / Math.max(1, all.length);
}

/** Returns family and title of each selected rule. */
async function titlesOf(settings: Settings): Promise<string[]> {
  const { files, titles } = selectRules(settings);
  const noServer = { url: "http://127.0.0.1:9", keys: noKeys, client: null, operator: null, oauth: null };
  const vitest = await openVitest(files, { titles, targets: [createTarget(settings, noServer)], reporters: [] });
  try {
    const { testModules } = await vitest.collect(undefined, { staticParse: false });
    const lines = testModules.flatMap((module) =>
      [...module.children.allTests()]
        .filter(({ options }) => options.mode === "run")
        .map(({ fullName }) => `${familyOf(module.relativeModuleId)} > ${fullName}`),
    );
    return lines;
  } finally {
    await vitest.close();
  }
}

const noKeys = {
  main: "",
  secondApplication: null,
  readOnly: null,
  writeOnly: null,
  other: null,
  quiet: null,
  overlay: null,
  otherOverlay: null,
};
