// Mutants of texts and their lengths.

import { lengthsOf } from "../../../suite/contract/interface.ts";
import { inSchema } from "../contract-edit.ts";
import { changeJson, changeRequest, changeTexts, isCreation } from "../interceptors.ts";
import type { Mutants } from "../mutant.ts";

const contract = "src/http/contract/contract.ts";
const body = "src/http/body/body.ts";

/** The upper bound of a member, and one that is off by so many. */
const longest = (member: string, by: number): [from: string, to: string] => {
  const { max } = lengthsOf(member);
  return [`"maxLength": ${max}`, `"maxLength": ${max + by}`];
};

export const texts: Mutants = {
  "code-units": {
    broken: "lengths are counted in UTF-16 code units",
    edit: { file: contract, from: "useDefaults: true, strictNumbers", to: "useDefaults: true, unicode: false, strictNumbers" },
    killedBy: [
      ["interface/donator-name", /characters/],
      ["interface/message", /characters/],
    ],
  },
  "name-longer": {
    broken: "a donatorName one character too long is accepted",
    edit: inSchema("donatorName", ...longest("donatorName", 1)),
    killedBy: [["interface/donator-name", /refused/]],
  },
  "name-empty": {
    broken: "an empty donatorName is accepted",
    edit: inSchema("donatorName", '"minLength": 1', '"minLength": 0'),
    killedBy: [["interface/donator-name", /no character/]],
  },
  "message-shorter": {
    broken: "a message of the maximum length is refused",
    edit: inSchema("message", ...longest("message", -1)),
    killedBy: [["interface/message", /characters is accepted/]],
  },
  "identifier-longer": {
    broken: "an identifier one character too long is accepted",
    edit: inSchema("identifier", ...longest("identifier", 1)),
    killedBy: [["interface/identifier", /refused/]],
  },
  "key-empty": {
    broken: "an empty idempotencyKey is accepted",
    edit: inSchema("idempotencyKey", '"minLength": 1', '"minLength": 0'),
    killedBy: [["interface/idempotency-key", /no character/]],
  },
  trimmed: {
    broken: "a gateway trims every text of a body",
    interceptor: changeRequest((asked) =>
      isCreation(asked) ? changeJson(asked, (value) => changeTexts(value, (text) => text.trim())) : asked,
    ),
    killedBy: [["donations/create-donation", /text: blanks around a name are kept/]],
  },
  composed: {
    broken: "a gateway composes the letters of every text",
    interceptor: changeRequest((asked) =>
      isCreation(asked) ? changeJson(asked, (value) => changeTexts(value, (text) => text.normalize("NFC"))) : asked,
    ),
    killedBy: [["donations/create-donation", /donation text: /]],
  },
  "nul-lost": {
    broken: "U+0000 is removed from texts",
    edit: { file: body, from: '.replaceAll("\\0", "\\uFFFD")', to: '.replaceAll("\\0", "")' },
    killedBy: [["donations/create-donation", /text: .*NUL/]],
  },
  "bad-text-in-identifier": {
    broken: "NUL and lone surrogates are kept in an identifier, which the database cannot store",
    edit: {
      file: body,
      from: "[storable(name), wellFormed(member)]",
      to: '[storable(name), name === "identifier" ? member : wellFormed(member)]',
    },
    killedBy: [
      ["donations/create-donation", /text: NUL in an identifier/],
      ["donations/idempotency-comparison", /NUL and U\+FFFD in an identifier/],
      ["interface/server-errors", /NUL in its identifier/],
    ],
  },
  "bad-text-in-key": {
    broken: "NUL and lone surrogates are kept in an idempotencyKey, which the database cannot store",
    edit: {
      file: body,
      from: "[storable(name), wellFormed(member)]",
      to: '[storable(name), name === "idempotencyKey" ? member : wellFormed(member)]',
    },
    killedBy: [
      ["donations/idempotency-comparison", /idempotencyKey of the longest length with NUL/],
      ["interface/server-errors", /NUL in its idempotencyKey/],
    ],
  },
  "lone-surrogate": {
    broken: "a lone surrogate, which the database cannot store, is answered",
    edit: { file: body, from: "text.toWellFormed().replaceAll", to: "text.replaceAll" },
    killedBy: [["donations/create-donation", /text: .*surrogate/]],
  },
  currency: {
    broken: "the currency thb is accepted",
    edit: inSchema("Currency", '"THB"', '"THB", "thb"'),
    killedBy: [["interface/currency", /is refused/]],
  },
  "null-is-absent": {
    broken: "a member with the value null is treated as left out",
    edit: {
      file: "src/http/router.ts",
      from: "const wrapped = { requestBody: body };",
      to: "const wrapped = { requestBody: JSON.parse(JSON.stringify(body ?? null), (_name, value) => value ?? undefined) };",
    },
    killedBy: [["interface/types", /null/]],
  },
  "unknown-members": {
    broken: "unknown members are accepted",
    edit: {
      file: "src/http/contract/faults.ts",
      from: "return dropImpliedErrors(keepMatchingBranch(errors)).map(",
      to: 'return dropImpliedErrors(keepMatchingBranch(errors)).filter(({ keyword }) => keyword !== "additionalProperties").map(',
    },
    killedBy: [
      ["donations/unknown-members", /any unknown member/],
      ["derived/sealed-bodies", /createDonation/],
    ],
  },
};
