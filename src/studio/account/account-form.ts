// Reads and checks the forms of the account page.

import type { Fault } from "../../http/problem.ts";
import type { Preferences } from "../../oauth/accounts/preferences.ts";
import { type Language, languages } from "../../ui/reader.ts";
import type { FieldFaults } from "../components/field-faults.ts";
import { readTimeZone } from "../components/time-zones.ts";

/** What was typed into the password form; it is never shown again. */
export type PasswordForm = Readonly<{ current: string; next: string; repeated: string }>;

export function readPasswordForm(form: URLSearchParams): PasswordForm {
  const text = (name: string) => form.get(name) ?? "";
  return { current: text("current"), next: text("next"), repeated: text("repeated") };
}

/** `length`: how many characters a password has, in code points. */
export function findPasswordFaults(typed: PasswordForm, length: Readonly<{ minimum: number; maximum: number }>): FieldFaults {
  const points = [...typed.next].length;
  const isLong = points > length.maximum;
  const wrongLength: Fault | false = (isLong || points < length.minimum) && {
    code: isLong ? "too_long" : "too_short",
    message: `must have ${length.minimum} to ${length.maximum} characters`,
  };
  const faults: Record<string, Fault | false> = {
    current: typed.current === "" && { code: "required", message: "is required" },
    next: wrongLength,
    repeated: typed.next !== typed.repeated && { code: "invalid_format", message: "must be the same as the new password" },
  };
  return Object.fromEntries(Object.entries(faults).flatMap(([field, fault]) => (fault ? [[field, [fault]]] : [])));
}

/** Null when the form names a time zone or language that there is not; the page offers none of these. */
export function readPreferences(form: URLSearchParams): Preferences | null {
  const timeZone = readTimeZone(form);
  const language: Language | undefined = languages.find((known) => known === form.get("preferred"));
  return timeZone && language ? { timeZone, language } : null;
}
