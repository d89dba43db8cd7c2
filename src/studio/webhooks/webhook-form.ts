// The form of a webhook endpoint: how it is read, its fields, and the fields of what the contract refuses.

import type { Schemas } from "../../http/operations.ts";
import { type Fault, Problem, type ProblemCode } from "../../http/problem.ts";
import { type Html, html } from "../../ui/html.ts";
import type { Bilingual } from "../../ui/layout.ts";
import { type DescribedForm, describedField, type FieldDescription, labelsOf, type Typed } from "../components/described-form.ts";
import { type FieldFaults, validationFaults } from "../components/fields.ts";
import { typeLabels } from "./webhook-deliveries.ts";

export const webhookForm = {
  schema: "NewWebhook",
  fields: {
    url: {
      kind: "text",
      label: { th: "ที่อยู่ปลายทาง", en: "Address" },
      hint: {
        th: "ที่อยู่ https ของเครื่องที่เข้าถึงได้จากอินเทอร์เน็ต",
        en: "An https address on a host that can be reached from the internet.",
      },
      words: urlFault,
    },
    description: { kind: "text", label: { th: "ชื่อหรือหมายเหตุ", en: "Name or note" }, hint: { th: "เว้นว่างได้", en: "Optional." } },
    types: {
      kind: "several",
      label: { th: "เหตุการณ์ที่จะส่ง", en: "Events to send" },
      choices: Object.entries(typeLabels),
      box: "type",
      words: typesFault,
    },
    withImported: {
      kind: "check",
      label: { th: "ส่งโดเนทที่นำเข้าด้วย", en: "Send imported donations too" },
      hint: {
        th: "ปิดไว้ถ้าโปรแกรมเพิ่มเวลาหรือเล่นเสียง เพราะประวัติที่นำเข้าไม่ได้เพิ่งเกิดขึ้น",
        en: "Switch it off for a program that adds time or plays sounds: an imported history has not just happened.",
      },
    },
    /** The application that a new endpoint belongs to. */
    application: { kind: "choice", member: null, label: { th: "แอป", en: "Application" } },
  } satisfies Record<keyof Schemas["NewWebhook"] | "application", FieldDescription>,
} as const satisfies DescribedForm;

/** The fields as they were typed. */
export type WebhookForm = Typed<typeof webhookForm>;

export const initialWebhookForm: WebhookForm = {
  ...{ url: "", description: "", types: ["donation.created"], application: "" },
  withImported: true,
};

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

export const webhookLabels = labelsOf(webhookForm);

export type WebhookFormState = Readonly<{ typed: WebhookForm; faults: FieldFaults }>;

export function webhookFields(state: WebhookFormState): Html {
  const field = (name: keyof WebhookForm) => describedField({ form: webhookForm, ...state }, name);
  return html`${field("url")}
${field("description")}
${field("types")}
${field("withImported")}`;
}

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
