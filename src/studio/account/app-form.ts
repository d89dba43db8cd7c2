// The form of an application that the streamer registers: how it is read, and its fields.

import type { Scope } from "../../http/operations.ts";
import type { Fault } from "../../http/problem.ts";
import type { OwnClient } from "../../oauth/clients/own-clients.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import { type FieldFaults, positionOf, textAreaField, textField } from "../components/fields.ts";

/** The form's fields as they were typed. `redirectUris`: one on each line. `isPublic` and `scopes` are chosen once, for a new application. */
export type AppForm = Readonly<{ name: string; redirectUris: string; isPublic: boolean; scopes: readonly Scope[] }>;

export const initialAppForm: AppForm = { name: "", redirectUris: "", isPublic: false, scopes: ["write:donations", "read:donations"] };

export function toAppForm({ name, redirectUris, public: isPublic, scopes }: OwnClient): AppForm {
  return { name, redirectUris: redirectUris.join("\n"), isPublic, scopes };
}

/** Each scope has a checkbox with a name of its own, because no field may be sent twice. */
export function readAppForm(form: URLSearchParams, scopes: readonly Scope[]): AppForm {
  return {
    name: (form.get("name") ?? "").trim(),
    redirectUris: form.get("redirectUris") ?? "",
    isPublic: form.get("kind") === "public",
    scopes: scopes.filter((scope) => form.has(`scope ${scope}`)),
  };
}

/** The redirect URIs that were typed, without empty lines. */
export function redirectUrisOf({ redirectUris }: AppForm): readonly string[] {
  return redirectUris
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

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
