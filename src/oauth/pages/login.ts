// The login page.

import type { Site } from "../../http/base-url.ts";
import { type Html, html, postForm } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated, renderPage } from "../../ui/layout.ts";
import type { LoginPurpose } from "../form-tokens.ts";
import type { KeptForm } from "../kept-form.ts";

export type LoginFailure = Bilingual;

export type LoginPage = Readonly<{
  site: Site;
  purpose: LoginPurpose;
  formToken: string;
  /** What was typed in before. */
  handle?: string;
  failure?: LoginFailure;
  /** The streamer has just logged out everywhere. */
  everywhere?: boolean;
  /** A form that is sent again after the login. */
  kept?: KeptForm | null;
}>;

const title = { th: "เข้าสู่ระบบ", en: "Log in" };

/** One message for both, so that nobody learns which handles exist. */
export const wrongPassword: LoginFailure = {
  th: "ชื่อผู้ใช้หรือรหัสผ่านไม่ถูกต้อง",
  en: "Wrong username or password.",
};

export function tooManyFailures(seconds: number): LoginFailure {
  const minutes = Math.ceil(seconds / 60);
  return { th: `ลองผิดหลายครั้งเกินไป รออีก ${minutes} นาที`, en: `Too many attempts. Try again in ${minutes} min.` };
}

export function loginPage({ site, purpose, formToken, handle = "", failure, everywhere = false, kept }: LoginPage): string {
  return renderPage({
    title,
    brand: site.brand,
    content: html`<h1>${bilingual(heading(purpose))}</h1>
${everywhere && html`<p class="right" role="status">${bilingual(outEverywhere)}</p>`}
${kept && html`<p class="wrong" role="status">${bilingual(loggedOut)}</p>`}
${failure && html`<p class="wrong" role="alert" id="failure">${bilingual(failure)}</p>`}
${postForm({ action: site.path("/oauth/login"), formToken, content: html`${kept && keptField(kept)}${fields(handle, failure !== undefined)}` })}`,
  });
}

const outEverywhere: Bilingual = {
  th: "ออกจากระบบในทุกเบราว์เซอร์แล้ว คีย์ API แอป และลิงก์ OBS ยังใช้ได้",
  en: "You are logged out in every browser. API keys, apps and OBS links keep working.",
};

const loggedOut: Bilingual = {
  th: "คุณถูกนำออกจากระบบ ยังไม่มีอะไรเปลี่ยน เข้าสู่ระบบแล้วส่งสิ่งที่กรอกไว้อีกครั้งได้",
  en: "You have been logged out, and nothing has changed yet. Log in, and you can send what you typed in again.",
};

function keptField(kept: KeptForm): Html {
  return html`<input type="hidden" name="kept" value="${JSON.stringify(kept)}">
`;
}

function heading({ application }: LoginPurpose): Bilingual {
  if (application === null) return title;
  const name = isolated(application);
  return { th: html`เข้าสู่ระบบเพื่อใช้งานกับ ${name}`, en: html`Log in to continue to ${name}` };
}

function fields(handle: string, failed: boolean): Html {
  const invalid = failed && html` aria-invalid="true" aria-describedby="failure"`;
  const [first, second] = handle === "" ? [html` autofocus`, null] : [null, html` autofocus`];
  return html`<label for="handle">${bilingual({ th: "ชื่อผู้ใช้", en: "Username" })}</label>
<input id="handle" name="handle" value="${handle}" autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false" maxlength="100" required${invalid}${first}>
<label for="password">${bilingual({ th: "รหัสผ่าน", en: "Password" })}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${invalid}${second}>
<button class="main">${bilingual(title)}</button>`;
}
