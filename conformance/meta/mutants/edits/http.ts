// What all operations share: contract, caches, credentials: faults that no single wrong answer shows, as edits of the sources.

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
    killedBy: [["donations/import-lines", /same bytes have the same answers/]],
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
    killedBy: [["donations/cursors", /one character changed/]],
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
    killedBy: [["events/create-webhook", /the host 172.*no public address/]],
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
      ["donations/ranges", /whose last hour comes twice/],
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
    killedBy: [["transport/retry-after", /Retry-After/]],
  },
};
