// The table of interface 2.1, written out a second time: the one place of the suite where its bounds stand. Where the contract or the server says something else, they are wrong.

export type Member = {
  member: string;
  type: "string" | "number" | "boolean";
  required: boolean;
  /** In characters: text.ts says what these may be. */
  minLength?: number;
  maxLength?: number;
  /** Exclusive. */
  above?: number;
  /** Inclusive. */
  upTo?: number;
  allowed?: string[];
  defaultValue?: string | boolean;
};

export const members: Member[] = [
  { member: "donatorName", type: "string", required: true, minLength: 1, maxLength: 50 },
  { member: "amount", type: "number", required: true, above: 0, upTo: 1_000_000 },
  { member: "currency", type: "string", required: false, allowed: ["THB"], defaultValue: "THB" },
  { member: "message", type: "string", required: false, maxLength: 255, defaultValue: "" },
  { member: "identifier", type: "string", required: false, maxLength: 120 },
  { member: "idempotencyKey", type: "string", required: false, minLength: 1, maxLength: 120 },
  { member: "skipAlert", type: "boolean", required: false, defaultValue: false },
  { member: "createdAt", type: "string", required: false },
];

/** Of a text, in characters. Throws for a member without an upper bound. */
export function lengthsOf(name: string): { min: number; max: number } {
  const { minLength: min = 0, maxLength: max } = members.find(({ member }) => member === name) ?? {};
  if (max === undefined) throw new Error(`interface 2.1 has no text ${name} with an upper bound`);
  return { min, max };
}

/** The largest amount, itself allowed. */
export const maxAmount = members.find(({ member }) => member === "amount")?.upTo ?? Number.NaN;
