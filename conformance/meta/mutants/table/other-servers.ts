// Mistakes of other people's servers that the suite once did not notice.

import type { Mutants } from "../mutant.ts";

export const otherServers: Mutants = {
  "scope-of-an-exchange": {
    broken: "the exchange of a code grants the scopes that it asks for, approved or not",
    edit: {
      file: "src/oauth/tokens/token.ts",
      from: "  const sign = accessTokenSigner(deps, { client, grant: checked.grant, audience });\n  return exchangeGrant(deps.grants, { ...checked, client, resource, sign });",
      to: '  const scopes = (body.scope?.split(" ") ?? checked.grant.scopes) as Grant["scopes"];\n  const grant = { ...checked.grant, scopes };\n  const sign = accessTokenSigner(deps, { client, grant, audience });\n  return exchangeGrant(deps.grants, { ...checked, grant, client, resource, sign });',
    },
    killedBy: [["oauth/issue-token-scopes", /an exchange of a code with more scopes/]],
  },
  "oauth-parameters-in-the-url": {
    broken: "the OAuth endpoints also read parameters in the URL",
    edit: {
      file: "src/http/router.ts",
      from: "validateOAuth(operation, ctx, body as Pairs | undefined)",
      to: "validateOAuth(operation, ctx, body && [...(body as Pairs), ...new URLSearchParams(ctx.querystring)])",
    },
    killedBy: [["oauth/token-body", /parameters in the URL are never read/]],
  },
  "basic-split-at-every-colon": {
    broken: "what stands behind a second colon of HTTP Basic is not read",
    edit: { file: "src/oauth/clients/client-authentication.ts", from: "/^([^:]*):(.*)$/s", to: "/^([^:]*):([^:]*)/s" },
    killedBy: [["oauth/client-authentication", /HTTP Basic with a colon too many/]],
  },
  "codes-are-trimmed": {
    broken: "blanks around a code are ignored",
    edit: {
      file: "src/oauth/tokens/grants.ts",
      from: 'return hash("sha256", secret, "buffer");',
      to: 'return hash("sha256", secret.trim(), "buffer");',
    },
    killedBy: [["oauth/issue-token-code", /a code that is nearly the right one/]],
  },
  "expired-token-is-revoked-with-an-error": {
    broken: "revoking an access token that has expired is an error",
    edit: {
      file: "src/oauth/tokens/revoke.ts",
      from: "  if (!claims) return null;",
      to: '  if (claims && claims.exp * 1000 < Date.now()) throw new OAuthError("invalid_request", "The token has expired.");\n  if (!claims) return null;',
    },
    killedBy: [["oauth/revoke-token", /revoking an access token that has expired/]],
  },
  "keys-of-others-in-events": {
    broken: "events show the idempotency keys of other applications",
    edit: {
      file: "src/events/log.ts",
      from: "(applicationId: string) => toRecord(row as never, applicationId);",
      to: "() => toRecord(row as never, (row as unknown as { applicationId: string }).applicationId);",
    },
    killedBy: [
      ["events/create-webhook", /another application arrives without its idempotency key/],
      ["events/event-types", /a stream and a WebSocket show idempotency keys/],
    ],
  },
  "webhooks-of-alerts-alone": {
    broken: "a donation without an alert has no event",
    edit: {
      file: "src/events/log.ts",
      from: "from donations where ${following} order by sequence",
      to: "from donations where ${following} and not skip_alert order by sequence",
    },
    killedBy: [["events/create-webhook", /with and without an alert, and imported ones, arrive/]],
  },
  "goal-exceeded": {
    broken: "a goal is reached only by more than its target",
    edit: { file: "src/events/goals.ts", from: "if (current < watched.goal.target)", to: "if (current <= watched.goal.target)" },
    killedBy: [["events/event-types", /add up to its target exactly/]],
  },
  "malformed-last-event-id-ignored": {
    broken: "a Last-Event-ID that is no cursor is ignored",
    edit: {
      file: "src/events/handlers.ts",
      from: 'const after = header["Last-Event-ID"] || query.after;',
      to: 'const sent = header["Last-Event-ID"] ?? "";\n    const after = (sent.length > 20 && sent) || query.after;',
    },
    killedBy: [["events/stream-events", /a Last-Event-ID that is no cursor/]],
  },
  "private-ranges-forgotten": {
    broken: "webhooks may be sent to 172.16.0.0/12",
    edit: { file: "src/http/public-address.ts", from: '  ["172.16.0.0", 12],\n', to: "" },
    killedBy: [["events/create-webhook", /the host 172.*no public address/]],
  },
  "midnight-comes-twice": {
    broken: "where clocks go back at midnight, the next day begins when they do",
    edit: {
      file: "src/base/local-days.ts",
      from: "  return Math.max(local - after,",
      to: "  if (before > after) return local - before;\n  return Math.max(local - after,",
    },
    killedBy: [
      ["donations/ranges", /whose last hour comes twice/],
      ["reports/get-amount-trends", /America\/Sao_Paulo the day 2018-02-17/],
    ],
  },
  "rest-to-the-largest": {
    broken: "percentages are rounded each, and what they lack is added to the largest",
    edit: {
      file: "src/db/decimal.ts",
      from: "  return shares.map(({ index, hundredths }) => toNumber({ units: hundredths + (raised.has(index) ? 1n : 0n), scale: 2 }));",
      to: "  const rounded = units.map((one) => (one * 20_000n + total) / (2n * total));\n  const rest = 10_000n - rounded.reduce((sum, one) => sum + one, 0n);\n  return rounded.map((one, index) => toNumber({ units: raised && index === 0 ? one + rest : one, scale: 2 }));",
    },
    killedBy: [["reports/get-channel-breakdown", /largest remainders, not to the largest channel/]],
  },
  "default-range-of-counts": {
    broken: "count trends without from begin a week before their end",
    edit: {
      file: "src/reports/handlers.ts",
      from: "      const { range, buckets } = trend(query, asOf);\n      const { found, donators }",
      to: "      const whole = trend(query, asOf);\n      const { range, buckets } = query.from ? whole : { ...whole, buckets: whole.buckets.slice(-7) };\n      const { found, donators }",
    },
    killedBy: [["reports/get-amount-trends", /the default range of trends\/count is/]],
  },
  "search-in-keys": {
    broken: "a search also looks into idempotency keys",
    edit: {
      file: "src/donations/search/search-text.ts",
      from: '["donatorName", "message", "identifier"] as const',
      to: '["donatorName", "message", "identifier", "idempotencyKey"] as const',
    },
    killedBy: [["donations/search-donations", /looks into no member but/]],
  },
  "search-in-nfc": {
    broken: "a search tells ำ from its two letters, and wide letters from others: texts are compared in NFC",
    edit: {
      file: "src/base/fold-text.ts",
      from: 'return text.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase().normalize("NFKC")',
      to: 'return text.normalize("NFC").toLowerCase().toUpperCase().toLowerCase().normalize("NFC")',
    },
    killedBy: [["donations/search-donations", /ำ and its two letters/]],
  },
  "search-in-the-beginning": {
    broken: "a search looks into the first 200 characters of a text alone",
    edit: {
      file: "src/donations/search/search-text.ts",
      from: 'foldPart(donation[member] ?? "").includes(term)',
      to: 'foldPart((donation[member] ?? "").slice(0, 200)).includes(term)',
    },
    killedBy: [["donations/search-donations", /the last letters of the longest message/]],
  },
  "method-override": {
    broken: "a header changes the method of a request",
    edit: {
      file: "src/http/router.ts",
      from: "const match = contract.match(ctx.method, ctx.path);",
      to: 'const match = contract.match(ctx.get("x-http-method-override") || ctx.method, ctx.path);',
    },
    killedBy: [["transport/protocol", /X-HTTP-Method-Override does not change the method/]],
  },
};
