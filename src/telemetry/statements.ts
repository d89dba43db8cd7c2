// The statements of a connection: how they are watched, for which `pg` has no hook, and their spans.

import type { Client } from "pg";
import { activeTracing, currentSpan, errorTypeOf, type TraceSpan } from "./tracing.ts";

type Callback = (error: unknown, ...rest: unknown[]) => void;

/** Is called when the statement has ended, with its error if it has one. */
type EndQuery = (error?: unknown) => void;

/**
 * `begin` is called with each statement before it is sent; null: this one is not watched. A cursor or a copy, which is read later, counts as
 * ended when it was sent.
 */
export function aroundQuery(client: Client, begin: (statement: unknown) => EndQuery | null): void {
  const query = client.query.bind(client) as (...parts: unknown[]) => unknown;
  client.query = ((...parts: unknown[]) => {
    const end = begin(parts[0]);
    return end ? callUntil(end, query, parts) : query(...parts);
  }) as Client["query"];
}

/** The text of a statement; empty where `pg` is given none, such as for a cursor. */
export function textOf(statement: unknown): string {
  const text = typeof statement === "string" ? statement : (statement as { text?: unknown } | undefined)?.text;
  return typeof text === "string" ? text : "";
}

function callUntil(end: EndQuery, query: (...parts: unknown[]) => unknown, parts: unknown[]): unknown {
  const callback = parts.at(-1);
  if (typeof callback === "function") {
    const done: Callback = (error, ...rest) => {
      end(error ?? undefined);
      (callback as Callback)(error, ...rest);
    };
    return query(...parts.slice(0, -1), done);
  }
  const answer = query(...parts);
  if (!(answer instanceof Promise)) {
    end();
    return answer;
  }
  return answer.then(
    (result) => {
      end();
      return result;
    },
    (error) => {
      end(error);
      throw error;
    },
  );
}

// Spans of statements, by OpenTelemetry's semantic conventions for database clients. Values of a statement are in no attribute.

/** Where a connection leads. */
type QueryTarget = Readonly<{ address: string; port: number; namespace: string }>;

/** Statements of this connection become spans of the request that they belong to; those of no request, such as of the tasks, become none. */
export function traceQueries(client: Client, target: QueryTarget): void {
  aroundQuery(client, (statement) => {
    const span = startSpan(statement, target);
    return span && ((error) => span.end(error === undefined ? {} : { error: errorTypeOf(error) }));
  });
}

function startSpan(statement: unknown, { address, port, namespace }: QueryTarget): TraceSpan | null {
  const parent = currentSpan();
  const sent = textOf(statement);
  if (!parent?.isSampled || sent === "") return null;
  const { operation, summary, text } = describeStatement(sent);
  const tracing = activeTracing();
  return (
    tracing?.start(summary, {
      kind: "client",
      parent,
      attributes: {
        "db.system.name": "postgresql",
        "db.namespace": namespace,
        "db.operation.name": operation,
        "db.query.summary": summary,
        "db.query.text": text,
        "server.address": address,
        "server.port": port,
      },
    }) ?? null
  );
}

// What spans say of a statement: a summary that few names suffice for, and its text without comments, cut. Values are never part of a text.

type StatementDescription = Readonly<{ operation: string; summary: string; text: string }>;

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
