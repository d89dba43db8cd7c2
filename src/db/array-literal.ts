// Arrays as PostgreSQL reads them (manual, 8.15.2). They are written here because the driver would examine each element character by character.

type Element = string | number | boolean | null;

/** An array literal of any elements. A number is written as the shortest decimal that reads back to the same double. */
export function arrayLiteral(elements: readonly Element[]): string {
  let list = "";
  for (const element of elements) list += `,${literal(element)}`;
  return `{${list.slice(1)}}`;
}

function literal(element: Element): string {
  if (element === null) return "NULL";
  if (typeof element !== "string") return String(element);
  return plain.test(element) ? element : `"${element.replace(/["\\]/g, "\\$&")}"`;
}

/** Needs no quotes: ids, numbers, words of the contract. `null` would be read as NULL. */
const plain = /^(?!null$)[\w.:-]+$/i;
