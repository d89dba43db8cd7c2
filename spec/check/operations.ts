// What the suite wants to be told of each operation of the contract. `make check` says it in a second, the suite itself as well.

import { readFileSync } from "node:fs";
import { type Operation, operations, operationsIn } from "../../conformance/suite/contract/contract.ts";
import { effectFaults } from "../../conformance/suite/contract/http-request.ts";
import { familyOf, kebabCase, namesOf } from "../../conformance/suite/contract/offline-rules.ts";
import { isOfReadableResource } from "../../conformance/suite/contract/resources.ts";
import { scopeFaults } from "../../conformance/suite/contract/scopes.ts";
import { checkout, testFilesIn } from "../../conformance/suite/contract/sources.ts";
import { answeringDonations, readers, unreadOperations } from "../../conformance/suite/models/derive/members.ts";
import { streamerFaults } from "../../conformance/suite/models/derive/streamer-paths.ts";

/** What the suite lacks for these operations, one line each. */
export function missingFor(operations: readonly Operation[]): string[] {
  return [
    ...operations.flatMap(missingRuleFile),
    ...orphanedRuleFiles(operations),
    ...scopeFaults(operations),
    ...readerFaults(operations),
    ...streamerFaults(operations),
    ...effectFaults(operations),
    ...questionFaults(operations),
  ];
}

/** The test of upgrades is this project's own: of its requests only the names are read. */
function questionFaults(operations: readonly Operation[]): string[] {
  const file = "src/ops/upgrade/questions.ts";
  const text = readFileSync(`${checkout}/${file}`, "utf8");
  const asked = [...text.matchAll(/^ {2}(\w+): /gm)].map(([, id = ""]) => id).filter((id) => id !== "api" && id !== "overlay");
  const unasked = operations.filter(({ id, method }) => method === "GET" && !asked.includes(id));
  const gone = asked.filter((name) => !operations.some(({ id }) => id === name));
  return [
    ...unasked.map(
      ({ id }) => `${id} reads: add its paths to requestsByOperation in ${file}, or to operationsWithoutRequest with the reason`,
    ),
    ...gone.map((name) => `${name} is no operation of the contract: take it out of ${file}`),
  ];
}

/**
 * The folder of an operation is any below conformance/rules; its path names the most likely one. Creating, reading and deleting a resource have
 * the rules of conformance/derived/resources.test.ts. A file of several operations names them in `subjects`.
 */
export function missingRuleFile({ id, path }: Pick<Operation, "id" | "path">): string[] {
  const files = testFilesIn("rules");
  if (isOfReadableResource({ id }) || files.some((file) => hasRulesOf(id, file))) return [];
  const areas = [...new Set(files.map((one) => one.split("/")[1] ?? ""))];
  const area = path.split("/").find((part) => areas.includes(part)) ?? "<area>";
  return [`conformance/rules/${area}/${kebabCase(id)}.test.ts is missing: write there the rules of ${id}`];
}

/** Rule files of operations that were released and that the contract no longer has. Other files need not be named after an operation. */
function orphanedRuleFiles(operations: readonly Operation[]): string[] {
  const released = operationsIn(JSON.parse(readFileSync(`${checkout}/spec/released.json`, "utf8")));
  const removed = released.map(({ id }) => id).filter((id) => !operations.some((one) => one.id === id));
  const files = testFilesIn("rules");
  return removed.flatMap((id) =>
    files
      .filter((file) => hasRulesOf(id, file))
      .map((file) => {
        const rest = file.endsWith(`/${kebabCase(id)}.test.ts`) ? "delete it" : `delete them, and ${kebabCase(id)} in ${subjectsFile}`;
        return `conformance/${file} has the rules of ${id}, which the contract no longer has: ${rest}`;
      }),
  );
}

const subjectsFile = "conformance/suite/contract/offline-rules.ts";

/** The rule file of an operation, from the project's folder; of a new operation the folder is open. */
export function ruleFileOf(id: string, files: readonly string[]): string {
  const own = files.find((file) => hasRulesOf(id, file));
  return `conformance/${own ?? `rules/<area>/${kebabCase(id)}.test.ts`}`;
}

/** Whether the operation's name is that of the file, or of one of its subjects. */
const hasRulesOf = (id: string, file: string): boolean => namesOf(familyOf(file)).some((name) => name.endsWith(`/${kebabCase(id)}`));

const known = [...Object.keys(readers), ...Object.keys(unreadOperations)];

/** Operations that answer donations and have no reader, and readers of operations that the contract no longer has. */
export function readerFaults(all: readonly Pick<Operation, "id">[] = operations, listed = known): string[] {
  const file = "conformance/suite/models/derive/members.ts";
  const unknown = answeringDonations().filter(({ id }) => !listed.includes(id));
  const gone = listed.filter((name) => !all.some(({ id }) => id === name));
  return [
    ...unknown.map(({ id }) => `${id} answers donations: say in ${file} how it reads the one that was recorded, or why it can't`),
    ...gone.map((name) => `${name} is no operation of the contract: take it out of ${file}`),
  ];
}
