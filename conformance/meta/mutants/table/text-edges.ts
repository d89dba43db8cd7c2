// Faults at the edges of texts: line ends, normal forms, blanks, texts that look like numbers, and lengths.

import { lengthsOf } from "../../../suite/contract/interface.ts";
import { inSchema } from "../contract-edit.ts";
import type { Edit, Mutants } from "../mutant.ts";

const inDonation = (from: string, to: string): Edit => ({ file: "src/donations/donation.ts", from, to });
const inDonatorKey = (from: string, to: string): Edit => ({ file: "src/donations/donator-key.ts", from, to });
/** One character less than an identifier may have. */
const butOne = lengthsOf("identifier").max - 1;
const message = (change: string): Edit => inDonation("message: input.message,", `message: input.message${change},`);
const identifier = (change: string): Edit =>
  inDonation("const identifier = input.identifier || null;", `const identifier = input.identifier${change} || null;`);
const idempotencyKey = (change: string): Edit =>
  inDonation("idempotencyKey: input.idempotencyKey ?? null", `idempotencyKey: input.idempotencyKey?${change} ?? null`);
const donatorKey = (change: string): Edit => inDonatorKey("return `i:${identifier}`;", `return \`i:\${identifier${change}}\`;`);

export const textEdges: Mutants = {
  "message-line-ends": {
    broken: "CR LF in a message is stored as LF",
    edit: message('.replaceAll("\\r\\n", "\\n")'),
    killedBy: [["donations/exact-texts", /message is stored and answered exactly/]],
  },
  "message-old-line-ends": {
    broken: "CR in a message is stored as LF",
    edit: message('.replace(/\\r(?!\\n)/g, "\\n")'),
    killedBy: [["donations/exact-texts", /message is stored and answered exactly/]],
  },
  "message-separators": {
    broken: "U+2028 and U+2029 in a message are stored as LF",
    edit: message('.replace(/[\\u2028\\u2029]/g, "\\n")'),
    killedBy: [["donations/exact-texts", /message is stored and answered exactly/]],
  },
  "message-without-tags": {
    broken: "tag characters, of which flags consist, are removed from a message",
    edit: message('.replace(/[\\u{e0000}-\\u{e007f}]/gu, "")'),
    killedBy: [["donations/exact-texts", /message is stored and answered exactly/]],
  },
  "message-decomposed": {
    broken: "a message is stored in NFD",
    edit: message('.normalize("NFD")'),
    killedBy: [["donations/exact-texts", /message is stored and answered exactly/]],
  },
  "name-compatible": {
    broken: "donatorName is stored in NFKC",
    edit: inDonation("donatorName: input.donatorName,", 'donatorName: input.donatorName.normalize("NFKC"),'),
    killedBy: [["donations/exact-texts", /donatorName is stored and answered exactly/]],
  },
  "identifier-trimmed": {
    broken: "blanks around an identifier are lost",
    edit: identifier("?.trim()"),
    killedBy: [["donations/exact-texts", /identifier is stored and answered exactly/]],
  },
  "idempotency-key-composed": {
    broken: "an idempotencyKey is stored in NFC",
    edit: idempotencyKey('.normalize("NFC")'),
    killedBy: [["donations/exact-keys", /each spelling of an idempotencyKey is a key of its own/]],
  },
  "idempotency-key-line-ends": {
    broken: "CR LF in an idempotencyKey is stored as LF",
    edit: idempotencyKey('.replaceAll("\\r\\n", "\\n")'),
    killedBy: [["donations/exact-keys", /each spelling of an idempotencyKey is a key of its own/]],
  },
  "donator-composed": {
    broken: "identifiers that are equal in NFC are one donator",
    edit: donatorKey('.normalize("NFC")'),
    killedBy: [["donations/exact-keys", /each spelling of an identifier is a donator of its own/]],
  },
  "donator-compatible": {
    broken: "identifiers that are equal in NFKC are one donator",
    edit: donatorKey('.normalize("NFKC")'),
    killedBy: [["donations/exact-keys", /each spelling of an identifier is a donator of its own/]],
  },
  "donator-trimmed": {
    broken: "identifiers that differ in blanks at their ends are one donator",
    edit: donatorKey(".trim()"),
    killedBy: [["donations/exact-keys", /each spelling of an identifier is a donator of its own/]],
  },
  "identifier-0-empty": {
    broken: 'the identifier "0" counts as empty',
    edit: inDonation(
      "const identifier = input.identifier || null;",
      "const identifier = Number(input.identifier) === 0 ? null : (input.identifier ?? null);",
    ),
    killedBy: [
      ["donations/exact-texts", /identifier is stored and answered exactly/],
      ["donations/idempotency-comparison", /the identifier 0 and none/],
    ],
  },
  "message-0-empty": {
    broken: 'the message "0" counts as empty',
    edit: inDonation("message: input.message,", 'message: input.message === "0" ? "" : input.message,'),
    killedBy: [
      ["donations/exact-texts", /message is stored and answered exactly/],
      ["donations/idempotency-comparison", /the message 0 and none/],
    ],
  },
  "idempotency-key-0-empty": {
    broken: 'the idempotencyKey "0" counts as empty',
    edit: inDonation(
      "idempotencyKey: input.idempotencyKey ?? null",
      'idempotencyKey: input.idempotencyKey === "0" ? null : (input.idempotencyKey ?? null)',
    ),
    killedBy: [["donations/idempotency", /the idempotency key "0" is a key as any other/]],
  },
  "name-0-refused": {
    broken: 'the donatorName "0" counts as empty, and is refused',
    edit: inSchema("donatorName", '"minLength": 1', '"minLength": 1, "not": { "const": "0" }'),
    killedBy: [["interface/donator-name", /reads as a number.*: 0/]],
  },
  "compared-as-numbers": {
    broken: "texts that are equal as numbers are the same when a key is repeated",
    edit: inDonation(
      "left.every((member) => asked[member] === stored[member])",
      "left.every((member) => asked[member] === stored[member] || Number(asked[member] || NaN) === Number(stored[member] || NaN))",
    ),
    killedBy: [
      ["donations/idempotency-comparison", /names that are one number/],
      ["donations/idempotency-comparison", /messages that are one number/],
      ["donations/idempotency-comparison", /identifiers that are one number/],
    ],
  },
  "idempotency-key-prefix": {
    broken: "of an idempotencyKey the first 100 characters count",
    edit: idempotencyKey(".slice(0, 100)"),
    killedBy: [["donations/exact-keys", /each spelling of an idempotencyKey is a key of its own/]],
  },
  "donator-prefix": {
    broken: "identifiers that differ in their last possible code point alone are one donator",
    edit: inDonatorKey("return `i:${identifier}`;", `return \`i:\${[...identifier].slice(0, ${butOne}).join("")}\`;`),
    killedBy: [["donations/exact-keys", /each spelling of an identifier is a donator of its own/]],
  },
  "identifier-filter-prefix": {
    broken: "the filter identifier leaves the last possible character out",
    edit: {
      file: "src/donations/list/index-scan.ts",
      from: 'sql.push(`identifier = ${bind(filters.identifier, "text")}`)',
      to: `sql.push(\`left(identifier, ${butOne}) = left(\${bind(filters.identifier, "text")}, ${butOne})\`)`,
    },
    killedBy: [["donations/exact-keys", /the filter identifier finds each spelling/]],
  },
  "donator-without-any-at": {
    broken: "every @ at the beginning of a name is left out when names are compared",
    edit: inDonatorKey('.replace(/^@/u, "")', '.replace(/^@+/u, "")'),
    killedBy: [["reports/get-donation-stats", /only the first @ of a name/]],
  },
  "donator-without-at": {
    broken: "names that differ in a leading @ are two donators",
    edit: inDonatorKey('.replace(/^@/u, "")', ""),
    killedBy: [["reports/get-donation-stats", /names that differ in case, width, blanks or a leading @/]],
  },
  "donator-names-composed-only": {
    broken: "names are compared in NFC instead of NFKC",
    edit: {
      file: "src/base/fold-text.ts",
      from: 'text.normalize("NFKC").toLowerCase().toUpperCase()',
      to: 'text.normalize("NFC").toLowerCase().toUpperCase()',
    },
    killedBy: [["reports/get-donation-stats", /one donator in every normal form and case/]],
  },
};
