import { spawnSync } from "node:child_process";
import { stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import { cannotStart } from "./failure.ts";

export interface Owner {
  uid: number;
  gid: number;
}

/** As whom the programs run: PostgreSQL refuses to be root. */
export interface Runner {
  /** What stands before a command. */
  prefix: string[];
  /** The user to become, when it is another than our own. */
  owner?: Owner;
}

const NOBODY: Owner = { uid: 65534, gid: 65534 };
const OTHERS_ENTER = 0o001;
const OTHERS_READ_AND_RUN = 0o005;
const NAMESPACE = ["unshare", "--user", `--map-user=${NOBODY.uid}`, `--map-group=${NOBODY.gid}`, "--"];

/**
 * The way to run PostgreSQL on a data directory that belongs to `owner`, or on one still to be made.
 * Who owns a data directory is the record of the way it was made: root's was made in a user namespace.
 */
export function chooseRunner(owner: Owner | undefined): Runner {
  const uid = process.getuid?.();
  if (uid !== 0) return direct(uid, owner);
  if (owner && owner.uid !== 0) return { prefix: [], owner };
  if (namespacesWork()) return { prefix: NAMESPACE };
  if (!owner) return { prefix: [], owner: NOBODY };
  throw cannotStart(
    "its data were made by root inside a user namespace, and this system does not allow those (`unshare --user`)",
    `allow them, or give the data to an ordinary user (chown -R ${NOBODY.uid}:${NOBODY.gid} on the folder DATA_DIR/postgres)`,
  );
}

/** Whether users other than the owner can come to `path`. */
export async function othersReach(path: string): Promise<boolean> {
  for (let at = path; ; at = dirname(at)) {
    if (!((await stat(at)).mode & OTHERS_ENTER)) return false;
    if (at === dirname(at)) return true;
  }
}

/** Whether users other than the owner can run the program `file`. */
export async function othersRun(file: string): Promise<boolean> {
  const { mode } = await stat(file);
  return (mode & OTHERS_READ_AND_RUN) === OTHERS_READ_AND_RUN && (await othersReach(dirname(file)));
}

function direct(uid: number | undefined, owner: Owner | undefined): Runner {
  if (owner && owner.uid !== uid)
    throw cannotStart(`its data belong to user ${owner.uid}, and this is user ${uid}`, "start as that user, or choose another DATA_DIR");
  return { prefix: hasName() || !namespacesWork() ? [] : NAMESPACE };
}

// Containers may run us under a bare number, and initdb refuses a user without a name; in a namespace it sees `nobody`.
function hasName(): boolean {
  try {
    return userInfo().username !== "";
  } catch {
    return false;
  }
}

function namespacesWork(): boolean {
  const [command, ...args] = NAMESPACE;
  return spawnSync(command!, [...args, "true"], { stdio: "ignore" }).status === 0;
}
