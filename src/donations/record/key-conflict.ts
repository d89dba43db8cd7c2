// The error of an idempotency key that is in use or belongs to another donation.

import type { OwnCode } from "../../http/problem.ts";

export type KeyConflictCode = Extract<OwnCode, `idempotency_${string}`>;

/** Nothing was recorded for this request. */
export class KeyConflict extends Error {
  readonly code: KeyConflictCode;

  constructor(code: KeyConflictCode, detail: string) {
    super(detail);
    this.name = "KeyConflict";
    this.code = code;
  }
}

export function keyReused(): KeyConflict {
  return new KeyConflict("idempotency_key_reused", "This idempotencyKey already belongs to another donation.");
}
