// Texts that keep interface 2 to the letter, and that a sound server may refuse, or change before it counts: interface 7 shows no
// conditions of errors. Profile `interface` tries none of them; rules of profile `contract` do.

import { instantOf, instantText, parseDateTime } from "../contract/date-time.ts";
import { members } from "../contract/interface.ts";
import { type Json, textOfString } from "../contract/json-text.ts";
import { fewest, most } from "./length-units.ts";
import type { LengthUnit } from "./target.ts";

/** Says in words what is undecided about the texts of a donation. */
export function undecidedTexts(sent: ReadonlyMap<string, Json>, unit: LengthUnit): string[] {
  return members.flatMap(({ member, minLength = 0, maxLength }) => {
    const value = sent.get(member);
    if (value?.type !== "string") return [];
    const text = textOfString(value.codePoints);
    if (member === "createdAt") return isOutsideOfYears(text) ? [`${member} is outside of the years 0001 to 9999`] : [];
    if (maxLength === undefined) return [];
    return [
      ...(notText.test(text) ? [`${member} has control characters or noncharacters`] : []),
      ...(isDecided(text, { minLength, maxLength, unit }) ? [] : [`whether blanks at the ends of ${member} count`]),
    ];
  });
}

/** Control characters, and code points that Unicode reserves for use inside of programs. */
const notText = /[\p{Cc}\p{Noncharacter_Code_Point}]/u;

type Bounds = { minLength: number; maxLength: number; unit: LengthUnit };

/** Whether the length is judged in the same way with and without the blanks at both ends. */
function isDecided(text: string, { minLength, maxLength, unit }: Bounds): boolean {
  const trimmed = text.trim();
  const isTooShort = (one: string): boolean => most(one, unit) < minLength;
  const isTooLong = (one: string): boolean => fewest(one, unit) > maxLength;
  return isTooShort(trimmed) === isTooShort(text) && isTooLong(trimmed) === isTooLong(text);
}

/** ISO 8601 has the year 0000 by agreement only, many calendars have none, and UTC may be in another year than the local date. */
function isOutsideOfYears(text: string): boolean {
  const dateTime = parseDateTime(text);
  if (!dateTime) return false;
  const utc = instantText(instantOf(dateTime));
  return dateTime.year === 0 || utc === null || utc.startsWith("0000");
}
