// The folder in which a user's runs keep their journals.

import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** The folder of the journals: `given`, `NAMJAI_CONFORMANCE_STATE`, or the user's state folder (XDG Base Directory Specification). */
export function stateFolder(given: string | undefined, env: NodeJS.ProcessEnv): string {
  const base = env.XDG_STATE_HOME?.startsWith("/") ? env.XDG_STATE_HOME : join(homedir(), ".local", "state");
  return resolve(given || env.NAMJAI_CONFORMANCE_STATE || join(base, "namjai-conformance"));
}
