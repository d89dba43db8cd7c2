// Bugs of servers that are written by hand: a library or the language lets pass what the interface does not have.

import type { Bug } from "./bugs.ts";
import { rules } from "./server.ts";

type Read = (value: unknown) => unknown;

/** Changes what was read from a body, where that is an object. */
const changesObject =
  (change: (sent: { [member: string]: unknown }) => unknown): Read =>
  (value) =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? change(value as { [member: string]: unknown }) : value;
const reading = (file: string, rule: RegExp, read: Read): Bug => ({ rules: { read: (bytes) => read(rules.read(bytes)) }, file, rule });

const header = (rule: RegExp, tokenOf: (authorization: string) => string | null): Bug => ({
  behaviour: { tokenOf: ({ headers }) => tokenOf(headers.authorization ?? "") },
  file: "authorization",
  rule,
});

export const lenientBugs: Record<string, Bug> = {
  "values-in-order": reading("json-text", /refused: \["สมชาย",20\]/, (value) =>
    Array.isArray(value) && value.length > 1 ? { donatorName: value[0], amount: value[1] } : value,
  ),
  "donation-in-an-envelope": reading(
    "donation",
    /not inside of another member/,
    changesObject((sent) => sent.donation ?? sent.data ?? sent),
  ),
  "members-of-the-prototype": reading(
    "donation",
    /amount is required .* not inside of another member/,
    changesObject((sent) => ({ ...(Object.getOwnPropertyDescriptor(sent, "__proto__")?.value as object), ...sent })),
  ),
  "word-behind-the-token": header(/with a blank and a word behind it/, (authorization) => /^Bearer (\S+)/.exec(authorization)?.[1] ?? null),
  "scheme-ends-in-bearer": header(/a scheme that ends in Bearer/, (authorization) => /Bearer (\S+)$/.exec(authorization)?.[1] ?? null),
  "bearer-behind-a-comma": header(/behind a credential of Basic/, (authorization) => /\bBearer (\S+)$/.exec(authorization)?.[1] ?? null),
  "scheme-of-six-letters": header(/the scheme Apikey/, (authorization) => /^\w{6} (.+)$/.exec(authorization)?.[1] ?? null),
  "donation-as-a-form": {
    rules: { read: (bytes) => (new TextDecoder().decode(bytes).startsWith("{") ? rules.read(bytes) : donationOfForm(bytes)) },
    file: "json-text",
    rule: /sent as a form is refused.*x-www-form-urlencoded/,
  },
  "secret-in-any-case": {
    behaviour: {
      knowsClient: (sent, { id, secret }) => sent.client_id === id && `${sent.client_secret}`.toLowerCase() === secret.toLowerCase(),
    },
    file: "oauth",
    rule: /in the other letter case/,
  },
  "secret-in-a-list": {
    behaviour: { knowsClient: (sent, { id, secret }) => sent.client_id === id && `${sent.client_secret}` === secret },
    file: "oauth",
    rule: /a client that exists whose secret is no string/,
  },
};

function donationOfForm(bytes: Uint8Array): object {
  const form = Object.fromEntries(new URLSearchParams(new TextDecoder().decode(bytes)));
  return { ...form, amount: Number(form.amount), skipAlert: form.skipAlert === "true" };
}
