// Renders the account page: password, sessions, time zone and language.

import type { FailedLogin, Preferences } from "../../oauth/accounts/self-service.ts";
import type { SessionEntry } from "../../oauth/accounts/sessions.ts";
import { type Html, html, postForm } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated } from "../../ui/layout.ts";
import { type DescribedForm, describedField, toTyped } from "../components/described-form.ts";
import { formatCount } from "../components/donation.ts";
import { type FieldFaults, faultSummary, passwordField, timeZones } from "../components/fields.ts";
import { guideLink, type PageContext, studioPage, time } from "../components/frame.ts";
import { paths } from "../paths.ts";

type AccountPage = PageContext &
  Readonly<{
    sessions: readonly SessionEntry[];
    failedLogins: readonly FailedLogin[];
    preferences: Preferences;
    passwordLength: Readonly<{ minimum: number; maximum: number }>;
    faults: FieldFaults;
    /** Why the current password was refused. */
    refusal?: Bilingual | null;
  }>;

export function accountPage(page: AccountPage): string {
  const { site, account } = page;
  const form = (path: string, content: Html) => postForm({ action: site.path(path), formToken: account.formToken, content });
  return studioPage({
    ...page,
    here: "/studio/account",
    title: { th: "บัญชี", en: "Account" },
    content: html`<section class="card" aria-labelledby="where">
<h2 id="where">${bilingual({ th: "เวลาและภาษา", en: "Time and language" })}</h2>
${form(paths.preferences, preferenceFields(page))}
${guideLink(site, "studio")}
</section>
<section class="card" aria-labelledby="password">
<h2 id="password">${bilingual({ th: "เปลี่ยนรหัสผ่าน", en: "Change password" })}</h2>
${faultSummary(page.faults, labels)}
${form(paths.password, passwordFields(page))}
</section>
<section class="card" aria-labelledby="sessions">
<h2 id="sessions">${bilingual({ th: "ที่เข้าสู่ระบบอยู่", en: "Where you are logged in" })}</h2>
${postForm({ id: "end-session", action: site.path(paths.endSession), formToken: account.formToken })}
<ul class="entries">${page.sessions.map(sessionItem)}</ul>
<p class="note">${bilingual({
      th: "ทุกเบราว์เซอร์จะออกจากระบบเองหลังเข้าสู่ระบบ 12 ชั่วโมง คีย์ API แอป และลิงก์ OBS ยังใช้ได้",
      en: "Every browser is logged out 12 hours after its login. API keys, apps and OBS links keep working.",
    })}</p>
${form(paths.logOutEverywhere, html`<button>${bilingual({ th: "ออกจากระบบทุกที่", en: "Log out everywhere" })}</button>`)}
</section>
${failedLoginsCard(page.failedLogins)}`,
  });
}

function failedLoginsCard(failedLogins: readonly FailedLogin[]): Html | null {
  if (failedLogins.length === 0) return null;
  return html`<section class="card" aria-labelledby="failed-logins">
<h2 id="failed-logins">${bilingual({ th: "เข้าสู่ระบบไม่สำเร็จ", en: "Failed logins" })}</h2>
<ul class="entries">${failedLogins.map(failedLoginItem)}</ul>
<p class="note">${bilingual({
    th: "ครั้งล่าสุดที่มีคนลองเข้าสู่ระบบด้วยชื่อของคุณแต่รหัสผ่านผิด นับเป็นนาที แสดงช้าประมาณสองนาที ถ้าไม่ใช่คุณ และรหัสผ่านนี้ใช้ที่อื่นด้วยหรือเดาง่าย ให้เปลี่ยนรหัสผ่าน",
    en: "The latest attempts to log in with your name and a wrong password, counted by the minute and shown about two minutes later. If they are not yours, and the password is also used elsewhere or easy to guess, change it.",
  })}</p>
</section>
`;
}

