import type { Settings } from "./options.ts";
import { chosen, familyOf } from "./rule-files.ts";
import { newTarget } from "./target.ts";
import { openVitest } from "./vitest.ts";

/** Every rule of the profile, a line each. Nothing is asked of any server. */
export async function list(settings: Settings): Promise<string> {
  const { files, titles } = chosen(settings);
  const nobody = { url: "http://127.0.0.1:9", keys: noKeys, client: null, operator: null, oauth: null };
  const vitest = await openVitest(files, { titles, targets: [newTarget(settings, nobody)], reporters: [] });
  try {
    const { testModules } = await vitest.collect(undefined, { staticParse: false });
    const lines = testModules.flatMap((module) =>
      [...module.children.allTests()]
        .filter(({ options }) => options.mode === "run")
        .map(({ fullName }) => `${familyOf(module.relativeModuleId)} > ${fullName}\n`),
    );
    return lines.join("");
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
