// Folding where Citus distributes the database: a function that runs on the node of the streamer.
//
// It is made from fold.sql: each part that writes becomes a statement with the parts that it reads. What is folded is chosen once, as a range
// of sequences: a statement sees donations that were recorded since the one before it.

import { type NodeFunction, nodeFunction } from "../../db/citus/node-functions.ts";

type Part = Readonly<{ name: string; head: string; body: string }>;

/** Each part reads the roll-ups as they are before those that come after it here. */
const order = ["numbered", "summed", "counted", "credited", "classed", "tallied"];

/** `settings`: of PostgreSQL, while it folds. Its parameters are the streamer and the maximum number of donations. Throws an Error when fold.sql has other parts. */
export function foldFunction(foldSql: string, settings: Readonly<Record<string, string>>): NodeFunction {
  const parts = partsOf(foldSql);
  const writing = order.map((name) => parts.find((part) => part.name === name));
  if (writing.some((part) => !part) || parts.filter(({ body }) => isWriting(body)).length !== order.length)
    throw new Error(`fold.sql has other parts that write than ${order.join(", ")}`);
  const [next, reached] = ["next", "reached"].map((name) => parts.find((part) => part.name === name)?.body);
  const body = `
#variable_conflict use_column
declare
  progress record;
  chosen record;
  new_donators bigint;
begin
${lockProgress}
if not found then
  insert into report_progress (streamer_id) values ($1) on conflict do nothing;
  ${lockProgress}
  if not found then
    return;
  end if;
end if;
with next as (${withVariables(next as string)})
${withVariables(reached as string)} into chosen;
if chosen.donations = 0 then
  update report_progress p set rolled_sequence = chosen.sequence where p.streamer_id = $1 and p.rolled_sequence < chosen.sequence;
  return query select 0::bigint;
  return;
end if;
${writing
  .map((part) => statementOf(part as Part, parts))
  .join(";\n")
  .replace(";\n", ";\nget diagnostics new_donators = row_count;\n")};
update report_progress p set rolled_sequence = chosen.sequence, donators = p.donators + new_donators where p.streamer_id = $1;
return query select chosen.donations::bigint;
end`;
  return nodeFunction("fold", { parameters: ["uuid", "bigint"], returns: "donations bigint", settings, body });
}

const lockProgress = "select rolled_sequence, donators into progress from report_progress where streamer_id = $1 for update skip locked;";

function partsOf(sql: string): Part[] {
  const text = sql.replace(/^\s*--.*$/gm, "").replace(/ --.*$/gm, "");
  return [...text.matchAll(/^(?:with )?(\w+) as ((?:materialized )?)\(\n([\s\S]*?)\n\)/gm)].map(([, name = "", head = "", body = ""]) => ({
    name,
    head,
    body,
  }));
}

const isWriting = (body: string): boolean => /^\s*insert /.test(body);

/** An insert with the parts that it reads. The streamer comes from a table, so that Citus sees that the rows stay on this node. */
function statementOf({ body }: Part, parts: readonly Part[]): string {
  const [, into = "", columns = "", conflict = ""] =
    /^\s*(insert into [^\n]*)\n\s*select \$1, ([\s\S]*?)(\n\s*on conflict[\s\S]*)?$/.exec(body.replace(/\n\s*returning [^\n]*$/, "")) ?? [];
  const read = readBy(columns, parts).map(
    ({ name, head, body }) =>
      `${name} as ${head}(${withVariables(body.replace("order by sequence limit", "and sequence <= chosen.sequence $&"))})`,
  );
  return `${into}
with ${read.join(",\n")}
select streamer.id, made.* from streamers streamer cross join (select ${withVariables(columns)}) as made where streamer.id = $1${conflict}`;
}

/** The parts that a text reads, directly or not, in their order. Those that write are read from their table. */
function readBy(text: string, parts: readonly Part[]): Part[] {
  const names = new Set<string>();
  const look = (of: string): void => {
    for (const { name, body } of parts)
      if (!names.has(name) && new RegExp(`\\b(?:from|join) ${name}\\b`).test(of) && !isWriting(body)) {
        names.add(name);
        look(withVariables(body));
      }
  };
  look(text);
  return parts.filter(({ name }) => names.has(name));
}

/** `$1` and `$2` are the parameters of the function: the streamer, and the maximum number of donations. */
function withVariables(text: string): string {
  const variables: Record<string, string> = { $2: "progress.rolled_sequence", $3: "$2", $4: "progress.donators" };
  return text
    .replace(/select donator, key from numbered\n\s*union all\n/, "") // they are in the table
    .replace(/\$[234]/g, (parameter) => variables[parameter] as string);
}
