// Converts a batch of donations into the parameters of the recording statements: an array for each column.

import { isQuoted, members } from "./columns.ts";
import type { NewDonation } from "./donation.ts";

type Value = string | number | boolean | null;

/** Arrays in the syntax of PostgreSQL (manual, 8.15.2). Written here, because the driver would search each element for characters to quote. */
export function toArrays(donations: readonly NewDonation[]): string[] {
  return arrayColumns.map(([member, toElement]) => {
    let elements = "";
    for (const donation of donations) elements += `,${toElement(donation[member])}`;
    return `{${elements.slice(1)}}`;
  });
}

/** For ids, numbers and enum values, which need no quotes. A number is written as the shortest decimal that reads back to the same double. */
const toBareElement = (value: Value) => (value === null ? "NULL" : String(value));

const toQuotedElement = (value: Value) => (value === null ? "NULL" : `"${escapeQuotes(String(value))}"`);

const escapeQuotes = (text: string) => (special.test(text) ? text.replace(/["\\]/g, "\\$&") : text);

const special = /["\\]/;

/** The inserted members in the order of the statements, each with the function that writes its elements. */
const arrayColumns = members.map((member) => [member, isQuoted(member) ? toQuotedElement : toBareElement] as const);
