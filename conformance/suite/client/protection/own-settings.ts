// Knows what the suite has written into a streamer's settings since they were last put back: in a file, a JSON object a line, for the
// next run after a crash. A value that is neither written by the suite nor as the run found it is the streamer's own.

import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

import type { AlertState, ProtectedStreamer } from "../../values/protection.ts";

type Settings = AlertState["settings"];
type Own = Pick<ProtectedStreamer, "ownSettings">;

/** A setting that somebody else has changed meanwhile: what it is now, and what the run found. */
export type ForeignChange = { name: string; present: unknown; found: unknown };

/** Notes settings that the suite sends, or that the server has answered to it. Anything but an object is passed over. */
export function noteOwnSettings({ ownSettings }: Own, settings: unknown): void {
  if (isObject(settings)) appendFileSync(ownSettings, `${JSON.stringify(settings)}\n`, { mode: 0o600 });
}

/** Forgets what the suite has written, because it is put back. */
export const forgetOwnSettings = ({ ownSettings }: Own): void => rmSync(ownSettings, { force: true });

/** Returns the settings that are neither as they were found nor as the suite has written them. */
export function foreignChanges({ ownSettings }: Own, found: Settings, present: Settings): ForeignChange[] {
  const written = existsSync(ownSettings) ? readFileSync(ownSettings, "utf8").split("\n").flatMap(parsed) : [];
  const isOwn = (name: string): boolean => [found, ...written].some((one) => name in one && isDeepStrictEqual(one[name], present[name]));
  return Object.keys(found)
    .filter((name) => !isOwn(name))
    .map((name) => ({ name, present: present[name], found: found[name] }));
}

/** Says what the setting is now and what the run found. */
export const explainForeignChange = ({ name, present, found }: ForeignChange): string =>
  `${name} is ${JSON.stringify(present)} now, which the suite has not written; it was ${JSON.stringify(found)} before the run`;

/** A crash may have cut off the last line. */
function parsed(line: string): Settings[] {
  try {
    const settings: unknown = JSON.parse(line);
    return isObject(settings) ? [settings] : [];
  } catch {
    return [];
  }
}

const isObject = (value: unknown): value is Settings => typeof value === "object" && value !== null && !Array.isArray(value);
