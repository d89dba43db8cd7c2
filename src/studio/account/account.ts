// The account page: password, sessions, time zone and language.

import type { Fault } from "../../http/problem.ts";
import type { FailedLogin, Preferences } from "../../oauth/accounts/self-service.ts";
import type { SessionEntry } from "../../oauth/accounts/sessions.ts";
import { languageCookie } from "../../ui/choose-looks.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated, type Words } from "../../ui/layout.ts";
import { currentReader } from "../../ui/reader.ts";
import { aboutText, section } from "../../ui/section.ts";
import { type PageHandler, type PageReply, seeOther } from "../../ui/serve-pages.ts";
import type { Account } from "../../ui/streamer-pages.ts";
import { type DescribedForm, describedField, isOffered, readTyped, toMembers, toTyped } from "../components/described-form.ts";
import { formatNumber } from "../components/donation.ts";
import { type FieldFaults, faultSummary, passwordField, timeZones, withFaults } from "../components/fields.ts";
import { guideLink, type PageContext, pageForm, studioPage, time } from "../components/frame.ts";
import { backTo, noticeOf } from "../notices.ts";
import { paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";

/** GET /studio/account */
export const showAccount = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.account, ({ account, query }) => renderAccount(deps, account, { notice: noticeOf(query), faults: {} }));

/** POST /studio/account/password */
export const changePassword = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.account, async ({ account, form, address, cookie }) => {
    const { accounts, selfService } = deps;
    const typed = readPasswordForm(form);
    const faults = findPasswordFaults(typed, selfService.passwordLength);
    if (Object.keys(faults).length > 0) return renderAccount(deps, account, { status: 400, faults });
    const outcome = await selfService.changePassword({ account, current: typed.current, next: typed.next, address, cookie });
    if (outcome.is === "changed") return { ...backTo(accounts.site, paths.account, "password-changed"), cookies: outcome.cookies };
    const seconds = outcome.is === "tooMany" ? outcome.seconds : null;
    return refuseCurrent(deps, account, seconds);
  });

/** POST /studio/account/preferences */
export const changePreferences = ({ accounts, selfService }: StudioDeps): PageHandler =>
  accounts.form(paths.account, async ({ account, form }) => {
    const preferences = readPreferences(form);
    if (!preferences) return backTo(accounts.site, paths.account, "no-preference");
    await selfService.savePreferences(account.streamer.id, preferences);
    return { ...backTo(accounts.site, paths.account, "saved"), cookies: [languageCookie(accounts.site, preferences.language)] };
  });

/** POST /studio/account/sessions */
export const logOutEverywhere = ({ accounts, selfService }: StudioDeps): PageHandler =>
  accounts.form(paths.account, async ({ account }) => {
    await selfService.endSessions(account.streamer.id);
    return seeOther(accounts.site.path("/oauth/login?everywhere"));
  });

/** POST /studio/account/session: logs one browser out. */
export const endSession = ({ accounts, selfService }: StudioDeps): PageHandler =>
  accounts.form(paths.account, async ({ account, form }) => {
    const isEnded = await selfService.endSession(account.streamer.id, form.get("session") ?? "");
    return backTo(accounts.site, paths.account, isEnded ? "session-ended" : "no-session");
  });

/** `seconds`: until the next attempt; null: the password was wrong. */
async function refuseCurrent(deps: StudioDeps, account: Account, seconds: number | null): Promise<PageReply> {
  const refusal = seconds === null ? wrong : tooMany(seconds);
  const faults: FieldFaults = { current: [{ code: "invalid_format", message: refusal.en }] };
  const page = await renderAccount(deps, account, { status: seconds === null ? 403 : 429, faults, refusal });
  return { ...page, ...(seconds !== null && { retryAfter: seconds }) };
}

const wrong = { th: "รหัสผ่านปัจจุบันไม่ถูกต้อง", en: "The current password is wrong." };

function tooMany(seconds: number): Words {
  const minutes = Math.ceil(seconds / 60);
  return { th: `ลองผิดหลายครั้งเกินไป รออีก ${minutes} นาที`, en: `Too many attempts. Try again in ${minutes} min.` };
}

type State = Pick<AccountPage, "status" | "notice" | "faults" | "refusal">;

async function renderAccount({ accounts: { site }, selfService }: StudioDeps, account: Account, state: State): Promise<PageReply> {
  const { id } = account.streamer;
  const [sessions, saved, failedLogins] = await Promise.all([
    selfService.sessions(account),
    selfService.preferences(id),
    selfService.failedLogins(id),
  ]);
  const { language, timeZone } = currentReader();
  const preferences = saved ?? { language, timeZone };
  return accountPage({
    site,
    account,
    sessions,
    failedLogins,
    preferences,
    passwordLength: selfService.passwordLength,
    ...state,
  });
}

/** What was typed into the password form; it is never shown again. */
type PasswordForm = Readonly<{ current: string; next: string; repeated: string }>;

function readPasswordForm(form: URLSearchParams): PasswordForm {
  const text = (name: string) => form.get(name) ?? "";
  return { current: text("current"), next: text("next"), repeated: text("repeated") };
}

