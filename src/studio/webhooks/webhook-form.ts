// The form of a webhook endpoint: how it is read, its fields, and the fields of what the contract refuses.

import type { EventType } from "../../events/event.ts";
import { eventTypes } from "../../http/contract/published.ts";
import { type Fault, Problem, type ProblemCode } from "../../http/problem.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import { checkField, type FieldFaults, faultMessages, textField, validationFaults } from "../components/fields.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { typeLabels, type Webhook } from "./webhook-deliveries.ts";

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

export const webhookLabels = {
  url: { th: "ที่อยู่ปลายทาง", en: "Address" },
  description: { th: "ชื่อหรือหมายเหตุ", en: "Name or note" },
  types: { th: "เหตุการณ์ที่จะส่ง", en: "Events to send" },
  withImported: { th: "ส่งโดเนทที่นำเข้าด้วย", en: "Send imported donations too" },
  application: { th: "แอป", en: "Application" },
} as const;

export type WebhookFormState = Readonly<{ typed: WebhookForm; faults: FieldFaults }>;

export function webhookFields({ typed, faults }: WebhookFormState, bounds: StudioDeps["bounds"]): Html {
  const field = (name: "url" | "description") => ({
    name,
    label: webhookLabels[name],
    typed: typed[name],
    bounds: bounds("NewWebhook", name),
  });
  const box = (type: EventType) =>
    checkField({ name: `type ${type}`, label: typeLabels[type], hint: html`<code>${type}</code>`, checked: typed.types.includes(type) });
  const types = Object.keys(typeLabels) as EventType[];
  return html`${textField({ ...field("url"), hint: bilingual(urlHint), words: urlFault }, faults)}
${textField({ ...field("description"), hint: bilingual({ th: "เว้นว่างได้", en: "Optional." }) }, faults)}
<fieldset id="field-types"${faults["types"] && html` aria-describedby="field-types-fault"`}>
<legend>${bilingual(webhookLabels.types)}</legend>
${types.map(box)}
${faultMessages("types", faults, { words: typesFault })}
</fieldset>
${checkField({ name: "withImported", label: webhookLabels.withImported, hint: bilingual(importedHint), checked: typed.withImported })}`;
}

const importedHint: Bilingual = {
  th: "ปิดไว้ถ้าโปรแกรมเพิ่มเวลาหรือเล่นเสียง เพราะประวัติที่นำเข้าไม่ได้เพิ่งเกิดขึ้น",
  en: "Switch it off for a program that adds time or plays sounds: an imported history has not just happened.",
};

const urlHint: Bilingual = {
  th: "ที่อยู่ https ของเครื่องที่เข้าถึงได้จากอินเทอร์เน็ต",
  en: "An https address on a host that can be reached from the internet.",
};

function urlFault({ code, message }: Fault): Bilingual | null {
  if (code !== "invalid_format") return null;
  const own = /^The (url|host)/.test(message);
  return {
    th: "ต้องเป็นที่อยู่ https ที่เข้าถึงได้จากอินเทอร์เน็ต ไม่มีชื่อผู้ใช้ รหัสผ่าน หรือเครื่องหมาย #",
    en: own ? `${message}.` : "Must be an https address.",
  };
}

function typesFault({ code }: Fault): Bilingual | null {
  if (code === "invalid_enum")
    return { th: "คีย์ของแอปนี้ไม่มีสิทธิ์ดูเหตุการณ์ที่เลือก", en: "The keys of this application lack the scope for some of these events." };
  return { th: "เลือกอย่างน้อยหนึ่งอย่าง", en: "Choose at least one." };
}
