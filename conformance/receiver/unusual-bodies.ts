// Bodies that a receiver must accept, and that simple ones do not expect.

import type { Event } from "./events.ts";

const bytes = 20_480;

/** Members that a later version of the contract may add. */
export const withUnknownMembers = (event: Event): object => ({
  ...event,
  data: { ...event.data, addedLater: { nested: [1, null, "x"] } },
  addedLater: true,
});

/** The same event in a notation that no usual writer repeats: uneven spaces, escaped letters, and 100.50 where they would write 100.5. */
export function formatted({ type, timestamp, data }: Event): string {
  const [first = "", ...others] = Object.entries({ ...data, amount: 100.5 }).map(([name, value]) =>
    name === "amount" ? `"amount":100.50` : `${JSON.stringify(name)} :${escaped(JSON.stringify(value))}`,
  );
  return `{ "type":${JSON.stringify(type)},\n  "timestamp" : "${timestamp}","data":{${[first, ...others].join(" , ")}}  }`;
}

/** Every other letter beyond ASCII as an escape. */
function escaped(json: string): string {
  let count = 0;
  return json.replace(/[\u0080-\uFFFF]/g, (unit) => (count++ % 2 === 0 ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`));
}

/** The event with texts that go wrong where bytes are taken for characters, or where text becomes HTML. */
export const unicode = (event: Event): Event => ({
  ...event,
  data: {
    ...event.data,
    donatorName: "สุดา 👩‍👩‍👧‍👦 𝒜é 𠮷 \u202Eabc\u202C",
    message: 'กำลังใจ น้ำใจ\u2028\u2029\uFEFF\uFFFD "quoted" \\ / </script>\n\t\u0001 مرحبا 🇹🇭 e\u0301 ﷽',
  },
});

/** The event with a body of 20 kB in an unknown member. */
export function long(event: Event): object {
  const filler = "น้ำใจ ".repeat(bytes);
  const empty = Buffer.byteLength(JSON.stringify({ ...event, addedLater: "" }));
  const characters = Math.floor(((bytes - empty) / Buffer.byteLength(filler)) * filler.length);
  return { ...event, addedLater: filler.slice(0, characters) };
}
