// The time zones that a form offers.

/** Every time zone that this server knows, by its name in the IANA database. */
export const timeZones: readonly string[] = [...new Set([...Intl.supportedValuesOf("timeZone"), "UTC"])].sort();

/** The time zone that the form's field `timeZone` names; null for one that no form offers. */
export function readTimeZone(form: URLSearchParams): string | null {
  return timeZones.find((known) => known === form.get("timeZone")) ?? null;
}
