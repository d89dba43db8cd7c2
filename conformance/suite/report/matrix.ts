// The matrix of rule families and fields in the reports: how many values were tried, how many rules failed; known failures are counted apart.

import { families, isUnknownFailure, type Rule } from "./run.ts";

/** Counts of one rule family and one field. */
export type Cell = { tried: number; passed: number; failed: number; known: number };

export type Row = { family: string; cells: Map<string, Cell> };

/**
 * Rule family × field. The column "" counts values of no single field and of fields for which the matrix has no column.
 * `others`: families whose values belong to no single field.
 */
type Matrix = { fields: string[]; rows: Row[]; others: Row[] };

/** The members of interface 2.1 are the first columns, in the order of the interface document. */
const interfaceFields = ["donatorName", "amount", "currency", "message", "identifier", "idempotencyKey", "skipAlert", "createdAt"];

/** Builds the matrix with at most `columns` fields; the fields with the fewest values are added up under "". */
export function matrixOf(rules: readonly Rule[], columns = Number.POSITIVE_INFINITY): Matrix {
  const ran = rules.filter(({ state }) => state !== "not run").map((rule) => ({ ...rule, tried: byColumn(rule.tried) }));
  const totals = new Map<string, number>();
  for (const { tried } of ran) for (const [field, count] of Object.entries(tried)) totals.set(field, (totals.get(field) ?? 0) + count);
  const others = [...totals].filter(([field]) => field !== "" && !interfaceFields.includes(field)).toSorted(([, a], [, b]) => b - a);
  const named = [...interfaceFields.filter((field) => totals.has(field)), ...others.map(([field]) => field)].slice(0, columns);
  const rows = [...families(ran)].map(([family, group]) => ({ family, cells: cellsOf(group, new Set(named)) }));
  const hasField = ({ cells }: Row): boolean => [...cells.keys()].some((field) => field !== "");
  return { fields: [...named, ""], rows: rows.filter(hasField), others: rows.filter((row) => !hasField(row)) };
}

/** Rules name a member `amount` or, as a JSON pointer, `/amount`, and the whole body in two ways: each has one column. */
function byColumn(tried: Rule["tried"]): Rule["tried"] {
  const columns: Rule["tried"] = {};
  for (const [field, count] of Object.entries(tried)) {
    const column = field === "the body" ? "body" : field.replace(/^\//, "");
    columns[column] = (columns[column] ?? 0) + count;
  }
  return columns;
}

function cellsOf(rules: readonly Rule[], named: ReadonlySet<string>): Map<string, Cell> {
  const cells = new Map<string, Cell>();
  for (const rule of rules) {
    const { tried, known } = rule;
    const fields = new Set(Object.keys(tried).map((field) => (named.has(field) ? field : "")));
    for (const field of fields) {
      const cell = cells.get(field) ?? { tried: 0, passed: 0, failed: 0, known: 0 };
      cells.set(field, cell);
      cell.tried += Object.entries(tried).reduce((total, [one, count]) => total + ((named.has(one) ? one : "") === field ? count : 0), 0);
      cell[isUnknownFailure(rule) ? "failed" : known ? "known" : "passed"] += 1;
    }
  }
  return cells;
}
