// What all operations share, contract, caches, credentials, and grants and tokens: faults that no single wrong answer shows, as edits of the sources.

import type { Mutants } from "../mutant.ts";

export const http: Mutants = {
  "pieces-decoded-apart": {
    broken: "every piece of a body is decoded by itself, so that a letter whose bytes arrive apart is lost",
    edit: {
      file: "src/http/body/body.ts",
      from: "await receive(ctx, principal, () => parse(ctx, noNext));",
      to: `await receive(ctx, principal, async () => {
      let read = "";
      for await (const piece of ctx.req) read += piece.toString();
      ctx.request.body = Buffer.from(read) as never;
    });`,
    },
    killedBy: [
      ["donations/json-body", /wherever its bytes are cut/],
      ["interface/json-text", /wherever its bytes are cut/],
    ],
  },
  "revoked-for-a-moment": {
    broken: "a revoked access token is accepted until the process reads the list of revocations again",
    edit: { file: "src/auth/revocations.ts", from: "denied.has(id) || own.has(id)", to: "denied.has(id)" },
    killedBy: [["oauth/revoke-token", /refuses the token from then on/]],
  },
  "lines-cut-at-chunks": {
    broken: "a line that arrives in two pieces is read as two lines",
    edit: {
      file: "src/http/body/json.ts",
      from: `append(chunk.subarray(from));
    },`,
      to: `append(chunk.subarray(from));
      if (length > 0) yield take();
    },`,
    },
    killedBy: [["donations/import-donations", /same bytes have the same answers/]],
  },
  "donators-by-case": {
    broken: "names that differ in case alone are different donators",
    edit: {
      file: "src/base/text.ts",
      from: 'text.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase()',
      to: 'text.normalize("NFKC")',
    },
    killedBy: [["reports/get-donation-stats", /names that differ in case/]],
  },
  "answers-cached-too-long": {
    broken: "a cached answer is sent although a donation was recorded since",
    edit: {
      file: "src/db/answer-cache.ts",
      from: "return entry?.version === version ? entry.answer",
      to: "return entry ? entry.answer",
    },
    killedBy: [["donations/repeated-questions", /has each donation that was answered meanwhile/]],
  },
  "answers-of-another-streamer": {
    broken: "a cached answer of one streamer is sent to another",
    edit: { file: "src/db/answer-cache.ts", from: "const key = `${streamerId} ${text}`;", to: "const key = text;" },
    killedBy: [["donations/two-streamers", /listDonations|list/]],
  },
  "batches-mixed-up": {
    broken: "reads that share a statement get each other's rows",
    edit: { file: "src/db/batched-reads.ts", from: "rows[row.call - 1]?.push", to: "rows[calls.length - row.call]?.push" },
    killedBy: [["donations/repeated-questions", /read at the same time are each answered to who asked/]],
  },
  "cursor-unsigned": {
    broken: "the signature of a cursor is not checked",
    edit: {
      file: "src/http/cursor.ts",
      from: "if (!genuine || !timingSafeEqual(bytes.subarray(0, macBytes), sign(subject, text))) throw",
      to: "if (!genuine) throw",
    },
    killedBy: [["donations/paging", /one character changed/]],
  },
  "search-decomposed": {
    broken: "a search for decomposed letters does not find composed ones",
    edit: {
      file: "src/base/text.ts",
      from: 'text.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase().normalize("NFKC")',
      to: "text.toLowerCase().toUpperCase().toLowerCase()",
    },
    killedBy: [["donations/search-donations", /composed and decomposed/]],
  },
  "search-unlimited": {
    broken: "searches count against no rate limit",
    edit: {
      file: "src/http/router.ts",
      from: "if (limit === null) return principal;",
      to: 'if (limit === null || operation.id === "searchDonations") return principal;',
    },
    killedBy: [["transport/limit-of-each-operation", /each operation of the limit read takes a token/]],
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
  "short-fingerprints": {
    broken: "credentials are cached by four bits of their fingerprint, so that one is taken for another",
    edit: { file: "src/auth/authenticate.ts", from: 'hash("sha256", token);', to: 'hash("sha256", token).slice(0, 1);' },
    killedBy: [["transport/credentials", /one wrong character is refused with invalid_token/]],
  },
  "private-ranges-forgotten": {
    broken: "webhooks may be sent to 172.16.0.0/12",
    edit: {
      file: "src/http/addresses.ts",
      from: `  ["172.16.0.0", 12],
`,
      to: "",
    },
    killedBy: [["events/webhooks", /the host 172.*no public address/]],
  },
  "midnight-comes-twice": {
    broken: "where clocks go back at midnight, the next day begins when they do",
    edit: {
      file: "src/base/local-days.ts",
      from: "  return Math.max(local - after,",
      to: `  if (before > after) return local - before;
  return Math.max(local - after,`,
    },
    killedBy: [
      ["donations/list-donations", /whose last hour comes twice/],
      ["reports/get-amount-trends", /America\/Sao_Paulo the day 2018-02-17/],
    ],
  },
  "revoked-three-seconds-late": {
    broken: "a revoked key is accepted for three more seconds",
    edit: {
      file: "src/auth/authenticate.ts",
      from: `expiresAt: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
    revoked: row.revoked_at !== null,`,
      to: `expiresAt: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
    get revoked() { return row.revoked_at !== null && row.revoked_at.getTime() + 3_000 < Date.now(); },`,
    },
    killedBy: [["deployment/revocation", /within a second/]],
  },
  "revocations-read-late": {
    broken: "a revocation by another process is obeyed after up to two seconds",
    edit: { file: "src/auth/revocations.ts", from: "const pollMs = 250;", to: "const pollMs = 2_000;" },
    killedBy: [["deployment/two-processes", /at whatever moment it happens/]],
  },
  "events-compressed-late": {
    broken: "a stream of events is compressed, and what is compressed waits until it is large",
    edit: {
      file: "src/http/router.ts",
      from: "function sendStream(ctx: Context, type: string, body: Readable): void {",
      to: `function sendStream(ctx: Context, type: string, body: Readable): void {
  if (type === "text/event-stream" && ctx.acceptsEncodings("gzip", "identity") === "gzip") {
    ctx.set("Content-Encoding", "gzip");
    body = body.pipe(process.getBuiltinModule("node:zlib").createGzip());
  }`,
    },
    killedBy: [["events/stream-events", /a client that accepts gzip and br gets an event/]],
  },
  "retry-rounded-down": {
    broken: "Retry-After is rounded down",
    edit: {
      file: "src/http/rate-limits/token-bucket.ts",
      from: "Math.max(1, Math.ceil((tooMuch - slackMs) / 1000))",
      to: "Math.max(1, Math.floor((tooMuch - slackMs) / 1000))",
    },
    killedBy: [["transport/rate-limits", /Retry-After/]],
  },
};

export const oauth: Mutants = {
  "code-replay-forgiven": {
    broken: "an authorization code that is used again is refused, but its grant is not revoked",
    edit: {
      file: "src/oauth/tokens/authorization-code.ts",
      from: 'if (state === "used") await grants.revoke(grant.id, "code_reused");',
      to: "",
    },
    killedBy: [["oauth/issue-token-code", /used again.* revokes the grant/]],
  },
  "code-used-twice-at-once": {
    broken: "an authorization code that is used twice at once is accepted both times",
    edit: { file: "src/oauth/tokens/authorization-code.ts", from: "return used > 0;", to: "return used >= 0;" },
    killedBy: [["oauth/issue-token-code", /several times concurrently is exchanged exactly once/]],
  },
  "code-of-another-client": {
    broken: "an authorization code is accepted from any client",
    edit: {
      file: "src/oauth/tokens/token.ts",
      from: "...compared, ...ownerOf(stored.grant) }",
      to: "...compared, ...ownerOf(stored.grant), client }",
    },
    killedBy: [["oauth/issue-token-code", /belongs to its client/]],
  },
  "refreshed-for-another-application": {
    broken: "an access token of a refresh names another application than the first",
    edit: {
      file: "src/oauth/tokens/token.ts",
      from: "application_id: applicationId, grant_id",
      to: 'application_id: body.grant_type === "refresh_token" ? newId() : applicationId, grant_id',
    },
    killedBy: [["oauth/issue-token-refresh", /each successor/]],
  },
  "token-for-two-hours": {
    broken: "an access token is valid for two hours, although expires_in says one",
    edit: { file: "src/auth/access-token.ts", from: "exp: iat + accessTokenLifetime", to: "exp: iat + 2 * accessTokenLifetime" },
    killedBy: [["oauth/published-metadata", /valid for as long as expires_in says/]],
  },
  "code-for-two-minutes": {
    broken: "an authorization code is valid for two minutes",
    edit: { file: "src/oauth/tokens/grants.ts", from: '"60 seconds"', to: '"120 seconds"' },
    killedBy: [["oauth/access-token", /invalid_grant after 60 seconds/]],
  },
  "redirect-to-strangers": {
    broken: "authorization errors are sent by redirect to a client that nobody has checked",
    edit: {
      file: "src/oauth/authorize.ts",
      from: "if (isUnchecked(client)) return errorReply(site, error.message);",
      to: "",
    },
    killedBy: [["oauth/client-documents", /never a redirect/]],
  },
  "limits-in-milliseconds": {
    broken: "the time in RateLimit is in milliseconds",
    edit: { file: "src/http/rate-limits/rate-limits.ts", from: "t=${nextIn}", to: "t=${nextIn}000" },
    killedBy: [
      ["transport/rate-limits", /successes and refusals carry/],
      ["transport/rate-limits", /a Retry-After that is long enough/],
    ],
  },
  "public-clients-share-a-limit": {
    broken: "the token requests of a public client share one rate limit for all addresses",
    edit: { file: "src/oauth/tokens/token.ts", from: "return isPublic ? `${id} ${network(address)}` : id;", to: "return id;" },
    killedBy: [["transport/rate-limits", /counts for each address alone/]],
  },
  "refresh-reused": {
    broken: "a used refresh token is accepted again",
    edit: { file: "src/oauth/tokens/refresh-token.ts", from: "isConfidential: !client.public }", to: "isConfidential: true }" },
    killedBy: [["oauth/issue-token-refresh", /public client that uses a refresh token twice loses the grant/]],
  },
  "grant-outlives-refresh-token": {
    broken: "revoking a refresh token does not revoke its grant",
    edit: { file: "src/oauth/tokens/revoke.ts", from: "revoke: () => grants.revoke(stored.grant.id)", to: "revoke: async () => {}" },
    killedBy: [["oauth/revoke-token", /revoking a refresh token revokes its grant/]],
  },
  "used-token-revokes-nothing": {
    broken: "revoking a refresh token that was used leaves its grant as it is",
    edit: {
      file: "src/oauth/tokens/refresh-token.ts",
      from: 'where t.hash = ${bind(digest(token), "bytea")}`',
      to: 'where t.rotated_at is null and t.hash = ${bind(digest(token), "bytea")}`',
    },
    killedBy: [["oauth/revoke-token", /a refresh token that was used revokes its grant/]],
  },
  "access-token-takes-grant": {
    broken: "revoking an access token ends the other access tokens of its grant",
    edit: {
      file: "src/oauth/tokens/revoke.ts",
      from: "denials.denyToken(jti, { streamerId, client: clientId })",
      to: "denials.deny([jti, claims.grant_id])",
    },
    killedBy: [["oauth/revoke-token", /an access token ends it alone/]],
  },
};
