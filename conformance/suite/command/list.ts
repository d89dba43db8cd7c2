// Lists and counts the rules that a command selects, without sending a request.

import { familyOf } from "../contract/offline-rules.ts";
import { selectRules } from "./rule-files.ts";
import { createTarget, type Settings } from "./settings.ts";
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

/** Returns the families that are run, each with the share of its rules that the titles select, from 0 to 1. Sends no request. */
export async function selectedShares(settings: Settings): Promise<Map<string, number>> {
  const { files, titles } = selectRules(settings);
  if (titles === undefined) return new Map(files.map((file) => [familyOf(file), 1]));
  const rules = await collect(settings);
  return new Map(
    [...Map.groupBy(rules, ({ family }) => family)].map(([family, some]) => [
      family,
      some.filter(({ isSelected }) => isSelected).length / some.length,
    ]),
  );
}

/** Returns family and title of each selected rule. */
const titlesOf = async (settings: Settings): Promise<string[]> =>
  (await collect(settings)).filter(({ isSelected }) => isSelected).map(({ family, title }) => `${family} > ${title}`);

type CollectedRule = { family: string; title: string; isSelected: boolean };

/** Collects all rules of the selected files. */
async function collect(settings: Settings): Promise<CollectedRule[]> {
  const { files, titles } = selectRules(settings);
  const noServer = { url: "http://127.0.0.1:9", keys: noKeys, client: null, operator: null, oauth: null };
  const vitest = await openVitest(files, { titles, targets: [createTarget(settings, noServer)], reporters: [] });
  try {
    const { testModules } = await vitest.collect(undefined, { staticParse: false });
    return testModules.flatMap((module) =>
      [...module.children.allTests()].map(({ fullName, options }) => ({
        family: familyOf(module.relativeModuleId),
        title: fullName,
        isSelected: options.mode === "run",
      })),
    );
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
