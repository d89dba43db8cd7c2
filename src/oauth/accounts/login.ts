// The login page and its form, and the page that a login leads to.

import { chosenLanguage, languageCookie } from "../../ui/choose-looks.ts";
import { type Html, html, postForm } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated, renderPage } from "../../ui/layout.ts";
import { streamerPages } from "../../ui/navigation.ts";
import { type PageHandler, type PageReply, seeOther } from "../../ui/serve-pages.ts";
import { formHandler, type LoginPurpose, type PageDeps, type Submission } from "../forms.ts";
import { type KeptForm, keptFormPage, readKeptForm } from "../kept-form.ts";
import { browserName } from "./browsers.ts";
import { checkPassword } from "./check-password.ts";
import { findPreferences } from "./self-service.ts";
import type { Session } from "./sessions.ts";

type LoginPage = Readonly<{
  purpose: LoginPurpose;
  /** What was typed in before. */
  handle?: string;
  failure?: Bilingual;
  /** The streamer has just logged out everywhere. */
  everywhere?: boolean;
  /** A form that is sent again after the login. */
  kept?: KeptForm | null;
}>;

const title = { th: "เข้าสู่ระบบ", en: "Log in" };

/** One message for both, so that nobody learns which handles exist. */
const wrongPassword: Bilingual = {
  th: "ชื่อผู้ใช้หรือรหัสผ่านไม่ถูกต้อง",
  en: "Wrong username or password.",
};

/** GET /oauth/login?to=/a/page/of/ours; `everywhere`: after logging out everywhere. */
export const showLogin =
  (deps: PageDeps): PageHandler =>
  async ({ query, caller }) => {
    const { site, sessions } = deps;
    const session = await sessions.open(caller.cookie);
    // Only known pages, so that a login link cannot redirect to another site; the first one when it names none.
    const to = site.path(streamerPages.find((known) => known === query.get("to")) ?? streamerPages[0]);
    if (session.streamer) return seeOther(to);
    const purpose = { to, application: null, formAction: [] };
    return { status: 200, html: loginPage(deps, session, { purpose, everywhere: query.has("everywhere") }), cookies: session.cookies };
  };

/** POST /oauth/login */
export const login = (deps: PageDeps): PageHandler =>
  formHandler(deps, "login", async (submission) => {
    const { sessions, browsers } = deps;
    const { session, content, form, address, cookie, userAgent } = submission;
    const handle = readHandle(form);
    const browser = await browsers.find(cookie, handle);
    const attempt = { handle, password: form.get("password") ?? "", address, browser, browserName: browserName(userAgent) };
    const { wait, verified } = await checkPassword(deps, attempt);
    if (wait > 0) return showAgain(deps, submission, { status: 429, failure: tooManyFailures(wait), retryAfter: wait });
    const begun = verified && (await sessions.begin(session, verified, attempt.browserName));
    // 403, because a 401 would need a challenge (RFC 9110 15.5.2).
    if (!verified || begun === null) return showAgain(deps, submission, { status: 403, failure: wrongPassword });
    const cookies = [begun, browsers.remember(cookie, handle, verified), ...(await languageOf(deps, verified.streamerId, cookie))];
    const kept = readKeptForm(form.get("kept"));
    return kept ? sendAgain(deps, { kept, begun, cookies }) : seeOther(content.to, cookies);
  });

type LoggedIn = Readonly<{
  kept: KeptForm;
  /** The Set-Cookie line of the session. */
  begun: string;
  cookies: readonly string[];
}>;

/** The page that sends a form again that was sent before the login. */
async function sendAgain(deps: PageDeps, { kept, begun, cookies }: LoggedIn): Promise<PageReply> {
  const session = await deps.sessions.open(begun.split(";")[0]);
  const { streamer } = session;
  if (!streamer) return seeOther(deps.site.path(kept.action), cookies);
  return { status: 200, html: keptFormPage(deps, session, { streamer, kept }), cookies };
}

/** The cookie of the language that the streamer has saved, for a browser in which none was chosen. */
async function languageOf({ site, knex }: PageDeps, streamerId: string, cookie: string | undefined): Promise<string[]> {
  const saved = chosenLanguage(cookie, site) === null ? await findPreferences(knex, streamerId) : null;
  return saved ? [languageCookie(site, saved.language)] : [];
}

type Rejection = { status: number; failure: Bilingual; retryAfter?: number };

function showAgain(deps: PageDeps, { session, content, form }: Submission<"login">, rejection: Rejection): PageReply {
  const { status, failure, retryAfter } = rejection;
  const shown = { purpose: content, handle: readHandle(form), failure, kept: readKeptForm(form.get("kept")) };
  const html = loginPage(deps, session, shown);
  return { status, html, formAction: content.formAction, ...(retryAfter !== undefined && { retryAfter }) };
}

function tooManyFailures(seconds: number): Bilingual {
  const minutes = Math.ceil(seconds / 60);
  return { th: `ลองผิดหลายครั้งเกินไป รออีก ${minutes} นาที`, en: `Too many attempts. Try again in ${minutes} min.` };
}

/** Lower-cases the handle, because phones capitalise the first letter of a field. */
function readHandle(form: URLSearchParams): string {
  return (form.get("handle") ?? "").trim().toLowerCase();
}

export function loginPage({ site, formTokens }: PageDeps, session: Session, shown: LoginPage): string {
  const { purpose, handle = "", failure, everywhere = false, kept } = shown;
  const formToken = formTokens.seal("login", session, purpose);
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
