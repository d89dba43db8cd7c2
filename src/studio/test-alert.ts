// The test alert between its form and the contract. Pure.

import { readNumber } from "./faults.ts";
import type { StudioParts } from "./studio-deps.ts";

/** As it was typed. */
export type TestForm = Readonly<{ donatorName: string; amount: string; message: string }>;

/** What the form says at first: the contract's defaults. */
export function firstTest(bounds: StudioParts["bounds"]): TestForm {
  const [donatorName, amount, message] = ["donatorName", "amount", "message"].map((member) =>
    String(bounds("TestAlert", member).default ?? ""),
  );
  return { donatorName: donatorName ?? "", amount: amount ?? "", message: message ?? "" };
}

export function readTest(form: URLSearchParams): { typed: TestForm; alert: Record<string, unknown> } {
  const text = (name: string) => (form.get(name) ?? "").replaceAll("\r\n", "\n");
  const typed = { donatorName: text("donatorName"), amount: text("amount"), message: text("message") };
  return { typed, alert: { ...typed, amount: readNumber(typed.amount) } };
}
