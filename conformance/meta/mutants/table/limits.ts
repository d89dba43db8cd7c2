// Mutants of rate limits.

import type { Edit, Mutants } from "../mutant.ts";

const inLimits = (file: string, from: string, to: string): Edit => ({ file: `src/http/rate-limits/${file}.ts`, from, to });

export const limits: Mutants = {
  "limits-untold": {
    broken: "answers have no header that says how many requests are left",
    edit: inLimits("rate-limits", "if (taken.allowed) return headers;", "if (taken.allowed) return {};"),
    killedBy: [["transport/rate-limits", /RateLimit-Policy and RateLimit/]],
  },
  "retry-untold": {
    broken: "an answer 429 has no Retry-After header",
    edit: inLimits("rate-limits", '{ headers: { ...headers, "Retry-After": String(wait) } }', "{ headers }"),
    killedBy: [["transport/rate-limits", /429 rate_limited and a Retry-After/]],
  },
  "burst-doubled": {
    broken: "the burst of a rate limit is twice as large",
    edit: inLimits("token-bucket", "after - now - policy.burst * perToken", "after - now - policy.burst * 2 * perToken"),
    killedBy: [["transport/rate-limits", /60 concurrent creates pass, and not many more/]],
  },
  "one-bucket": {
    broken: "all credentials share one bucket of a rate limit",
    edit: {
      file: "src/http/guards.ts",
      from: 'return credential.kind === "access_token" ?',
      to: 'return credential.kind !== "overlay_key" ? "all" : credential.kind === "access_token" ?',
    },
    killedBy: [["transport/rate-limits", /each credential has a bucket of its own/]],
  },
  "guessing-unlimited": {
    broken: "the invalid credentials that one address tries are not limited",
    edit: { file: "src/http/guards.ts", from: "await limits.admit(address, likelihood(authorization));", to: "" },
    killedBy: [["transport/rate-limits", /address with too many invalid credentials is refused/]],
  },
};
