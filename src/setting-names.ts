// All settings in groups, as docs/operations/settings.md lists them, and the variables that are nearly settings.

import leven from "leven";
import { traceSettings } from "./config-traces.ts";
import { speechSettings } from "./config-tts.ts";
import type { Setting } from "./setting.ts";
import { addressSettings, databaseSettings, limitSettings, processSettings } from "./settings.ts";

type SettingGroup = Readonly<{ title: string; settings: readonly Setting[] }>;

const groups: readonly SettingGroup[] = [
  { title: "Addresses and processes", settings: Object.values(addressSettings) },
  { title: "Database and files", settings: Object.values(databaseSettings) },
  { title: "Several processes", settings: Object.values(processSettings) },
  { title: "Limits and other hosts", settings: Object.values(limitSettings) },
  { title: "Speech", settings: Object.values(speechSettings) },
  { title: "Traces", settings: Object.values(traceSettings) },
];

const files = groups
  .flatMap(({ settings }) => settings)
  .filter(({ isSecret }) => isSecret)
  .map(({ name }) => ({ name: `${name}_FILE`, meaning: `A file that holds \`${name}\`, as containers mount secrets.` }));

/** In the order in which an operator needs them. */
export const settingGroups: readonly SettingGroup[] = [...groups, { title: "Secrets in files", settings: files }];

// The names of the settings. One that is misspelt would be ignored in silence, and so would one that is empty.

const settingNames = settingGroups.flatMap(({ settings }) => settings.map(({ name }) => name));

/** A sentence for each variable whose name is near to that of a setting, and one for all settings that are empty. Values are not quoted. */
export function findOddSettings(env: NodeJS.ProcessEnv): string[] {
  const misspelt = Object.keys(env).flatMap((name) => {
    const meant = nearestSetting(name);
    return meant === null ? [] : [`${name} is not a setting and is ignored: ${meant} is meant, perhaps`];
  });
  const empty = settingNames.filter((name) => env[name] === "");
  return empty.length === 0 ? misspelt : [...misspelt, `set to nothing, which counts as not set: ${empty.join(", ")}`];
}

/** Shorter names have too many neighbours among the variables of other programs. */
const leastLength = 4;

/** Letters by which a misspelt name may differ. OpenTelemetry has many more variables than are read here, some of them nearly alike. */
const mostEdits = (setting: string): number => (setting.length < 9 || setting.startsWith("OTEL_") ? 1 : 2);

/** The setting that the name nearly is, whatever its case and underscores; null for other variables. */
function nearestSetting(name: string): string | null {
  if (settingNames.includes(name)) return null;
  const letters = lettersOf(name);
  const differences = settingNames
    .filter((setting) => setting.length >= leastLength)
    .map((setting) => ({ setting, count: leven(letters, lettersOf(setting)) }))
    .filter(({ setting, count }) => count <= mostEdits(setting))
    .sort((a, b) => a.count - b.count);
  return differences[0]?.setting ?? null;
}

const lettersOf = (name: string): string => name.toUpperCase().replaceAll("_", "");
