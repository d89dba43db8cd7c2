// The account page: password, sessions, time zone and language.

import type { Fault } from "../../http/problem.ts";
import type { Preferences } from "../../oauth/accounts/self-service.ts";
import { languageCookie } from "../../ui/choose-language.ts";
import type { Bilingual } from "../../ui/layout.ts";
import { currentReader } from "../../ui/reader.ts";
import { type PageHandler, type PageReply, seeOther } from "../../ui/serve-pages.ts";
import type { Account } from "../../ui/streamer-pages.ts";
import { isOffered, readTyped, toMembers } from "../components/described-form.ts";
import type { FieldFaults } from "../components/fields.ts";
import { backTo, type Notice, noticeOf } from "../notices.ts";
import { paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { accountPage, preferencesForm } from "./account-page.ts";

/** GET /studio/account */
export const showAccount = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.account, async ({ account, query }) => ({
    status: 200,
    html: await renderAccount(deps, account, { notice: noticeOf(query), faults: {} }),
    scripted: true,
  }));

/** POST /studio/account/password */
export const changePassword = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.account, async ({ account, form, address, cookie }) => {
    const { accounts, selfService } = deps;
    const typed = readPasswordForm(form);
    const faults = findPasswordFaults(typed, selfService.passwordLength);
    if (Object.keys(faults).length > 0) return { status: 400, html: await renderAccount(deps, account, { faults }), scripted: true };
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
  const html = await renderAccount(deps, account, { faults, refusal });
  return { status: seconds === null ? 403 : 429, html, scripted: true, ...(seconds !== null && { retryAfter: seconds }) };
}

const wrong = { th: "รหัสผ่านปัจจุบันไม่ถูกต้อง", en: "The current password is wrong." };

function tooMany(seconds: number): { th: string; en: string } {
  const minutes = Math.ceil(seconds / 60);
  return { th: `ลองผิดหลายครั้งเกินไป รออีก ${minutes} นาที`, en: `Too many attempts. Try again in ${minutes} min.` };
}

type State = { notice?: Notice | null; faults: FieldFaults; refusal?: Bilingual };

async function renderAccount({ accounts: { site }, selfService }: StudioDeps, account: Account, state: State): Promise<string> {
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
  const faults: Record<string, Fault | false> = {
    current: typed.current === "" && { code: "required", message: "is required" },
    next: wrongLength,
    repeated: typed.next !== typed.repeated && { code: "invalid_format", message: "must be the same as the new password" },
  };
  return Object.fromEntries(Object.entries(faults).flatMap(([field, fault]) => (fault ? [[field, [fault]]] : [])));
}

/** Null when the form names a time zone or language that the page does not offer. */
function readPreferences(form: URLSearchParams): Preferences | null {
  const typed = readTyped(preferencesForm, form);
  return isOffered(preferencesForm, typed) ? (toMembers(preferencesForm, typed) as Preferences) : null;
}
