// Mutants that forget a new member of the donation in one place.

import type { Edit, Mutants } from "../mutant.ts";

/** What columns.ts says of a text. */
const text = (name: string): string => `${name}: { name: "${name}", type: "text", compared: true }`;

const inColumns = (name: string, said: string): Edit => ({
  file: "src/donations/columns.ts",
  from: text(name),
  to: text(name).replace("compared: true", said),
});

/** An optional member of the donation that is forgotten in one place each. The compiler asks for every place; these fill it in wrong. */
export const columns: Mutants = {
  "column-not-written": {
    broken: "identifier is answered but not stored",
    edit: inColumns("identifier", `compared: true, stored: "null::text"`),
    killedBy: [["donations/round-trip", /answered and read back/]],
  },
  "column-not-read": {
    broken: "message is stored but not read back",
    edit: inColumns("message", `compared: true, read: "''"`),
    killedBy: [["donations/round-trip", /answered and read back/]],
  },
  "column-not-compared": {
    broken: "identifier is not compared when an idempotency key is repeated",
    edit: inColumns("identifier", `compared: "forgotten"`),
    killedBy: [["donations/idempotency-comparison", /another identifier is refused with 422/]],
  },
  "column-not-listed": {
    broken: "a donation's record never contains identifier",
    edit: {
      file: "src/donations/donation.ts",
      from: "    message,\n    identifier,\n    idempotencyKey:",
      to: "    message,\n    identifier: null,\n    idempotencyKey:",
    },
    killedBy: [["donations/round-trip", /every member of a donation is answered/]],
  },
  "column-not-exported": {
    broken: "the message column of an export is empty",
    edit: {
      file: "src/donations/export/export-donations.ts",
      from: 'en: "Message" }, width: 48, cell: text',
      to: 'en: "Message" }, width: 48, cell: () => text(null)',
    },
    killedBy: [["donations/export-donations", /holds what the list holds/]],
  },
};
