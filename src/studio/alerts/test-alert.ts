// Converts the test alert between its form and the contract.

import { readNumber } from "../components/field-faults.ts";
import type { StudioDeps } from "../studio-deps.ts";

/** The form's fields as they were typed. */
export type TestForm = Readonly<{ donatorName: string; amount: string; message: string }>;

/** The form's initial values: the contract's defaults. */
export function initialTestForm(bounds: StudioDeps["bounds"]): TestForm {
  const [donatorName, amount, message] = ["donatorName", "amount", "message"].map((member) =>
    String(bounds("TestAlert", member).default ?? ""),
  );
  return { donatorName: donatorName ?? "", amount: amount ?? "", message: message ?? "" };
}

export function readTestForm(form: URLSearchParams): { typed: TestForm; alert: Record<string, unknown> } {
  const text = (name: string) => (form.get(name) ?? "").replaceAll("\r\n", "\n");
  const typed = { donatorName: text("donatorName"), amount: text("amount"), message: text("message") };
  return { typed, alert: { ...typed, amount: readNumber(typed.amount) } };
}
