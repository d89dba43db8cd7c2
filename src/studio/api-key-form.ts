// A new API key as its form says. Pure.

import type { Scope } from "../http/operations.ts";
import type { Fault } from "../http/problem.ts";
import type { FieldFaults } from "./faults.ts";
import { localDay } from "./pages/words.ts";

/** As it was typed. */
export type NewKeyForm = Readonly<{
  name: string;
  /** Keys of one application share idempotency keys. */
  application: string;
  scopes: readonly Scope[];
  /** Its last day; empty: it does not expire. */
  expires: string;
}>;

/** No rule of the contract: enough for a name, little enough to be read. */
export const maxName = 60;

export const firstKey: NewKeyForm = { name: "", application: "default", scopes: ["write:donations", "read:donations"], expires: "" };

/** Each scope is a box of its own, because no field may be sent twice. */
export function readKey(form: URLSearchParams, scopes: readonly Scope[]): NewKeyForm {
  const text = (name: string) => (form.get(name) ?? "").trim();
  return {
    name: text("name"),
    application: text("application") || firstKey.application,
    scopes: scopes.filter((scope) => form.has(`scope ${scope}`)),
    expires: text("expires"),
  };
}

export function keyFaults({ name, application, scopes, expires }: NewKeyForm, now: number): FieldFaults {
  const tooLong: Fault = { code: "too_long", message: `must have at most ${maxName} characters` };
  const faults: Record<string, Fault | false> = {
    name: name === "" ? { code: "required", message: "is required" } : [...name].length > maxName && tooLong,
    application: [...application].length > maxName && tooLong,
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
