// Deletes the webhooks and alert files that stand in the file of a run.

import { rmSync, writeFileSync } from "node:fs";

import { type Holder, target } from "../../values/target.ts";
import { ask } from "./alert-state.ts";
import { type Creation, nameOfObject, notedObjects, pathOf } from "./own-objects.ts";

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