/** `length`: how many characters a password has, in code points. */
function findPasswordFaults(typed: PasswordForm, length: Readonly<{ minimum: number; maximum: number }>): FieldFaults {
  const points = [...typed.next].length;
  const isLong = points > length.maximum;
  const wrongLength: Fault | false = (isLong || points < length.minimum) && {
    code: isLong ? "too_long" : "too_short",
    message: `must have ${length.minimum} to ${length.maximum} characters`,
  };
  return withFaults({
    current: typed.current === "" && { code: "required", message: "is required" },
    next: wrongLength,
    repeated: typed.next !== typed.repeated && { code: "invalid_format", message: "must be the same as the new password" },
  });
}

/** Null when the form names a time zone or language that the page does not offer. */
function readPreferences(form: URLSearchParams): Preferences | null {
  const typed = readTyped(preferencesForm, form);
  return isOffered(preferencesForm, typed) ? (toMembers(preferencesForm, typed) as Preferences) : null;
}

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

function accountPage(page: AccountPage): PageReply {
  return studioPage({
    ...page,
    here: "/studio/account",
    title: { th: "บัญชี", en: "Account" },
    content: html`${section("where", {
      title: { th: "เวลาและภาษา", en: "Time and language" },
      about: guideLink(page.site, "studio"),
      content: pageForm(page, paths.preferences, { content: preferenceFields(page) }),
    })}
${section("password", {
  title: { th: "เปลี่ยนรหัสผ่าน", en: "Change password" },
  about: aboutText({ th: "เบราว์เซอร์อื่นทั้งหมดจะออกจากระบบ", en: "All other browsers will be logged out." }),
  content: html`${faultSummary(page.faults, labels)}${pageForm(page, paths.password, { content: passwordFields(page) })}`,
})}
${section("sessions", {
  title: { th: "ที่เข้าสู่ระบบอยู่", en: "Where you are logged in" },
  about: aboutText({
    th: "ทุกเบราว์เซอร์จะออกจากระบบเองหลังเข้าสู่ระบบ 12 ชั่วโมง คีย์ API แอป และลิงก์ OBS ยังใช้ได้",
    en: "Every browser is logged out 12 hours after its login. API keys, apps and OBS links keep working.",
  }),
  content: html`${pageForm(page, paths.endSession, { id: "end-session" })}
<ul class="entries">${page.sessions.map(sessionItem)}</ul>
${pageForm(page, paths.logOutEverywhere, { content: html`<button>${bilingual({ th: "ออกจากระบบทุกที่", en: "Log out everywhere" })}</button>` })}`,
})}
${failedLoginsCard(page.failedLogins)}`,
  });
}

function failedLoginsCard(failedLogins: readonly FailedLogin[]): Html | null {
  if (failedLogins.length === 0) return null;
  return section("failed-logins", {
    title: { th: "เข้าสู่ระบบไม่สำเร็จ", en: "Failed logins" },
    content: html`<ul class="entries">${failedLogins.map(failedLoginItem)}</ul>`,
    about: aboutText({
      th: "ครั้งล่าสุดที่มีคนลองเข้าสู่ระบบด้วยชื่อของคุณแต่รหัสผ่านผิด นับเป็นนาที แสดงช้าประมาณสองนาที ถ้าไม่ใช่คุณ และรหัสผ่านนี้ใช้ที่อื่นด้วยหรือเดาง่าย ให้เปลี่ยนรหัสผ่าน",
      en: "The latest attempts to log in with your name and a wrong password, counted by the minute and shown about two minutes later. If they are not yours, and the password is also used elsewhere or easy to guess, change it.",
    }),
  });
}

function failedLoginItem({ at, attempts, networks, from, browsers = [] }: FailedLogin): Html {
  const count = formatNumber(attempts);
  const others = networks - from.length;
  const further = {
    th: `และอีก ${formatNumber(others)} เครือข่าย`,
    en: `and ${formatNumber(others)} more ${others === 1 ? "network" : "networks"}`,
  };
  return html`<li><div class="entry">
<p><strong>${time(at)}</strong></p>
<p class="marks"><span>${bilingual({ th: `${count} ครั้ง`, en: attempts === 1 ? "1 attempt" : `${count} attempts` })}</span> <span>${bilingual({ th: "จาก", en: "From" })} ${isolated(from.join(", "))} ${others > 0 && bilingual(further)}</span>${browsers.length > 0 && html` <span>${isolated(browsers.join("; "))}</span>`}</p>
</div></li>`;
}

const labels = {
  current: { th: "รหัสผ่านปัจจุบัน", en: "Current password" },
  next: { th: "รหัสผ่านใหม่", en: "New password" },
  repeated: { th: "รหัสผ่านใหม่อีกครั้ง", en: "New password again" },
} as const;

const preferencesForm = {
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
    th: `${minimum} ถึง ${formatNumber(maximum)} ตัวอักษร อักษรใดก็ได้`,
    en: `${minimum} to ${formatNumber(maximum)} characters of any kind.`,
  };
  const wrongLength = {
    th: `ต้องมี ${minimum} ถึง ${formatNumber(maximum)} ตัวอักษร`,
    en: `Must have ${minimum} to ${formatNumber(maximum)} characters.`,
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
