// Reads and validates the form for a new API key.

import type { Scope } from "../../http/operations.ts";
import type { Fault } from "../../http/problem.ts";
import { localDay } from "../../ui/times.ts";
import type { FieldFaults } from "../components/field-faults.ts";

/** The form's fields as they were typed. */
export type NewKeyForm = Readonly<{
  name: string;
  /** Keys of one application share idempotency keys. */
  application: string;
  scopes: readonly Scope[];
  /** The last day on which the key works, `2026-11-21`; empty for a key that does not expire. */
  expires: string;
}>;

/** A limit of the studio only; the contract has none. */
export const maxNameLength = 60;

export const initialKeyForm: NewKeyForm = { name: "", application: "default", scopes: ["write:donations", "read:donations"], expires: "" };

/** Each scope has a checkbox with a name of its own, because no field may be sent twice. */
export function readKeyForm(form: URLSearchParams, scopes: readonly Scope[]): NewKeyForm {
  const text = (name: string) => (form.get(name) ?? "").trim();
  return {
    name: text("name"),
    application: text("application") || initialKeyForm.application,
    scopes: scopes.filter((scope) => form.has(`scope ${scope}`)),
    expires: text("expires"),
  };
}

export function findKeyFaults({ name, application, scopes, expires }: NewKeyForm, now: number): FieldFaults {
  const tooLong: Fault = { code: "too_long", message: `must have at most ${maxNameLength} characters` };
  const faults: Record<string, Fault | false> = {
    name: name === "" ? { code: "required", message: "is required" } : [...name].length > maxNameLength && tooLong,
    application: [...application].length > maxNameLength && tooLong,
    scopes: scopes.length === 0 && { code: "required", message: "must be at least one" },
    expires: expires !== "" && expiryFault(expires, now),
  };
  return Object.fromEntries(Object.entries(faults).flatMap(([field, fault]) => (fault ? [[field, [fault]]] : [])));
}

function expiryFault(expires: string, now: number): Fault | false {
  if (!isDay(expires)) return { code: "invalid_format", message: "must be a day, such as 2027-12-31" };
  return expires < localDay(now) && { code: "out_of_range", message: "must not be in the past" };
}

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
