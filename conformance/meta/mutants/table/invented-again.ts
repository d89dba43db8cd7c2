// Mistakes of somebody who writes a server of their own by the documents alone. Each looks nearly right.

import type { Mutants } from "../mutant.ts";

export const inventedAgain: Mutants = {
  "fraction-as-a-double": {
    broken: "a fraction of a second is read as a floating-point number, so that twenty nines are a whole second",
    edit: {
      file: "src/base/instant.ts",
      from: 'Number(text.slice(20, Math.min(zoneAt, 23)).padEnd(3, "0"))',
      to: "Math.floor(Number(`0.${text.slice(20, zoneAt)}`) * 1000)",
    },
    killedBy: [["donations/created-at", /truncated to milliseconds/]],
  },
  "at-before-width": {
    broken: "a leading @ of a name is left out before its width is normalised, so that a full-width one stays",
    edit: {
      file: "src/donations/donator-key.ts",
      from: 'foldText(name).trim().replace(/\\s+/gu, " ").replace(/^@/u, "").trim();',
      to: 'foldText(name.trim().replace(/^@/u, "")).trim().replace(/\\s+/gu, " ");',
    },
    killedBy: [["reports/get-donation-stats", /every leading @ that NFKC knows/]],
  },
  "blank-after-at": {
    broken: "blanks between a leading @ and the name are part of the name",
    edit: { file: "src/donations/donator-key.ts", from: '.replace(/^@/u, "").trim();', to: '.replace(/^@/u, "");' },
    killedBy: [["reports/get-donation-stats", /every leading @ that NFKC knows/]],
  },
  "names-of-nothing": {
    broken: "all names of which nothing is left are one donator",
    edit: {
      file: "src/donations/donator-key.ts",
      from: "`n:${normaliseName(donatorName) || donatorName}`",
      to: "`n:${normaliseName(donatorName)}`",
    },
    killedBy: [["reports/get-donation-stats", /names of which nothing is left/]],
  },
  "search-across-members": {
    broken: "a search finds a text that begins in the name and ends in the message",
    edit: {
      file: "src/donations/search/search-text.ts",
      from: 'return searchedMembers.some((member) => foldPart(donation[member] ?? "").includes(term));',
      to: 'return foldPart(searchedMembers.map((member) => donation[member] ?? "").join(" ")).includes(term);',
    },
    killedBy: [["donations/search-donations", /no match reaches from one member into the next/]],
  },
  "repeated-with-the-same-value": {
    broken: "a parameter that is repeated with the same value is accepted",
    edit: {
      file: "src/http/contract/parameters.ts",
      from: "else if (name in query) faults",
      to: "else if (name in query && query[name] !== typed(value, kind)) faults",
    },
    killedBy: [["donations/list-parameters", /limit=5&limit=5 is refused/]],
  },
  "numbers-without-exponent": {
    broken: "an amount in a query may have no exponent, with which clients write small ones",
    edit: {
      file: "src/http/contract/parameters.ts",
      from: "(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/",
      to: "(?:\\.[0-9]+)?$/",
    },
    killedBy: [["donations/list-parameters", /minAmount=1e-7.* is accepted/]],
  },
  "ranks-by-both": {
    broken: "donators with the same number of donations have different ranks when their sums differ",
    edit: {
      file: "src/reports/queries/short-history.ts",
      from: 'by === "amount" ? compare(b.total, a.total) : b.count - a.count);',
      to: 'by === "amount" ? compare(b.total, a.total) : b.count - a.count || compare(b.total, a.total));',
    },
    killedBy: [["reports/list-top-donators", /equal by what they are ranked by alone/]],
  },
  "hours-of-utc": {
    broken: "an hour of a zone ends where one of UTC ends",
    edit: {
      file: "src/reports/calendar.ts",
      from: "return (Math.floor((ms + offset) / msPerHour) + 1) * msPerHour - offset;",
      to: "return (Math.floor(ms / msPerHour) + 1) * msPerHour;",
    },
    killedBy: [["reports/get-amount-trends", /hours of a zone with a half-hour offset/]],
  },
  "hours-across-a-change": {
    broken: "an hour goes on although the clocks change within it, and the hour after the change is left out",
    edit: {
      file: "src/reports/calendar.ts",
      from: "from = Math.min(endOfHour(from, offset), until))\n        yield { from, to: Math.min(endOfHour(from, offset), until),",
      to: "from = endOfHour(from, offset))\n        yield { from, to: endOfHour(from, offset),",
    },
    killedBy: [["reports/get-amount-trends", /America\/St_Johns change at 2010-03-14/]],
  },
  "key-across-streamers": {
    broken: "of two donations with one application and key that arrive together only one is recorded, though they are for two streamers",
    edit: {
      file: "src/donations/record/attempt.ts",
      from: "`${streamerId}/${applicationId}/${idempotencyKey}`",
      to: "`${applicationId}/${idempotencyKey}`",
    },
    killedBy: [["oauth/access-token", /a key for two streamers at the same moment/]],
  },
  "cr-lf-passed-over": {
    broken: "a line of CR LF alone is passed over, so that the index of every later donation is one too low",
    edit: {
      file: "src/http/body/line-splitter.ts",
      from: "append(chunk.subarray(from, at));\n        from",
      to: "append(chunk.subarray(from, at));\n        if (length === 1 && chunk[at - 1] === 0x0d) take();\n        if (length === 0 && chunk[at - 1] === 0x0d) {\n          from = at + 1;\n          continue;\n        }\n        from",
    },
    killedBy: [["donations/import-lines", /empty lines are left out/]],
  },
  "carriage-return-in-xml": {
    broken: "a carriage return is exported as it is, which every reader of XML turns into a line feed",
    edit: { file: "src/donations/export/workbook-xml.ts", from: "\\u000b-\\u001f", to: "\\u000b\\u000c\\u000e-\\u001f" },
    killedBy: [["donations/export-donations", /every text as XML reads it/]],
  },
  "noncharacters-in-xml": {
    broken: "U+FFFE and U+FFFF, which no XML may contain, are exported as they are",
    edit: { file: "src/donations/export/workbook-xml.ts", from: "\\u001f\\ufffe\\uffff]", to: "\\u001f]" },
    killedBy: [["donations/export-donations", /every text as XML reads it/]],
  },
  "one-blank-after-bearer": {
    broken: "exactly one blank may stand between Bearer and the token",
    edit: { file: "src/auth/bearer.ts", from: "/^bearer +(.*)$/i", to: "/^bearer (\\S*)$/i" },
    killedBy: [["transport/credentials", /any number of blanks/]],
  },
  "port-at-the-token-endpoint": {
    broken: "the token endpoint takes a loopback redirect URI with another port than that of the authorization request",
    edit: {
      file: "src/oauth/tokens/oauth2-server-adapter.ts",
      from: "const redirectUri = code?.redirectUri ??",
      to: 'const plain = (uri = "") => uri.replace(/^(http:\\/\\/[^/]*?):\\d+(?=\\/|$)/, "$1");\n  const isSame = plain(code?.redirectUri ?? "") === plain(parameters.redirect_uri);\n  const redirectUri = (isSame ? parameters.redirect_uri : code?.redirectUri) ??',
    },
    killedBy: [["oauth/issue-token-code", /a loopback redirect_uri with another port/]],
  },
  "same-secret-twice": {
    broken: "a client may send the same secret in HTTP Basic and in the body",
    edit: {
      file: "src/oauth/clients/client-authentication.ts",
      from: "if (client_secret !== undefined) throw",
      to: "if (client_secret !== undefined && client_secret !== basic.secret) throw",
    },
    killedBy: [["oauth/client-authentication", /two ways of authentication in one request are refused/]],
  },
  "verifier-for-no-challenge": {
    broken: "a verifier is ignored when the authorization request had no challenge",
    edit: {
      file: "src/oauth/tokens/token.ts",
      from: "code, redirect_uri, code_verifier };",
      to: "code, redirect_uri, code_verifier: stored.codeChallenge ? code_verifier : undefined };",
    },
    killedBy: [["oauth/issue-token-pkce", /a verifier without a challenge is refused/]],
  },
  "hint-is-binding": {
    broken: "a token is looked for only among those of the type that token_type_hint names",
    edit: {
      file: "src/oauth/tokens/revoke.ts",
      from: "const token = body.token.startsWith(refreshTokenPrefix(deps.brand))",
      to: 'const token = (body.token_type_hint ? body.token_type_hint === "refresh_token" : body.token.startsWith(refreshTokenPrefix(deps.brand)))',
    },
    killedBy: [["oauth/revoke-token", /revoking ignores token_type_hint: "access_token"/]],
  },
  "used-token-revokes-nothing": {
    broken: "revoking a refresh token that was used leaves its grant as it is",
    edit: {
      file: "src/oauth/tokens/grants.ts",
      from: 'where t.hash = ${bind(digest(token), "bytea")}`',
      to: 'where t.rotated_at is null and t.hash = ${bind(digest(token), "bytea")}`',
    },
    killedBy: [["oauth/revoke-token", /a refresh token that was used revokes its grant/]],
  },
  "iss-with-codes-alone": {
    broken: "a redirect with an error has no iss",
    edit: {
      file: "src/oauth/return-address.ts",
      from: "...(state !== null && { state }), iss: issuer };",
      to: '...(state !== null && { state }), ...("code" in answer && { iss: issuer }) };',
    },
    killedBy: [["oauth/authorize-errors", /an unknown scope is sent back/]],
  },
  "origin-by-its-beginning": {
    broken: "/mcp takes every Origin that begins with its own",
    edit: {
      file: "src/mcp/open-mcp.ts",
      from: "origin === undefined || origin === ours ?",
      to: "origin === undefined || origin.startsWith(ours) ?",
    },
    killedBy: [["mcp/mcp-authorization", /differs from ours in its scheme, host or port alone/]],
  },
  "first-secret-kept": {
    broken: "a second rotation keeps the first secret beside the newest one",
    edit: {
      file: "src/events/webhooks/endpoints/endpoints.ts",
      from: "set previous_secret = secret, previous_secret_until",
      to: "set previous_secret = coalesce(previous_secret, secret), previous_secret_until",
    },
    killedBy: [["events/rotate-webhook-secret", /after each further rotation the two newest secrets/]],
  },
  "time-of-the-event": {
    broken: "webhook-timestamp is the time of the event, not of the attempt, so that receivers refuse a late one as a replay",
    edit: {
      file: "src/events/webhooks/request/send.ts",
      from: "headersOf(message, userAgent, Math.floor(at / 1000))",
      to: "headersOf(message, userAgent, Math.floor(Date.parse(JSON.parse(message.body).timestamp) / 1000))",
    },
    killedBy: [["events/webhook-retries", /with the same webhook-id and body, and a new timestamp/]],
  },
  "goal-is-merged": {
    broken: "a goal that is sent without a last day keeps that of the goal before",
    edit: {
      file: "src/alerts/settings/settings.ts",
      from: "const changed: Settings = { ...settings, ...sent };",
      to: "const changed: Settings = { ...settings, ...sent, ...(sent.goal && { goal: { ...settings.goal, ...sent.goal } }) };",
    },
    killedBy: [["alerts/update-alert-settings", /a goal that is sent replaces the one before/]],
  },
  "recent-with-void-ones": {
    broken: "the recent donations of the widgets hold void ones",
    edit: { file: "src/app/read-widgets.ts", from: 'status: "active", minAmount', to: 'status: "all", minAmount' },
    killedBy: [["alerts/void-alerts", /the widgets and the goal leave a donation that is voided at once out/]],
  },
  "json-among-others": {
    broken: "a problem is application/json when Accept names that among other types",
    edit: {
      file: "src/http/middleware/problem-renderer.ts",
      from: "types.length > 0 && types.every(",
      to: "types.length > 0 && types.some(",
    },
    killedBy: [["transport/problems", /application\/json, \*\/\* has the type application\/problem\+json/]],
  },
};
