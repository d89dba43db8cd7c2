// Logging in, and where to go then.

import type { PageHandler, PageReply } from "../ui/serve-pages.ts";
import { formHandler, type Submission, seeOther } from "./forms.ts";
import type { PageParts } from "./page-deps.ts";
import { type LoginFailure, loginPage, tooManyFailures, wrongPassword } from "./pages/login.ts";

/** GET /oauth/login?to=/a/page/of/ours */
export const showLogin =
  ({ site, sessions, transactions, destinations }: PageParts): PageHandler =>
  async ({ query, caller }) => {
    const session = await sessions.open(caller.cookie);
    // Only pages that are known: the login leads nowhere else.
    const to = site.path(destinations.find((known) => known === query.get("to")) ?? destinations[0]);
    if (session.streamer) return seeOther(to);
    const purpose = { to, application: null, formAction: [] };
    const html = loginPage({ site, purpose, transaction: transactions.seal("login", session, purpose) });
    return { status: 200, html, cookies: session.cookies };
  };

/** POST /oauth/login */
export const login = (parts: PageParts): PageHandler =>
  formHandler(parts, "login", async (submission) => {
    const { passwords, sessions, throttle } = parts;
    const { session, content, form, address } = submission;
    const handle = readHandle(form);
    const wait = await throttle.attempt(handle, address);
    if (wait > 0) return askAgain(parts, submission, { status: 429, failure: tooManyFailures(wait), retryAfter: wait });
    const streamerId = await passwords.verifyPassword(handle, form.get("password") ?? "");
    // 403, because a 401 would need a challenge (RFC 9110 15.5.2).
    if (streamerId === null) return askAgain(parts, submission, { status: 403, failure: wrongPassword });
    await throttle.forgive(handle, address);
    return seeOther(content.to, [await sessions.begin(session, streamerId)]);
  });

type Refusal = { status: number; failure: LoginFailure; retryAfter?: number };

function askAgain({ site, transactions }: PageParts, { session, content, form }: Submission<"login">, refusal: Refusal): PageReply {
  const { status, failure, retryAfter } = refusal;
  const transaction = transactions.seal("login", session, content);
  const html = loginPage({ site, purpose: content, transaction, handle: readHandle(form), failure });
  return { status, html, formAction: content.formAction, ...(retryAfter !== undefined && { retryAfter }) };
}

/** Handles are lower case; phones begin words with a capital. */
function readHandle(form: URLSearchParams): string {
  return (form.get("handle") ?? "").trim().toLowerCase();
}
