// Checks that every form passes before its handler runs: origin, session, form token and rate limit.

import { isOurOrigin } from "../http/base-url.ts";
import type { PageHandler, PageReply } from "../ui/serve-pages.ts";
import type { FormToken } from "./form-tokens.ts";
import type { PageDeps } from "./page-deps.ts";
import { foreignFormPage, outOfDatePage } from "./pages/error-pages.ts";
import type { Session } from "./sessions.ts";

export type Submission<Kind extends keyof FormToken> = Readonly<{
  session: Session;
  /** The data of the form token. */
  content: FormToken[Kind];
  form: URLSearchParams;
  address: string;
}>;

type FormDeps = Pick<PageDeps, "site" | "sessions" | "formTokens" | "limits">;

/** The rate limit of a streamer's forms, which count together like the requests of one credential. */
const formLimit = "control";

/** A handler that runs `handle` only for a form that a page of this server made for this session. Throws rate_limited. */
export function formHandler<Kind extends keyof FormToken>(
  { site, sessions, formTokens, limits }: FormDeps,
  kind: Kind,
  handle: (submission: Submission<Kind>) => Promise<PageReply>,
): PageHandler {
  return async ({ form, caller }) => {
    if (!isOurOrigin(caller, site)) return { status: 403, html: foreignFormPage(site) };
    const session = await sessions.open(caller.cookie);
    const formToken = formTokens.open(kind, session, form.get("formToken"));
    if (!formToken) return { status: 400, html: outOfDatePage(site) };
    const streamerId = session.streamer?.id;
    if (streamerId !== undefined) await limits.spend(formLimit, `pages ${streamerId}`, { streamerId });
    return handle({ session, content: formToken.content, form, address: caller.address });
  };
}
