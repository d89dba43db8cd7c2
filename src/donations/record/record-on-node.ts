// Recording where Citus distributes the database: a function that runs on the node of the streamer, so that a batch is one statement of the
// coordinator there. Citus would send each part of record-one-streamer.sql to the node by itself, and what it returns back and forth.
//
// The function is made from that file: its parts follow each other, and what a later part reads of an earlier one is a row or a range of
// sequences.

import { type NodeFunction, nodeFunction } from "../../db/citus/node-functions.ts";

/** A batch waits for the streamer's lock no longer than this. The time-out of the pool is one of the coordinator. */
const lockTimeoutMs = 250;

/** `text`: record-one-streamer.sql, with the parts of an import or without. Throws an Error when it has other parts. */
export function functionOf(text: string, parameters: readonly string[]): NodeFunction {
  const sql = text.replace(/^\s*--.*$/gm, "");
  const parts = [...sql.matchAll(/^(?:with |, )?(\w+) as \(\n([\s\S]*?)\n\)/gm)].map(([, name, part]) => ({ name, part: part as string }));
  const [counted, ...others] = parts.map(({ part }) => part);
  const noRow = sql.includes("not exists (select from counted)") ? "return query select null::uuid, null::bigint, null::bigint;" : "";
  const answer = /^select id, sequence.* from stored/m.exec(sql)?.[0];
  if (parts[0]?.name !== "counted" || !answer) throw new Error("record-one-streamer.sql has other parts than record-on-node.ts expects");
  const body = `
#variable_conflict use_column
declare
  clock timestamptz := clock_timestamp();
  row_before record;
  secret_of_keys bytea;
begin
${counted?.replaceAll("clock_timestamp()", "clock")} into row_before;
if not found then
  ${noRow}
  return;
end if;
if row_before.has_erasures then
  select secret from erased_key_secret into secret_of_keys;
end if;
${[...others, `return query ${answer}`].map(onNode).join(";\n")};
end`;
  const returns = "id uuid, sequence bigint, received_at bigint";
  return nodeFunction("record", { parameters, returns, settings: { lock_timeout: lockTimeoutMs }, body });
}

/** The sequences after the counter are this batch's alone, because the row of the counter is locked. */
function onNode(part: string): string {
  return part
    .replace(
      "from counted",
      () =>
        `from (select id as streamer_id, row_before.sequence_before, row_before.received_at, row_before.has_erasures
          from streamers where id = $1) as counted`,
    )
    .replace(
      "from stored",
      () =>
        `from (select streamer_id, id, sequence, skip_alert, received_at from donations where streamer_id = $1
          and sequence > row_before.sequence_before and sequence <= row_before.sequence_before + cardinality($2)) as stored`,
    )
    .replace(/\n\s*returning .*$/m, "")
    .replace("(select secret from erased_key_secret)", "secret_of_keys");
}
