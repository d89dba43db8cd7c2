import type { Edit, Mutants } from "../mutant.ts";

const inLimits = (file: string, from: string, to: string): Edit => ({ file: `src/http/rate-limits/${file}.ts`, from, to });

export const limits: Mutants = {
  "limits-untold": {
    broken: "no header says what is left",
    edit: inLimits("rate-limits", "if (taken.allowed) return headers;", "if (taken.allowed) return {};"),
    killedBy: [["transport/rate-limits", /RateLimit-Policy and RateLimit/]],
  },
  "retry-untold": {
    broken: "429 comes without Retry-After",
    edit: inLimits("rate-limits", '{ headers: { ...headers, "Retry-After": String(wait) } }', "{ headers }"),
    killedBy: [["transport/rate-limits", /429 rate_limited with Retry-After/]],
  },
  "burst-doubled": {
    broken: "twice as many pass at once",
    edit: inLimits("token-bucket", "after - now - policy.burst * perToken", "after - now - policy.burst * 2 * perToken"),
    killedBy: [["transport/rate-limits", /60 creates at once pass, and not many more/]],
  },
  "one-bucket": {
    broken: "all credentials share a bucket",
    edit: {
      file: "src/http/guards.ts",
      from: 'return credential.kind === "access_token" ?',
      to: 'return credential.kind !== "overlay_key" ? "all" : credential.kind === "access_token" ?',
    },
    killedBy: [["transport/rate-limits", /each credential has a bucket of its own/]],
  },
  "guessing-unlimited": {
    broken: "an address may try as many credentials as it likes",
    edit: { file: "src/http/guards.ts", from: "await limits.admit(address, standing(authorization));", to: "" },
    killedBy: [["transport/rate-limits", /after too many bad credentials an address is refused/]],
  },
};
