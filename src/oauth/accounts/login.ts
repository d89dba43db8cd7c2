// The login page and its form, and the page that a login leads to.

import { chosenLanguage, languageCookie } from "../../ui/choose-language.ts";
import { type PageHandler, type PageReply, seeOther } from "../../ui/serve-pages.ts";
import { formHandler, type Submission } from "../forms.ts";
import { type KeptForm, readKeptForm } from "../kept-form.ts";
import type { PageDeps } from "../page-deps.ts";
import { keptFormPage } from "../pages/kept-form.ts";
import { type LoginFailure, loginPage, tooManyFailures, wrongPassword } from "../pages/login.ts";
import { browserName } from "./browser-name.ts";
import { checkPassword } from "./check-password.ts";

/** GET /oauth/login?to=/a/page/of/ours; `everywhere`: after logging out everywhere. */
export const showLogin =
  ({ site, sessions, formTokens, destinations }: PageDeps): PageHandler =>
  async ({ query, caller }) => {
    const session = await sessions.open(caller.cookie);
    // Only known pages, so that a login link cannot redirect to another site.
    const to = site.path(destinations.find((known) => known === query.get("to")) ?? destinations[0]);
    if (session.streamer) return seeOther(to);
    const purpose = { to, application: null, formAction: [] };
    const html = loginPage({ site, purpose, formToken: formTokens.seal("login", session, purpose), everywhere: query.has("everywhere") });
    return { status: 200, html, cookies: session.cookies };
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
async function sendAgain({ site, sessions, formTokens }: PageDeps, { kept, begun, cookies }: LoggedIn): Promise<PageReply> {
  const session = await sessions.open(begun.split(";")[0]);
  if (!session.streamer) return seeOther(site.path(kept.action), cookies);
  const html = keptFormPage({ site, streamer: session.streamer, formToken: formTokens.seal("page", session, null), kept });
  return { status: 200, html, cookies };
}

/** The cookie of the language that the streamer has saved, for a browser in which none was chosen. */
async function languageOf({ site, preferences }: PageDeps, streamerId: string, cookie: string | undefined): Promise<string[]> {
  const saved = chosenLanguage(cookie, site) === null ? await preferences(streamerId) : null;
  return saved ? [languageCookie(site, saved.language)] : [];
}

type Rejection = { status: number; failure: LoginFailure; retryAfter?: number };

function showAgain({ site, formTokens }: PageDeps, { session, content, form }: Submission<"login">, rejection: Rejection): PageReply {
  const { status, failure, retryAfter } = rejection;
  const formToken = formTokens.seal("login", session, content);
  const html = loginPage({ site, purpose: content, formToken, handle: readHandle(form), failure, kept: readKeptForm(form.get("kept")) });
  return { status, html, formAction: content.formAction, ...(retryAfter !== undefined && { retryAfter }) };
}

/** Lower-cases the handle, because phones capitalise the first letter of a field. */
function readHandle(form: URLSearchParams): string {
  return (form.get("handle") ?? "").trim().toLowerCase();
}
