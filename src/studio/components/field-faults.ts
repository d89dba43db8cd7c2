// Maps the contract's validation faults to the fields of a form.

import { withArabicDigits } from "../../base/text.ts";
import { type Fault, Problem } from "../../http/problem.ts";

/** Faults by the name of their field: the parameter, or the pointer without its list positions: `goal.title`, `blockedWords`. */
export type FieldFaults = Readonly<Record<string, readonly Fault[]>>;

/** Runs `act`. Resolves to the faults when it throws validation_failed, and to null when it succeeds. */
export async function faultsByField(act: () => Promise<unknown>): Promise<FieldFaults | null> {
  try {
    await act();
    return null;
  } catch (error) {
    const faults = validationFaults(error);
    if (!faults) throw error;
    return faults;
  }
}

/** The faults of validation_failed and invalid_range; null for any other error. */
export function validationFaults(error: unknown): FieldFaults | null {
  if (!(error instanceof Problem) || (error.code !== "validation_failed" && error.code !== "invalid_range")) return null;
  return Object.groupBy(error.extras.errors ?? [], fieldOf) as FieldFaults;
}

const grouped = /^-?\d{1,3}(?:,\d{3})+(?:\.\d*)?$/;

/**
 * Reads a number as people type it, including thousands separators and Thai digits. Any other text is returned as it is, so that the
 * contract reports what is wrong with it: "1,50" may mean 1.5, and is not read as 150.
 */
export function readNumber(typed: string): number | string {
  const digits = withArabicDigits(typed).replace(/\s/g, "");
  const plain = grouped.test(digits) ? digits.replaceAll(",", "") : digits;
  return /^-?(?:\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : typed;
}

/** The position of the list item that the fault is about; null for a fault that is not about an item. */
export function positionOf({ pointer = "" }: Fault): number | null {
  const [position] = /\d+$/.exec(pointer) ?? [];
  return position === undefined ? null : Number(position);
}

function fieldOf({ parameter, pointer = "" }: Fault): string {
  if (parameter !== undefined) return parameter;
  return pointer
    .split("/")
    .slice(1)
    .filter((name) => !/^\d+$/.test(name))
    .join(".");
}
