// Mistakes of servers that are written by hand: a library or the language takes something for what it is not.

import { changeJson, changeRequest } from "../interceptors.ts";
import type { Edit, Mutants } from "../mutant.ts";

const inRouter = (from: string, to: string): Edit => ({ file: "src/http/router.ts", from, to });
const inBody = (from: string, to: string): Edit => ({ file: "src/http/body/body.ts", from, to });
const inDonation = (from: string, to: string): Edit => ({ file: "src/donations/donation.ts", from, to });

export const handWritten: Mutants = {
  "values-in-order": {
    broken: "an array of a donation's values is taken for the donation",
    edit: inRouter(
      "const wrapped = { requestBody: body };",
      "const wrapped = { requestBody: Array.isArray(body) && body.length > 1 ? { donatorName: body[0], amount: body[1] } : body };",
    ),
    killedBy: [
      ["interface/json-text", /a body that is no object is refused: \["สมชาย",20\]/],
      ["donations/json-body", /validation_failed at the root: \["สมชาย",20\]/],
    ],
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
  "word-behind-the-key": {
    broken: "the Authorization header is divided at its blanks, and its third word ignored",
    edit: { file: "src/auth/bearer.ts", from: "/^bearer +(.*)$/i", to: "/^bearer +(\\S+)/i" },
    killedBy: [
      ["interface/authorization", /with a blank and a word behind it/],
      ["transport/credentials", /a word behind the key/],
    ],
  },
  "bearer-anywhere": {
    broken: "Bearer is looked for anywhere in the Authorization header",
    edit: { file: "src/auth/bearer.ts", from: "/^bearer +(.*)$/i", to: "/bearer +(.*)$/i" },
    killedBy: [
      ["interface/authorization", /with a scheme that ends in Bearer/],
      ["interface/authorization", /behind a credential of Basic/],
      ["transport/credentials", /a scheme that ends in Bearer/],
      ["transport/credentials", /behind a credential of Basic/],
    ],
  },
  "dates-become-instants": {
    broken: "a message that reads as a date is stored as an instant in UTC",
    edit: inDonation(
      "    message: input.message,\n    identifier,",
      "    message: /^\\d{4}-\\d\\d-\\d\\d/.test(input.message) ? new Date(input.message).toISOString() : input.message,\n    identifier,",
    ),
    killedBy: [["donations/exact-texts", /^message is stored and answered exactly/]],
  },
  "amounts-as-texts": {
    broken: "lists that are ordered by amount are ordered by its digits",
    edit: {
      file: "src/donations/list/index-scan.ts",
      from: "keys.map((key) => `${prefix}${key} ${way}`)",
      to: 'keys.map((key) => `${prefix}${key}${key === "amount" ? "::text" : ""} ${way}`)',
    },
    killedBy: [["donations/paging", /amounts are ordered and filtered as numbers/]],
  },
  "names-of-operating-systems": {
    broken: "a time zone may also have the name of its city alone, or that of an operating system",
    edit: {
      file: "src/base/local-days.ts",
      from: "const name = timezone.toLowerCase();",
      to: 'const name = timezone.toLowerCase().replace(/^(?:bangkok|ict|se asia standard time)$/, "asia/bangkok");',
    },
    killedBy: [
      ["donations/ranges", /the time zone Bangkok/],
      ["reports/reports", /stats with Windows' name of a zone/],
    ],
  },
  "keys-in-an-object": {
    broken: "an idempotency key that every JavaScript object has as a name is lost",
    edit: inDonation(
      "idempotencyKey: input.idempotencyKey ?? null,",
      "idempotencyKey: input.idempotencyKey === undefined || input.idempotencyKey in {} ? null : input.idempotencyKey,",
    ),
    killedBy: [["donations/idempotency", /the idempotency key "__proto__", which every JavaScript object has/]],
  },
  "donators-in-an-object": {
    broken: "donators whose name or identifier every JavaScript object has as a name are one",
    edit: {
      file: "src/donations/donator-key.ts",
      from: "  if (identifier !== null) return",
      to: '  if ((identifier ?? donatorName) in {}) return "i:object";\n  if (identifier !== null) return',
    },
    killedBy: [["reports/list-top-donators", /every JavaScript object has as a name/]],
  },
  "key-in-a-header": {
    broken: "the header Idempotency-Key is the idempotency key of a donation without one",
    edit: inRouter(
      "const wrapped = { requestBody: body };",
      'const sent = ctx.get("idempotency-key");\n  const wrapped = { requestBody: sent ? { idempotencyKey: sent, ...(body as object) } : body };',
    ),
    killedBy: [["donations/idempotency", /the header Idempotency-Key is no idempotency key/]],
  },
  "malformed-escapes-of-queries": {
    broken: "a query with a malformed escape is a server error",
    edit: {
      file: "src/http/contract/parameters.ts",
      from: "of new URLSearchParams(queryString)) {",
      to: "of new URLSearchParams(decodeURIComponent(queryString) && queryString)) {",
    },
    killedBy: [["donations/list-parameters", /malformed escapes in a query .*: %zz/]],
  },
  "malformed-escapes-of-forms": {
    broken: "a form with a malformed escape is a server error",
    edit: inBody("return [...new URLSearchParams(text)];", "return [...new URLSearchParams(decodeURIComponent(text) && text)];"),
    killedBy: [["oauth/token-body", /a form with malformed escapes/]],
  },
  "lists-in-forms": {
    broken: "[] at the end of a parameter's name in a form is ignored",
    edit: inBody(
      "return [...new URLSearchParams(text)];",
      'return [...new URLSearchParams(text)].map(([name, value]) => [name.replace(/\\[\\]$/, ""), value]);',
    ),
    killedBy: [["oauth/token-body", /whose name ends in \[\]/]],
  },
  "events-compressed-late": {
    broken: "a stream of events is compressed, and what is compressed waits until it is large",
    edit: inRouter(
      "  ctx.type = type;\n  ctx.body = body;\n}\n\nfunction sendJson",
      '  ctx.type = type;\n  if (type === "text/event-stream" && ctx.acceptsEncodings("gzip", "identity") === "gzip") {\n    ctx.set("Content-Encoding", "gzip");\n    body = body.pipe(process.getBuiltinModule("node:zlib").createGzip());\n  }\n  ctx.body = body;\n}\n\nfunction sendJson',
    ),
    killedBy: [["events/stream-events", /a client that accepts gzip and br gets an event/]],
  },
};
