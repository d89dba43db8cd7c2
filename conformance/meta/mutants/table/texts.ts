// Mutants of texts and their lengths.

import { lengthsOf } from "../../../suite/contract/interface.ts";
import { inSchema } from "../contract-edit.ts";
import { changeJson, changeRequest, changeTexts, isCreation } from "../interceptors.ts";
import type { Mutants } from "../mutant.ts";

/** The upper bound of a member, and one that is off by so many. */
const longest = (member: string, by: number): [from: string, to: string] => {
  const { max } = lengthsOf(member);
  return [`"maxLength": ${max}`, `"maxLength": ${max + by}`];
};

export const texts: Mutants = {
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
  currency: {
    broken: "the currency thb is accepted",
    edit: inSchema("Currency", '"THB"', '"THB", "thb"'),
    killedBy: [["interface/currency", /is refused/]],
  },
  "blank-name-refused": {
    broken: "a donatorName of blanks alone is refused",
    edit: inSchema("donatorName", '"minLength": 1', '"pattern": "\\\\S", "minLength": 1'),
    killedBy: [["donations/exact-texts", /donatorName is stored and answered exactly/]],
  },
  "name-0-refused": {
    broken: 'the donatorName "0" counts as empty, and is refused',
    edit: inSchema("donatorName", '"minLength": 1', '"minLength": 1, "not": { "const": "0" }'),
    killedBy: [["interface/donator-name", /reads as a number.*: 0/]],
  },
  "members-of-the-url": {
    broken: "a donation also has the members that stand in the URL",
    interceptor: changeRequest((request) => {
      const { pathname, searchParams } = new URL(request.path, "http://localhost");
      if (request.method !== "POST" || pathname !== "/api/v1/donations" || searchParams.size === 0) return request;
      const given = Object.fromEntries([...searchParams].map(([name, text]) => [name, name === "amount" ? Number(text) : text]));
      return changeJson({ ...request, path: pathname }, (body) => ({ ...given, ...(body as object) }));
    }),
    killedBy: [
      ["interface/required-members", /donatorName in the URL/],
      ["interface/required-members", /amount in the URL/],
    ],
  },
};
