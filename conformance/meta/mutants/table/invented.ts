// Faults that no list of faults names, made up when the suite was finished.

import type { Mutants } from "../mutant.ts";

export const invented: Mutants = {
  "buddhist-years": {
    broken: "a year from 2400 on is read as one of the Buddhist era",
    edit: {
      file: "src/base/instant.ts",
      from: "daysFromCivil(number(0, 4), number(5, 7)",
      to: "daysFromCivil(number(0, 4) < 2400 ? number(0, 4) : number(0, 4) - 543, number(5, 7)",
    },
    killedBy: [["donations/created-at", /every date-time of interface 2.2/]],
  },
  "clock-of-2038": {
    broken: "an instant after 19 January 2038 is refused",
    edit: {
      file: "src/base/instant.ts",
      from: "return { ms: days * msPerDay + minutes * msPerMinute + seconds * 1000 + fraction, offset };",
      to: "return { ms: Math.min(days * msPerDay + minutes * msPerMinute + seconds * 1000 + fraction, 2_147_483_647_000), offset };",
    },
    killedBy: [["donations/created-at", /every date-time of interface 2.2/]],
  },
  "short-fingerprints": {
    broken: "credentials are cached by four bits of their fingerprint, so that one is taken for another",
    edit: { file: "src/auth/credential-cache.ts", from: 'hash("sha256", token);', to: 'hash("sha256", token).slice(0, 1);' },
    killedBy: [["transport/credentials", /one wrong character is refused with invalid_token/]],
  },
  "names-of-every-object": {
    broken: "an unknown member whose name every JavaScript object has is accepted",
    edit: {
      file: "src/http/contract/faults.ts",
      from: "return dropImpliedErrors(keepMatchingBranch(errors)).map(",
      to: "return dropImpliedErrors(keepMatchingBranch(errors)).filter(({ params }) => !(params.additionalProperty in {})).map(",
    },
    killedBy: [["donations/unknown-members", /the unknown member/]],
  },
  "decoded-twice": {
    broken: "parameters are decoded twice",
    edit: {
      file: "src/http/contract/parameters.ts",
      from: "const value = storable(text);",
      to: "const value = decodeSegment(text);",
    },
    killedBy: [["donations/list-donations", /blanks, pluses and ampersands of the filter identifier/]],
  },
};
