// Reads the forms of the privacy page. The server keeps no donator's name between two forms.

import type { Counted } from "../../corrections/erasure/eraser.ts";
import type { FieldFaults } from "../components/field-faults.ts";
import type { Donator } from "./open-privacy.ts";

/** How a donator is named: members of the contract's DonatorErasure. */
export const namings = ["identifier", "donatorName"] as const;
export type Naming = (typeof namings)[number];

/** The fields of the first form as they were typed. */
export type DonatorForm = Readonly<{ by: Naming; who: string }>;

export const initialDonatorForm: DonatorForm = { by: "identifier", who: "" };

export function readDonatorForm(form: URLSearchParams): DonatorForm {
  return { by: namings.find((naming) => naming === form.get("by")) ?? initialDonatorForm.by, who: form.get("who") ?? "" };
}

/** The member that the contract will check. */
export function donatorOf({ by, who }: DonatorForm): Donator {
  return { [by]: who };
}

/** Faults of the member, as faults of the field that it was typed into. */
export function donatorFaults(faults: FieldFaults): FieldFaults {
  return { who: Object.values(faults).flat() };
}

/** What the page showed when its reader decided. */
export type Decided = Readonly<{ id: string; found: Counted }>;

export function readDecided(form: URLSearchParams): Decided {
  const number = (name: string) => Number(form.get(name) || Number.NaN);
  return { id: form.get("erasure") ?? "", found: { donations: number("donations"), firstAt: number("firstAt"), lastAt: number("lastAt") } };
}

export function isSame(a: Counted, b: Counted): boolean {
  return a.donations === b.donations && a.firstAt === b.firstAt && a.lastAt === b.lastAt;
}
