import type { Settings } from "./options.ts";
import { familyOf, selectRules } from "./rule-files.ts";
import { createTarget } from "./target.ts";
import { openVitest } from "./vitest.ts";

/** Returns every rule of the profile, one per line. Sends no request. */
export async function list(settings: Settings): Promise<string> {
  const { files, titles } = selectRules(settings);
  const noServer = { url: "http://127.0.0.1:9", keys: noKeys, client: null, operator: null, oauth: null };
  const vitest = await openVitest(files, { titles, targets: [createTarget(settings, noServer)], reporters: [] });
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
