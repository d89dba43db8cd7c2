// Tells a commit whose answer was lost from a transaction that was not committed.

import type { Client } from "pg";
import { aroundQuery, textOf } from "../telemetry/statements.ts";
import { noteSent } from "./failures.ts";

/** The error of a commit on a lost connection is one of which `isCommitUnknown` is true. */
export function noteLostCommits(client: Pick<Client, "query">): void {
  aroundQuery(client, (statement) => (/^\s*commit\b/i.test(textOf(statement)) ? (error) => noteSent(error, "commit") : null));
}
