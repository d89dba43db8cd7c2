// Mutants of credentials and scopes.

import { inOperation } from "../contract-edit.ts";
import { removeHeader } from "../interceptors.ts";
import type { Mutants } from "../mutant.ts";

/** As generated/openapi.json has it; the example of a 403 names the scope as well. */
const needing = (scope: string) => `"Credential": [\n              "${scope}"`;

export const credentials: Mutants = {
  "scope-mistaken": {
    broken: "getDonation requires read:alerts",
    edit: inOperation("/api/v1/donations/{donationId}", needing("read:donations"), needing("read:alerts")),
    killedBy: [
      ["transport/scopes", /^getDonation lets a key through whose only scope is read:donations/],
      ["transport/scopes", /^getDonation refuses keys without read:donations/],
    ],
  },
  "no-challenge": {
    broken: "an answer 401 has no WWW-Authenticate header",
    interceptor: removeHeader("www-authenticate"),
    killedBy: [["transport/credentials", /missing_credentials, and a challenge/]],
  },
};
