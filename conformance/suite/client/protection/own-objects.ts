// Knows which webhooks and alert files are the suite's own: those that answers to its own requests named. It deletes no others. On a server of
// someone else they also stand in a file, for the next run after a crash: before the request is sent what it creates, after its answer the
// id. The lines of the file:
//
//   sent <token> <JSON>    a request is about to be sent; where its object is listed, by whose key, and when
//   created <token> <id>   its answer named this object
//   refused <token>        its answer says that it created nothing
//   deleted <list> <id>

import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { pathnameOf } from "../../contract/effects.ts";
import type { Reply, Request } from "../../contract/http-request.ts";
import { type Holder, target } from "../../values/target.ts";
import { ask } from "./alert-state.ts";

/** `list`: path of the list that has the object, and of the object before its id. */
export type OwnObject = { list: string; id: string; key: Request["key"] };

/** A request that creates an object. `holder`: whose key it has; null: of nobody whom the run was given a key of. */
export type Creation = { list: string; holder: Holder | null; sentAt: string };

/** What a file says. `unanswered`: nobody has seen what became of these requests. */
export type NotedObjects = { existing: (Creation & { id: string })[]; unanswered: Creation[] };

type Answered = Pick<Reply, "status" | "body">;

/** Where objects are listed that requests create, and what one of them is called. */
const lists: Record<string, string> = { "/api/v1/webhooks": "webhook", "/api/v1/alert-files": "alert file" };

const existing = new Set<OwnObject>();
let tokens = 0;

/** The objects that requests of this process have created and not deleted. */
export const ownObjects = (): ReadonlySet<OwnObject> => existing;

/** What an object of the list is called. */
export const nameOfObject = (list: string): string => lists[list] ?? "object";

/** Sends by `send` and notes, also in the file, what the request creates or deletes. */
export async function notingObjects<T extends Answered>(request: Request, file: string | null, send: () => Promise<T>): Promise<T> {
  const { method = "GET", key } = request;
  const path = pathnameOf(request.path).replace(/\/$/, "");
  if (method === "DELETE") return send().then((answer) => noteDeleted(request, file, answer));
  if (method !== "POST" || !(path in lists)) return send();
  tokens += 1;
  const token = `${process.pid}-${Date.now()}-${tokens}`;
  note(file, `sent ${token} ${JSON.stringify({ list: path, holder: holderOf(key), sentAt: new Date().toISOString() } satisfies Creation)}`);
  const answer = await send();
  const id = idIn(answer);
  if (id !== null) existing.add({ list: path, id, key });
  if (id !== null) note(file, `created ${token} ${id}`);
  else if (answer.status >= 300 && answer.status < 500) note(file, `refused ${token}`);
  return answer;
}

/** Notes that the object is gone, where the answer says so: 404 to the key that created it, but not to another one, which never sees it. */
function noteDeleted<T extends Answered>({ path, key }: Request, file: string | null, answer: T): T {
  for (const one of existing) {
    if (pathOf(one) !== path || !(answer.status === 204 || (answer.status === 404 && one.key === key))) continue;
    existing.delete(one);
    note(file, `deleted ${one.list} ${one.id}`);
  }
  return answer;
}

export const pathOf = ({ list, id }: Pick<OwnObject, "list" | "id">): string => `${list}/${encodeURIComponent(id)}`;

/** Reads the file of this run, or of one before; nothing where there is none. */
export function notedObjects(file: string): NotedObjects {
  const unanswered = new Map<string, Creation>();
  const created = new Map<string, NotedObjects["existing"][number]>();
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : []; // a crash may have cut off the last line
  for (const line of lines) {
    const [word = "", first = "", ...others] = line.split(" ");
    const rest = others.join(" ");
    const creation = unanswered.get(first);
    if (word === "sent") unanswered.set(first, parsed(rest));
    else if (word === "deleted") created.delete(`${first} ${rest}`);
    else unanswered.delete(first);
    if (word === "created" && creation) created.set(`${creation.list} ${rest}`, { ...creation, id: rest });
  }
  return { existing: [...created.values()], unanswered: [...unanswered.values()] };
}

/** A line that cannot be read was cut off: something was sent. */
function parsed(text: string): Creation {
  try {
    return JSON.parse(text) as Creation;
  } catch {
    return { list: "", holder: null, sentAt: "" };
  }
}

const note = (file: string | null, line: string): void => {
  if (file !== null) appendFileSync(file, `${line}\n`, { mode: 0o600 });
};

function holderOf(key: Request["key"]): Holder | null {
  const { keys } = target();
  const holders = Object.keys(keys) as Holder[];
  return holders.find((holder) => keys[holder] === (key === undefined ? keys.main : key)) ?? null;
}

/** The id of an answer that says that something was created. */
function idIn({ status, body }: Answered): string | null {
  const { id } = ((body ?? {}) as { data?: { id?: unknown } | null }).data ?? {};
  return status >= 200 && status < 300 && typeof id === "string" && /^[^\s/]+$/.test(id) ? id : null;
}

// Deletes the webhooks and alert files that stand in the file of a run.

/** `deleted`: in words, such as "2 webhooks". `problems`: what could not be deleted. `unseen`: which requests may have created more. */
export type Removal = { deleted: string[]; problems: string[]; unseen: string[] };

/** Deletes what the file names, by its id, and forgets it; what could not be deleted stays in the file. */
export async function removeObjects(file: string): Promise<Removal> {
  const { existing, unanswered } = notedObjects(file);
  const left: (typeof existing)[number][] = [];
  const problems: string[] = [];
  for (const one of existing) {
    const problem = await remove(one);
    if (problem !== null) left.push(one);
    if (problem !== null) problems.push(`${nameOfObject(one.list)} ${one.id} ${problem}`);
  }
  const lines = left.map(({ id, ...creation }, index) => `sent ${index} ${JSON.stringify(creation)}\ncreated ${index} ${id}\n`);
  if (lines.length > 0) writeFileSync(file, lines.join(""), { mode: 0o600 });
  else rmSync(file, { force: true });
  return { deleted: counted(existing.filter((one) => !left.includes(one))), problems, unseen: unanswered.map(explainUnseen) };
}

/** Resolves to why the object is still there; null: it is gone. */
async function remove(one: Creation & { id: string }): Promise<string | null> {
  const key = one.holder === null ? null : keyOf(one.holder);
  if (key === null) return "is not deleted: this run has not the key that created it";
  try {
    const { status } = await ask({ method: "DELETE", path: pathOf(one), key });
    return status === 204 || status === 404 ? null : `is not deleted: DELETE is answered ${status}`;
  } catch (error) {
    return `is not deleted: ${error instanceof Error ? error.message : error}`;
  }
}

const keyOf = (holder: Holder): string | null => target().keys[holder] ?? null;

const counted = (objects: readonly Creation[]): string[] =>
  [...Map.groupBy(objects, ({ list }) => nameOfObject(list))].map(
    ([name, some]) => `${some.length} ${name}${some.length === 1 ? "" : "s"}`,
  );

const explainUnseen = ({ list, sentAt }: Creation): string =>
  `nobody has seen the answer to POST ${list} of ${sentAt}: where it has created ${/^[aeiou]/.test(nameOfObject(list)) ? "an" : "a"} ${nameOfObject(list)}, this is still there, because the suite deletes only what an answer has named`;
