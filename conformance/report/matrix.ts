import { families, type Rule } from "./run.ts";

/** Of one rule family and one field. */
export type Cell = { tried: number; passed: number; failed: number };

export type Row = { family: string; cells: Map<string, Cell> };

/**
 * Rule family × field. "" is the column of what is about no field, or about more than the matrix has columns for.
 * `others`: families that are about no field at all.
 */
export type Matrix = { fields: string[]; rows: Row[]; others: Row[] };

/** The members of interface 2.1 stand first, as the interface has them. */
const first = ["donatorName", "amount", "currency", "message", "identifier", "idempotencyKey", "skipAlert", "createdAt"];

/** `columns`: no more than so many fields; the ones that were tried least are gathered under "". */
export function matrixOf(rules: readonly Rule[], columns = Number.POSITIVE_INFINITY): Matrix {
  const ran = rules.filter(({ state }) => state !== "not run");
  const totals = new Map<string, number>();
  for (const { tried } of ran) for (const [field, count] of Object.entries(tried)) totals.set(field, (totals.get(field) ?? 0) + count);
  const others = [...totals].filter(([field]) => field !== "" && !first.includes(field)).toSorted(([, a], [, b]) => b - a);
  const named = [...first.filter((field) => totals.has(field)), ...others.map(([field]) => field)].slice(0, columns);
  const rows = [...families(ran)].map(([family, group]) => ({ family, cells: cellsOf(group, new Set(named)) }));
  const hasField = ({ cells }: Row): boolean => [...cells.keys()].some((field) => field !== "");
  return { fields: [...named, ""], rows: rows.filter(hasField), others: rows.filter((row) => !hasField(row)) };
}

function cellsOf(rules: readonly Rule[], named: ReadonlySet<string>): Map<string, Cell> {
  const cells = new Map<string, Cell>();
  for (const { tried, state } of rules) {
    const fields = new Set(Object.keys(tried).map((field) => (named.has(field) ? field : "")));
    for (const field of fields) {
      const cell = cells.get(field) ?? { tried: 0, passed: 0, failed: 0 };
      cells.set(field, cell);
      cell.tried += Object.entries(tried).reduce((total, [one, count]) => total + ((named.has(one) ? one : "") === field ? count : 0), 0);
      cell[state === "failed" ? "failed" : "passed"] += 1;
    }
  }
  return cells;
}
