// What spans say of a statement: a summary that few names suffice for, and its text without comments, cut. Values are never part of a text.

export type StatementDescription = Readonly<{ operation: string; summary: string; text: string }>;

const maxText = 1_024;
const maxKnown = 1_000;
const known = new Map<string, StatementDescription>();

/** Most texts come again and again. */
export function describeStatement(text: string): StatementDescription {
  const before = known.get(text);
  if (before) return before;
  if (known.size >= maxKnown) known.clear();
  const description = describe(text);
  known.set(text, description);
  return description;
}

/** What comes first counts: of a statement with several parts, that it inserts says more than that it reads. */
const changes = [
  /\binsert into ("?[\w.]+"?)/i,
  /\bupdate (?:only )?("?[\w.]+"?) (?:as \w+ )?set\b/i,
  /\bdelete from (?:only )?("?[\w.]+"?)/i,
];
const words = ["INSERT", "UPDATE", "DELETE"];

/** A statement's own name, as a line before it. */
const nameLine = /^-- name: (.+)$/m;

function describe(sent: string): StatementDescription {
  const text = withoutComments(sent);
  const first = /^\W*([a-z]+)/i.exec(text)?.[1]?.toUpperCase() ?? "_OTHER";
  const [operation, target] = isQuery.test(first) ? mainPart(text) : [first, null];
  const summary = nameLine.exec(sent)?.[1] ?? (target === null ? operation : `${operation} ${target.replaceAll('"', "")}`);
  return { operation, summary, text: text.length > maxText ? `${text.slice(0, maxText - 1)}…` : text };
}

const isQuery = /^(?:WITH|SELECT|INSERT|UPDATE|DELETE)$/;

function mainPart(text: string): [operation: string, target: string | null] {
  const change = changes.findIndex((pattern) => pattern.test(text));
  if (change >= 0) return [words[change] as string, changes[change]?.exec(text)?.[1] ?? null];
  const parts = new Set([...text.matchAll(/\b(\w+)(?:\([\w, ]*\))? as (?:not )?(?:materialized )?\(/gi)].map(([, name]) => name));
  const tables = [...text.matchAll(/\b(?:from|join) (?:only |lateral )?("[^"]+"|[a-z_][\w.]*)(?![\w.]| ?\()/gi)].map(
    ([, name]) => name as string,
  );
  return ["SELECT", tables.find((name) => !parts.has(name)) ?? null];
}

/** On one line. What looks like a comment inside of quotes is none. */
function withoutComments(text: string): string {
  return text
    .replace(/'(?:[^']|'')*'|"[^"]*"|--[^\n]*|\/\*[\s\S]*?\*\//g, (part) => (/^['"]/.test(part) ? part : " "))
    .replace(/\s+/g, " ")
    .trim();
}
