// Spans of statements, by OpenTelemetry's semantic conventions for database clients. Values of a statement are in no attribute.

import type { Client } from "pg";
import { aroundQuery, textOf } from "./around-query.ts";
import { activeTracing, currentSpan, errorTypeOf, type TraceSpan } from "./tracing.ts";

/** Where a connection leads. */
export type QueryTarget = Readonly<{ address: string; port: number; namespace: string }>;

const maxText = 4_096;

/** Statements of this connection become spans of the request that they belong to; those of no request, such as of the tasks, become none. */
export function traceQueries(client: Pick<Client, "query">, target: QueryTarget): void {
  aroundQuery(client, (statement) => {
    const span = startSpan(statement, target);
    return span && ((error) => span.end(error === undefined ? {} : { error: errorTypeOf(error) }));
  });
}

function startSpan(statement: unknown, { address, port, namespace }: QueryTarget): TraceSpan | null {
  const parent = currentSpan();
  const text = textOf(statement);
  if (!parent?.isSampled || text === "") return null;
  const operation = operationOf(text);
  const tracing = activeTracing();
  return (
    tracing?.start(`${operation} ${namespace}`, {
      kind: "client",
      parent,
      attributes: {
        "db.system.name": "postgresql",
        "db.namespace": namespace,
        "db.operation.name": operation,
        "db.query.text": text.length > maxText ? text.slice(0, maxText) : text,
        "server.address": address,
        "server.port": port,
      },
    }) ?? null
  );
}

/** The first word of a statement behind its comments. */
function operationOf(text: string): string {
  return /^(?:\s+|--[^\n]*\n|\/\*[\s\S]*?\*\/)*([a-z]+)/i.exec(text)?.[1]?.toUpperCase() ?? "_OTHER";
}
