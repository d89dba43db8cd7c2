// Spans of statements, by OpenTelemetry's semantic conventions for database clients. Values of a statement are in no attribute.

import type { Client } from "pg";
import { activeTracing, currentSpan, errorTypeOf, type TraceSpan } from "./tracing.ts";

/** Where a connection leads. */
export type QueryTarget = Readonly<{ address: string; port: number; namespace: string }>;

type Callback = (error: unknown, ...rest: unknown[]) => void;

const maxText = 4_096;

/** Statements of this connection become spans of the request that they belong to; those of no request, such as of the tasks, become none. */
export function traceQueries(client: Pick<Client, "query">, target: QueryTarget): void {
  const query = client.query.bind(client) as (...parts: unknown[]) => unknown;
  client.query = ((...parts: unknown[]) => {
    const span = startSpan(parts[0], target);
    if (!span) return query(...parts);
    const callback = parts.at(-1);
    if (typeof callback === "function") {
      const done: Callback = (error, ...rest) => {
        span.end(error ? { error: errorTypeOf(error) } : {});
        (callback as Callback)(error, ...rest);
      };
      return query(...parts.slice(0, -1), done);
    }
    const answer = query(...parts);
    if (answer instanceof Promise)
      return answer.then(
        (result) => {
          span.end();
          return result;
        },
        (error) => {
          span.end({ error: errorTypeOf(error) });
          throw error;
        },
      );
    span.end(); // a cursor or a copy, which is read piece by piece
    return answer;
  }) as Client["query"];
}

function startSpan(config: unknown, { address, port, namespace }: QueryTarget): TraceSpan | null {
  const parent = currentSpan();
  const text = typeof config === "string" ? config : (config as { text?: unknown } | undefined)?.text;
  if (!parent?.isSampled || typeof text !== "string") return null;
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
