// Spans of statements, by OpenTelemetry's semantic conventions for database clients. Values of a statement are in no attribute.

import type { Client } from "pg";
import { aroundQuery, textOf } from "./around-query.ts";
import { describeStatement } from "./describe-statement.ts";
import { activeTracing, currentSpan, errorTypeOf, type TraceSpan } from "./tracing.ts";

/** Where a connection leads. */
export type QueryTarget = Readonly<{ address: string; port: number; namespace: string }>;

/** Statements of this connection become spans of the request that they belong to; those of no request, such as of the tasks, become none. */
export function traceQueries(client: Pick<Client, "query">, target: QueryTarget): void {
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
