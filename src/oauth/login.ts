// The login page and its form, and the page that a login leads to.

import { type PageHandler, type PageReply, seeOther } from "../ui/serve-pages.ts";
import { formHandler, type Submission } from "./forms.ts";
import type { PageDeps } from "./page-deps.ts";
import { type LoginFailure, loginPage, tooManyFailures, wrongPassword } from "./pages/login.ts";

/** GET /oauth/login?to=/a/page/of/ours */
export const showLogin =
  ({ site, sessions, formTokens, destinations }: PageDeps): PageHandler =>
  async ({ query, caller }) => {
    const session = await sessions.open(caller.cookie);
    // Only known pages, so that a login link cannot redirect to another site.
    const to = site.path(destinations.find((known) => known === query.get("to")) ?? destinations[0]);
    if (session.streamer) return seeOther(to);
    const purpose = { to, application: null, formAction: [] };
    const html = loginPage({ site, purpose, formToken: formTokens.seal("login", session, purpose) });
    return { status: 200, html, cookies: session.cookies };
  };

/** POST /oauth/login */
export const login = (deps: PageDeps): PageHandler =>
  formHandler(deps, "login", async (submission) => {
    const { passwords, sessions, throttle } = deps;
    const { session, content, form, address } = submission;
    const handle = readHandle(form);
    const wait = await throttle.attempt(handle, address);
    if (wait > 0) return showAgain(deps, submission, { status: 429, failure: tooManyFailures(wait), retryAfter: wait });
    const streamerId = await passwords.verifyPassword(handle, form.get("password") ?? "");
    // 403, because a 401 would need a challenge (RFC 9110 15.5.2).
    if (streamerId === null) return showAgain(deps, submission, { status: 403, failure: wrongPassword });
    await throttle.forgive(handle, address);
    return seeOther(content.to, [await sessions.begin(session, streamerId)]);
  });

type Rejection = { status: number; failure: LoginFailure; retryAfter?: number };

function showAgain({ site, formTokens }: PageDeps, { session, content, form }: Submission<"login">, rejection: Rejection): PageReply {
  const { status, failure, retryAfter } = rejection;
  const formToken = formTokens.seal("login", session, content);
  const html = loginPage({ site, purpose: content, formToken, handle: readHandle(form), failure });
  return { status, html, formAction: content.formAction, ...(retryAfter !== undefined && { retryAfter }) };
}

/** Lower-cases the handle, because phones capitalise the first letter of a field. */
function readHandle(form: URLSearchParams): string {
  return (form.get("handle") ?? "").trim().toLowerCase();
}
