// The fields of an application, of a new one and of one that is changed.

import type { Fault } from "../../http/problem.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import { type FieldFaults, positionOf } from "../components/field-faults.ts";
import { textAreaField, textField } from "../components/fields.ts";
import { type AppForm, redirectUrisOf } from "./app-form.ts";

export const appLabels = {
  name: { th: "ชื่อแอป", en: "Name" },
  redirectUris: { th: "ที่อยู่ที่จะกลับไป (redirect URI)", en: "Redirect URIs" },
  scopes: { th: "สิทธิ์ที่แอปขอได้", en: "What it may ask for" },
} as const;

export type AppFormState = Readonly<{ typed: AppForm; faults: FieldFaults }>;

export function appFields({ typed, faults }: AppFormState): Html {
  const name = { name: "name", label: appLabels.name, typed: typed.name, hint: bilingual(nameHint), words: nameFault };
  const uris = redirectUrisOf(typed);
  const field = {
    name: "redirectUris",
    label: appLabels.redirectUris,
    typed: typed.redirectUris,
    hint: bilingual(urisHint),
    words: urisFault,
    subject: (fault: Fault) => uris[positionOf(fault) ?? -1] ?? null,
  };
  return html`${textField(name, faults)}
${textAreaField(field, faults)}`;
}

const nameHint: Bilingual = { th: "สตรีมเมอร์เห็นชื่อนี้เมื่อถูกขออนุญาต", en: "Streamers see it when they are asked for access." };

const urisHint: Bilingual = {
  th: "บรรทัดละหนึ่งที่อยู่ ใช้ https ส่วน http ใช้ได้กับ 127.0.0.1, [::1] และ localhost ต้องตรงกันทุกตัวอักษร",
  en: "One on each line, with https; http is for 127.0.0.1, [::1] and localhost. They are compared exactly.",
};

const nameFaults: Readonly<Record<string, string>> = {
  required: "ต้องกรอกช่องนี้",
  too_long: "ยาวได้ไม่เกิน 60 ตัวอักษร",
  too_many_items: "ลงทะเบียนแอปครบจำนวนแล้ว ลบแอปที่ไม่ใช้หรือลองใหม่ภายหลัง",
};

function nameFault({ code, message }: Fault): Bilingual {
  const th = nameFaults[code] ?? "ชื่อต้องไม่มีอักขระที่มองไม่เห็น และต้องไม่เหมือนชื่อของแพลตฟอร์มหรือแอปอื่น";
  return { th, en: `${message.charAt(0).toUpperCase()}${message.slice(1)}.` };
}

function urisFault({ code, message }: Fault): Bilingual {
  const th: Record<string, string> = { required: "กรอกอย่างน้อยหนึ่งที่อยู่", too_many_items: "ได้ไม่เกิน 10 ที่อยู่" };
  const wrong = "ต้องเป็นที่อยู่ https แบบเต็ม ไม่มี # * ชื่อผู้ใช้ หรือรหัสผ่าน";
  return { th: th[code] ?? wrong, en: `${message.charAt(0).toUpperCase()}${message.slice(1)}.` };
}
