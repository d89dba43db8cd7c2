// Bugs of servers that are written by hand: a library or the language lets pass what the interface does not have.

import type { Bug } from "./bugs.ts";
import { rules } from "./rules.ts";

type Read = (value: unknown) => unknown;

/** Changes what was read from a body, where that is an object. */
const changesObject =
  (change: (sent: { [member: string]: unknown }) => unknown): Read =>
  (value) =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? change(value as { [member: string]: unknown }) : value;
const reading = (file: string, rule: RegExp, read: Read): Bug => ({ rules: { read: (bytes) => read(rules.read(bytes)) }, file, rule });

export const lenientBugs: Record<string, Bug> = {
  "values-in-order": reading("json-text", /refused: \["สมชาย",20\]/, (value) =>
    Array.isArray(value) && value.length > 1 ? { donatorName: value[0], amount: value[1] } : value,
  ),
  "donation-in-an-envelope": reading(
    "required-members",
    /not inside of another member/,
    changesObject((sent) => sent.donation ?? sent.data ?? sent),
  ),
  "members-of-the-prototype": reading(
    "required-members",
    /amount is required .* not inside of another member/,
    changesObject((sent) => ({ ...(Object.getOwnPropertyDescriptor(sent, "__proto__")?.value as object), ...sent })),
  ),
  "donation-as-a-form": {
    rules: { read: (bytes) => (new TextDecoder().decode(bytes).startsWith("{") ? rules.read(bytes) : donationOfForm(bytes)) },
    file: "json-text",
    rule: /sent as a form is refused.*x-www-form-urlencoded/,
  },
};

function donationOfForm(bytes: Uint8Array): object {
  const form = Object.fromEntries(new URLSearchParams(new TextDecoder().decode(bytes)));
  return { ...form, amount: Number(form.amount), skipAlert: form.skipAlert === "true" };
}
