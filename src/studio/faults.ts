// From the contract's faults to words beside a form's fields.

import { type Fault, Problem } from "../http/problem.ts";

/** Faults by the name of their field, which is the pointer without its list positions: `goal.title`, `blockedWords`. */
export type FieldFaults = Readonly<Record<string, readonly Fault[]>>;

/** Does it; the faults when the contract refuses what was typed, null when all went well. */
export async function faultsByField(act: () => Promise<unknown>): Promise<FieldFaults | null> {
  try {
    await act();
    return null;
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "validation_failed") throw error;
    return Object.groupBy(error.extras.errors ?? [], fieldOf) as FieldFaults;
  }
}

/**
 * A number as people type it: thousands separators and Thai digits too. Anything else stays text, so that the contract says what
 * is wrong with it.
 */
export function readNumber(typed: string): number | string {
  const plain = typed.replace(/[๐-๙]/g, (digit) => String(digit.charCodeAt(0) - 0x0e50)).replace(/[,\s]/g, "");
  return /^-?(?:\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : typed;
}

/** A fault at the place of a list. */
export function positionOf({ pointer = "" }: Fault): number | null {
  const [position] = /\d+$/.exec(pointer) ?? [];
  return position === undefined ? null : Number(position);
}

function fieldOf({ pointer = "" }: Fault): string {
  return pointer
    .split("/")
    .slice(1)
    .filter((name) => !/^\d+$/.test(name))
    .join(".");
}
