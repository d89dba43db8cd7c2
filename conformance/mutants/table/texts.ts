import { lengthsOf } from "../../harness/oracle/interface.ts";
import { inSchema } from "../contract-edit.ts";
import { asking, creates, everyText, json } from "../meddlers.ts";
import type { Mutants } from "../mutant.ts";

const contract = "src/http/contract.ts";
const body = "src/http/body.ts";

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
      ["interface/donator-name", /code points/],
      ["interface/message", /code points/],
    ],
  },
  "name-longer": {
    broken: "donatorName may have one character more",
    edit: inSchema("donatorName", ...longest("donatorName", 1)),
    killedBy: [["interface/donator-name", /refused/]],
  },
  "name-empty": {
    broken: "donatorName may be empty",
    edit: inSchema("donatorName", '"minLength": 1', '"minLength": 0'),
    killedBy: [["interface/donator-name", /no code point/]],
  },
  "message-shorter": {
    broken: "message may have one character less",
    edit: inSchema("message", ...longest("message", -1)),
    killedBy: [["interface/message", /code points is accepted/]],
  },
  "identifier-longer": {
    broken: "identifier may have one character more",
    edit: inSchema("identifier", ...longest("identifier", 1)),
    killedBy: [["interface/identifier", /refused/]],
  },
  "key-empty": {
    broken: "idempotencyKey may be empty",
    edit: inSchema("idempotencyKey", '"minLength": 1', '"minLength": 0'),
    killedBy: [["interface/idempotency-key", /no code point/]],
  },
  trimmed: {
    broken: "a gateway trims every text of a body",
    meddler: asking((asked) => (creates(asked) ? json(asked, (value) => everyText(value, (text) => text.trim())) : asked)),
    killedBy: [["donations/create-donation", /text: blanks around a name are kept/]],
  },
  composed: {
    broken: "a gateway composes the letters of every text",
    meddler: asking((asked) => (creates(asked) ? json(asked, (value) => everyText(value, (text) => text.normalize("NFC"))) : asked)),
    killedBy: [["donations/create-donation", /text: /]],
  },
  "nul-lost": {
    broken: "U+0000 is taken out of texts",
    edit: { file: body, from: '.replaceAll("\\0", "\\uFFFD")', to: '.replaceAll("\\0", "")' },
    killedBy: [["donations/create-donation", /text: .*NUL/]],
  },
  "lone-surrogate": {
    broken: "half a letter is answered, which no database can keep",
    edit: { file: body, from: "text.toWellFormed().replaceAll", to: "text.replaceAll" },
    killedBy: [["donations/create-donation", /text: .*surrogate/]],
  },
  currency: {
    broken: "thb is a currency as well",
    edit: inSchema("Currency", '"THB"', '"THB", "thb"'),
    killedBy: [["interface/currency", /is refused/]],
  },
  "null-is-absent": {
    broken: "a member that is null counts as left out",
    edit: {
      file: "src/http/router.ts",
      from: "const wrapped = { requestBody: body };",
      to: "const wrapped = { requestBody: JSON.parse(JSON.stringify(body ?? null), (_name, value) => value ?? undefined) };",
    },
    killedBy: [["interface/types", /null/]],
  },
  "unknown-members": {
    broken: "members that nobody knows are let through",
    edit: {
      file: "src/http/faults.ts",
      from: "return telling(choose(errors)).map(",
      to: 'return telling(choose(errors)).filter(({ keyword }) => keyword !== "additionalProperties").map(',
    },
    killedBy: [
      ["donations/unknown-members", /any unknown member/],
      ["derived/sealed-bodies", /createDonation/],
    ],
  },
};