function failedLoginItem({ at, attempts, networks, from, browsers = [] }: FailedLogin): Html {
  const count = formatCount(attempts);
  const others = networks - from.length;
  const further = others > 0 && bilingual({ th: `และอีก ${formatCount(others)} เครือข่าย`, en: `and ${formatCount(others)} more networks` });
  return html`<li><div class="entry">
<p><strong>${time(at)}</strong></p>
<p class="marks"><span>${bilingual({ th: `${count} ครั้ง`, en: attempts === 1 ? "1 attempt" : `${count} attempts` })}</span> <span>${bilingual({ th: "จาก", en: "From" })} ${isolated(from.join(", "))} ${further}</span>${browsers.length > 0 && html` <span>${isolated(browsers.join("; "))}</span>`}</p>
</div></li>`;
}

const labels = {
  current: { th: "รหัสผ่านปัจจุบัน", en: "Current password" },
  next: { th: "รหัสผ่านใหม่", en: "New password" },
  repeated: { th: "รหัสผ่านใหม่อีกครั้ง", en: "New password again" },
} as const;

export const preferencesForm = {
  fields: {
    timeZone: {
      kind: "choice",
      label: { th: "เขตเวลา", en: "Time zone" },
      hint: { th: "สำหรับวันและเวลาในหน้ายอดเงินและประวัติ", en: "For days and times on the pages of money and history." },
      choices: timeZones.map((zone) => [zone, { th: zone, en: zone }] as const),
    },
    preferred: {
      kind: "choice",
      member: "language",
      label: { th: "ภาษา", en: "Language" },
      hint: {
        th: "สำหรับเบราว์เซอร์นี้ และเบราว์เซอร์อื่นที่ยังไม่ได้เลือกภาษา",
        en: "For this browser, and for others in which no language was chosen.",
      },
      choices: [
        ["th", { th: "ไทย", en: "Thai" }],
        ["en", { th: "อังกฤษ", en: "English" }],
      ],
    },
  },
} as const satisfies DescribedForm;

function preferenceFields({ preferences }: AccountPage): Html {
  const shown = { form: preferencesForm, typed: toTyped(preferencesForm, preferences), faults: {} };
  return html`${describedField(shown, "timeZone")}
${describedField(shown, "preferred")}
<button class="main">${bilingual({ th: "บันทึก", en: "Save" })}</button>`;
}

function passwordFields({ faults, refusal, passwordLength: { minimum, maximum } }: AccountPage): Html {
  const rule = {
    th: `${minimum} ถึง ${formatCount(maximum)} ตัวอักษร อักษรใดก็ได้ เบราว์เซอร์อื่นทั้งหมดจะออกจากระบบ`,
    en: `${minimum} to ${formatCount(maximum)} characters of any kind. All other browsers will be logged out.`,
  };
  const wrongLength = {
    th: `ต้องมี ${minimum} ถึง ${formatCount(maximum)} ตัวอักษร`,
    en: `Must have ${minimum} to ${formatCount(maximum)} characters.`,
  };
  const different = { th: "ต้องเหมือนรหัสผ่านใหม่", en: "Must be the same as the new password." };
  return html`${passwordField({ name: "current", label: labels.current, isNew: false, words: () => refusal ?? null }, faults)}
${passwordField({ name: "next", label: labels.next, isNew: true, hint: bilingual(rule), words: () => wrongLength }, faults)}
${passwordField({ name: "repeated", label: labels.repeated, isNew: true, words: () => different }, faults)}
<button class="main">${bilingual({ th: "เปลี่ยนรหัสผ่าน", en: "Change password" })}</button>`;
}

function sessionItem({ id, browser, createdAt, lastUsedAt, isThis }: SessionEntry): Html {
  const name = browser === null ? bilingual({ th: "เบราว์เซอร์ที่ไม่รู้จัก", en: "Unknown browser" }) : isolated(browser);
  const end = html`<button class="small" form="end-session" name="session" value="${id}">${bilingual({ th: "ออกจากระบบ", en: "Log out" })}</button>`;
  const here = html`<span class="label shown">${bilingual({ th: "เบราว์เซอร์นี้", en: "This browser" })}</span>`;
  return html`<li><div class="entry">
<p><strong>${name}</strong> ${isThis && here}</p>
<p class="marks"><span>${bilingual({ th: "เข้าสู่ระบบเมื่อ", en: "Logged in" })} ${time(createdAt)}</span> <span>${bilingual({ th: "ใช้ล่าสุด", en: "Last used" })} ${time(lastUsedAt)}</span></p>
</div>${!isThis && end}</li>`;
}
