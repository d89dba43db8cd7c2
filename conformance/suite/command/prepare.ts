// What happens between the start of the server and the first rule.

import { noteAnswer } from "../client/protection/own.ts";
import { familyOf } from "../contract/offline-rules.ts";
import type { Run } from "../report/run.ts";
import type { Serving } from "../servers/serve.ts";
import type { LengthUnit } from "../values/target.ts";
import { type Target, useTarget } from "../values/target.ts";
import { limitOf } from "./announced-limits.ts";
import { calibrate, calibrateReading } from "./calibrate.ts";
import { runFirst } from "./file-order.ts";
import { selectedShares } from "./list.ts";
import { calibrateApproval } from "./oauth-credentials.ts";
import { planOf } from "./plan.ts";
import { print } from "./print.ts";
import { type Protecting, protect } from "./protect.ts";
import { selectRules } from "./rule-files.ts";
import type { Settings } from "./settings.ts";
import { createTarget } from "./target.ts";
import { slotsOf } from "./time-slots.ts";

const proxyVariables = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];

const unitNotes: Record<LengthUnit, string> = {
  all: "lengths are tested where code points, UTF-16 units and graphemes lead to the same decision; --length-unit tests the others",
  "code-points": "a character of a text is a code point (--length-unit)",
  "utf-16": "a character of a text is a UTF-16 unit (--length-unit)",
  graphemes: "a character of a text is a grapheme (--length-unit)",
};

/**
 * Gives the rule files of a quick run their share of its time, which includes that of starting the server. Where the machine or the server is so
 * slow that the last files get none, the rules of the interface document are run all the same: they come first.
 */
export function limitTime(settings: Settings, { startedAt }: Run, targets: readonly Target[]): void {
  if (settings.seconds === null) return;
  const isPaced = targets.some(({ pace }) => pace !== null);
  const endsAt = startedAt.getTime() + settings.seconds * 1000;
  const { files } = selectRules(settings);
  runFirst(files.filter((file) => file.startsWith("interface/")).map(familyOf));
  const slots = slotsOf(files, { startsAt: Date.now(), endsAt, isPaced });
  for (const target of targets) target.slots = slots;
}

/** Calibrates against the first server, and decides how many rules and values are run and how fast. */
export async function prepare(
  settings: Settings,
  { served }: Serving,
  result: Run,
  onProtected: (protecting: Protecting) => void,
): Promise<[Target, ...Target[]]> {
  const note = (text: string): void => {
    result.notes.push(text);
    print(`        ${text}`);
  };
  const target = createTarget(settings, served[0]);
  useTarget(target);
  if (settings.profile === "interface") note(unitNotes[settings.lengthUnit]);
  const proxy = proxyVariables.find((name) => process.env[name]);
  if (proxy) note(`${proxy} is ignored: requests go to the server directly, byte by byte as the rules write them`);
  if (target.foreign && !settings.readOnly)
    note(
      "the donations of this run are voided at its end where the server allows it, and stay where it does not; only rules about alerts cause alerts",
    );
  const { shard } = settings;
  if (shard) note(`shard ${shard.index} of ${shard.count}: ${selectRules(settings).files.length} rule files`);
  const { notes, replies } = await (settings.readOnly ? calibrateReading() : calibrate(settings.profile));
  notes.forEach(note);
  const protecting = target.foreign ? await protect(target, settings) : null;
  if (protecting) onProtected(protecting);
  protecting?.notes.forEach(note);
  const main = protecting?.protection.streamers.find(({ holder }) => holder === "main");
  if (main) for (const reply of replies) noteAnswer(main.journal, { request: { path: "" }, effect: "donation", token: null }, reply);
  if (!settings.readOnly) for (const words of await calibrateApproval(target)) note(words);
  const limit = limitOf(replies);
  const { sample, pace, notes: words } = planOf(settings, limit, limit ? await selectedShares(settings) : new Map());
  words.forEach(note);
  const [, ...others] = served;
  const made = { ...target, sample, pace, protection: protecting?.protection ?? null };
  return [made, ...others.map((one) => ({ ...made, ...one }))];
}
