// The form of an application that the streamer registers: how it is read, and its fields.

import type { Fault } from "../../http/problem.ts";
import type { NewClient } from "../../oauth/clients/clients.ts";
import type { OwnClient } from "../../oauth/clients/own-clients.ts";
import { type Html, html } from "../../ui/html.ts";
import type { Bilingual } from "../../ui/layout.ts";
import { scopeChoices } from "../../ui/scope-names.ts";
import { type DescribedForm, describedField, readTyped, splitLines, type Typed, toMembers, toTyped } from "../components/described-form.ts";
import { type FieldFaults, positionOf } from "../components/fields.ts";

export const appForm = {
  fields: {
    name: {
      kind: "text",
      label: { th: "ชื่อแอป", en: "Name" },
      hint: { th: "สตรีมเมอร์เห็นชื่อนี้เมื่อถูกขออนุญาต", en: "Streamers see it when they are asked for access." },
      words: nameFault,
    },
    redirectUris: {
      kind: "lines",
      label: { th: "ที่อยู่ที่จะกลับไป (redirect URI)", en: "Redirect URIs" },
      hint: {
        th: "บรรทัดละหนึ่งที่อยู่ ใช้ https ส่วน http ใช้ได้กับ 127.0.0.1, [::1] และ localhost ต้องตรงกันทุกตัวอักษร",
        en: "One on each line, with https; http is for 127.0.0.1, [::1] and localhost. They are compared exactly.",
      },
      words: urisFault,
    },
    /** `public` or `confidential`; chosen once, for a new application, as the scopes are. */
    kind: { kind: "choice", member: null, label: { th: "เก็บรหัสลับได้ไหม", en: "Can it keep a secret?" } },
    scopes: { kind: "several", label: { th: "สิทธิ์ที่แอปขอได้", en: "What it may ask for" }, choices: scopeChoices, box: "scope" },
  },
} as const satisfies DescribedForm;

/** The fields as they were typed. */
export type AppForm = Typed<typeof appForm>;

export const initialAppForm: AppForm = {
  ...{ name: "", redirectUris: "", kind: "confidential" },
  scopes: ["write:donations", "read:donations"],
};

export function toAppForm(app: OwnClient): AppForm {
  return { ...toTyped(appForm, app), kind: app.public ? "public" : "confidential" };
}

export function readAppForm(form: URLSearchParams): AppForm {
  return readTyped(appForm, form);
}

/** The members of the application that was typed. */
export function appOf(typed: AppForm): NewClient {
  return { ...(toMembers(appForm, typed) as Omit<NewClient, "public">), public: typed.kind === "public" };
}

export type AppFormState = Readonly<{ typed: AppForm; faults: FieldFaults }>;

export function appFields(state: AppFormState): Html {
  const shown = { form: appForm, ...state };
  const uris = splitLines(state.typed.redirectUris);
  return html`${describedField(shown, "name")}
${describedField(shown, "redirectUris", { subject: (fault) => uris[positionOf(fault) ?? -1] ?? null })}`;
}

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
