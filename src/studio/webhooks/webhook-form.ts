// Reads the form of a webhook endpoint, and names the fields of what the contract refuses.

import type { EventType } from "../../events/event.ts";
import { eventTypes } from "../../http/contract/published.ts";
import { Problem, type ProblemCode } from "../../http/problem.ts";
import { type FieldFaults, validationFaults } from "../components/field-faults.ts";
import type { Webhook } from "./webhook-labels.ts";

/** The form's fields as they were typed. */
export type WebhookForm = Readonly<{
  url: string;
  description: string;
  types: readonly EventType[];
  withImported: boolean;
  /** Id of the application that a new endpoint belongs to. */
  application: string;
}>;

export const initialWebhookForm: WebhookForm = {
  ...{ url: "", description: "", types: ["donation.created"], application: "" },
  withImported: true,
};

export function toWebhookForm({ url, description, types, withImported }: Webhook): WebhookForm {
  return { url, description, types, withImported, application: "" };
}

/** Each type has a checkbox with a name of its own, because no field may be sent twice. */
export function readWebhookForm(form: URLSearchParams): WebhookForm {
  const text = (name: string) => (form.get(name) ?? "").trim();
  return {
    url: text("url"),
    description: text("description"),
    types: eventTypes.filter((type) => form.has(`type ${type}`)),
    withImported: form.has("withImported"),
    application: text("application"),
  };
}

/** The members that the contract will check. */
export function membersOf({ url, description, types, withImported }: WebhookForm): Record<string, unknown> {
  return { url, description, types, withImported };
}

/** The field that each refusal of the contract is about. */
const fields: Partial<Record<ProblemCode, { field: keyof WebhookForm; code: "invalid_format" | "too_many_items" | "invalid_enum" }>> = {
  webhook_url_refused: { field: "url", code: "invalid_format" },
  too_many_webhooks: { field: "application", code: "too_many_items" },
  insufficient_scope: { field: "types", code: "invalid_enum" },
};

/** Runs `act`. Resolves to its result, or to the faults of what was typed. */
export async function orFaults<Result>(act: () => Promise<Result>): Promise<{ done: Result } | { faults: FieldFaults }> {
  try {
    return { done: await act() };
  } catch (error) {
    const faults = validationFaults(error) ?? refusalFaults(error);
    if (!faults) throw error;
    const { url, ...others } = faults;
    return { faults: { ...(url && { url: url.slice(0, 1) }), ...others } }; // the first says the most
  }
}

function refusalFaults(error: unknown): FieldFaults | null {
  const found = error instanceof Problem && fields[error.code];
  return found ? { [found.field]: [{ code: found.code, message: error.message.replace(/\.$/, "") }] } : null;
}
