// The guides' tables of scopes, limits, errors, operations and tools: Markdown generated from the contract.

import { toolName } from "../http/contract/operation.ts";
import { type Document, type Operation, operationsOf, type Quota, scopesOf } from "./published-contract.ts";

/** The operator's quotas by policy, where they differ from the contract's. */
export type Quotas = Readonly<Record<string, Quota>>;

export function scopesTable(document: Document): string {
  const { enum: scopes } = document.components.schemas.Scope;
  const operations = operationsOf(document);
  const needing = (scope: string) => operations.filter((operation) => scopesOf(operation)?.includes(scope));
  return table(
    ["Scope", "Allows", "Needed by"],
    scopes.map((scope) => [code(scope), document["x-scopes"][scope] ?? "", names(needing(scope))]),
  );
}

export function limitsTable(document: Document, quotas: Quotas): string {
  const operations = operationsOf(document);
  return table(
    ["Limit", "Requests", "At once", "Counted per", "All of a streamer's together", "Operations"],
    Object.entries(document["x-rate-limits"]).map(([name, { per, perStreamer, ...published }]) => {
      const { quota, window, burst } = quotas[name] ?? published;
      const counted = operations.filter((operation) => operation["x-rate-limit"] === name);
      return [
        code(name),
        `${quota} in ${window} s`,
        String(burst),
        per,
        perStreamer ? `${perStreamer} times as many` : "–",
        names(counted),
      ];
    }),
  );
}

/** A paragraph for each problem code under its own heading, to which the `type` of the problem links. */
export function errorParagraphs({ "x-problems": problems }: Document): string {
  return Object.entries(problems)
    .map(([code, { status, title, when, remedy }]) => `### ${code}\n\n**${status} ${title}.** ${when}\n\n**What to do:** ${remedy}`)
    .join("\n\n");
}

export function operationsTable(document: Document): string {
  return table(
    ["Operation", "Request", "Scope", "What it does"],
    operationsOf(document).map((operation) => [
      code(operation.operationId),
      code(`${operation.method} ${operation.path}`),
      scopeCell(operation),
      operation.summary,
    ]),
  );
}

/** Deprecated operations: since when, until when, and their replacement. */
export function deprecatedTable(document: Document): string {
  const rows = operationsOf(document).flatMap(({ operationId, "x-deprecation": deprecation }) =>
    deprecation ? [[code(operationId), deprecation.since, deprecation.sunset, deprecation.instead ? code(deprecation.instead) : "–"]] : [],
  );
  return rows.length === 0 ? "None at the moment." : table(["Operation", "Deprecated since", "Answers until", "Use instead"], rows);
}

export function toolsTable(document: Document): string {
  const tools = operationsOf(document).filter((operation) => operation["x-mcp-tool"]);
  return table(
    ["Tool", "Scope", "What it does"],
    tools.map((tool) => [code(toolName(tool.operationId)), scopeCell(tool), tool.summary]),
  );
}

function scopeCell(operation: Operation): string {
  const scopes = scopesOf(operation);
  if (scopes?.length) return scopes.map(code).join(", ");
  if (scopes) return "any credential";
  return (operation.security ?? []).some((schemes) => "OverlayKey" in schemes) ? "overlay key" : "none";
}

function names(operations: readonly Operation[]): string {
  return operations.map(({ operationId }) => code(operationId)).join(", ") || "–";
}

const code = (text: string) => `\`${text}\``;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
