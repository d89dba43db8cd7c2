// The fields of a webhook endpoint, of a new one and of one that is changed.

import type { EventType } from "../../events/event.ts";
import type { Fault } from "../../http/problem.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import type { FieldFaults } from "../components/field-faults.ts";
import { checkField, faultMessages, textField } from "../components/fields.ts";
import type { StudioDeps } from "../studio-deps.ts";
import type { WebhookForm } from "./webhook-form.ts";
import { typeLabels } from "./webhook-labels.ts";

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
