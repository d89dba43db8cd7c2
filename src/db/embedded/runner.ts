// Decides as which user the programs of PostgreSQL run.

import { spawnSync } from "node:child_process";
import { stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import { cannotStart } from "./failure.ts";

export type Owner = {
  uid: number;
  gid: number;
};

/** As which user the programs run. PostgreSQL refuses to run as root. */
export type Runner = {
  /** Words in front of each command. */
  prefix: string[];
  /** The user to run as, when it is not the current one. */
  owner?: Owner;
};

const nobody: Owner = { uid: 65534, gid: 65534 };
const othersEnterMode = 0o001;
const othersReadAndRunMode = 0o005;
const namespaceCommand = ["unshare", "--user", `--map-user=${nobody.uid}`, `--map-group=${nobody.gid}`, "--"];

/**
 * Decides how to run PostgreSQL on a data directory that belongs to `owner`, or on a new one (undefined).
 * The owner tells how the directory was created: one that root owns was created in a user namespace.
 */
export function chooseRunner(owner: Owner | undefined): Runner {
  const uid = process.getuid?.();
  if (uid !== 0) return runAsCurrentUser(uid, owner);
  if (owner && owner.uid !== 0) return { prefix: [], owner };
  if (canUseNamespaces()) return { prefix: namespaceCommand };
  if (!owner) return { prefix: [], owner: nobody };
  throw cannotStart(
    "its data were created by root inside a user namespace, and this system does not allow user namespaces (`unshare --user`)",
    `allow them, or change the owner of the data to an ordinary user (chown -R ${nobody.uid}:${nobody.gid} on the folder DATA_DIR/postgres)`,
  );
}

/** Whether users other than the owner can reach `path`. */
export async function canOthersReach(path: string): Promise<boolean> {
  for (let at = path; ; at = dirname(at)) {
    if (!((await stat(at)).mode & othersEnterMode)) return false;
    if (at === dirname(at)) return true;
  }
}

/** Whether users other than the owner can run the program `file`. */
export async function canOthersRun(file: string): Promise<boolean> {
  const { mode } = await stat(file);
  return (mode & othersReadAndRunMode) === othersReadAndRunMode && (await canOthersReach(dirname(file)));
}

function runAsCurrentUser(uid: number | undefined, owner: Owner | undefined): Runner {
  if (owner && owner.uid !== uid)
    throw cannotStart(
      `its data belong to user ${owner.uid}, and this program runs as user ${uid}`,
      "start as that user, or choose another DATA_DIR",
    );
  return { prefix: hasUserName() || !canUseNamespaces() ? [] : namespaceCommand };
}

/** A container may run us as a user without a name, which initdb refuses. In a namespace it sees `nobody`. */
function hasUserName(): boolean {
  try {
    return userInfo().username !== "";
  } catch {
    return false;
  }
}

function canUseNamespaces(): boolean {
  const [command, ...args] = namespaceCommand;
  return spawnSync(command!, [...args, "true"], { stdio: "ignore" }).status === 0;
}
