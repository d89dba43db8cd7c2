// A batch as the recording statements take it: an array for each column.

import { isQuoted, members } from "./columns.ts";
import type { NewDonation } from "./donation.ts";

type Value = string | number | boolean | null;

/** Arrays as Postgres writes them (its manual, 8.15.2): the driver would look into each element for what must be quoted. */
export function toArrays(donations: readonly NewDonation[]): string[] {
  return inserted.map(([member, toElement]) => {
    let elements = "";
    for (const donation of donations) elements += `,${toElement(donation[member])}`;
    return `{${elements.slice(1)}}`;
  });
}

/** Ids, numbers, and words of the contract: nothing in them needs quotes. A number is the shortest decimal that reads back to the same double. */
const bare = (value: Value) => (value === null ? "NULL" : String(value));

const quoted = (value: Value) => (value === null ? "NULL" : `"${escaped(String(value))}"`);

const escaped = (text: string) => (special.test(text) ? text.replace(/["\\]/g, "\\$&") : text);

const special = /["\\]/;

/** What is inserted, in the order of the statements, and how. */
export const inserted = members.map((member) => [member, isQuoted(member) ? quoted : bare] as const);
