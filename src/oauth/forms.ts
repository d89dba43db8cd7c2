// Checks that every form passes before its handler runs: origin, session, form token and rate limit.

import { type Actor, actAs } from "../audit/actor.ts";
import { isOurOrigin } from "../http/base-url.ts";
import type { PageHandler, PageReply, PageRequest } from "../ui/serve-pages.ts";
import type { Session } from "./accounts/sessions.ts";
import type { FormToken } from "./form-tokens.ts";
import type { PageDeps } from "./page-deps.ts";
import { foreignFormPage, outOfDatePage } from "./pages/error-pages.ts";

export type Submission<Kind extends keyof FormToken> = Readonly<{
  session: Session;
  /** The data of the form token. */
  content: FormToken[Kind];
  form: URLSearchParams;
  address: string;
  userAgent: string | undefined;
  /** The header Cookie. */
  cookie: string | undefined;
  /** The path that the form was sent to. */
  path: string;
}>;

type FormDeps = Pick<PageDeps, "site" | "sessions" | "formTokens" | "limits">;

/** The rate limit of a streamer's forms, which count together like the requests of one credential. */
const formLimit = "control";

/** Answers a form that was made for another session, or too long ago; null: with the page that says so. */
type AnswerOutOfDate = (session: Session, request: PageRequest) => PageReply | null;

/** A handler that runs `handle` only for a form that a page of this server made for this session. Throws rate_limited. */
export function formHandler<Kind extends keyof FormToken>(
  { site, sessions, formTokens, limits }: FormDeps,
  kind: Kind,
  handle: (submission: Submission<Kind>) => Promise<PageReply>,
  answerOutOfDate: AnswerOutOfDate = () => null,
): PageHandler {
  return async (request) => {
    const { form, caller } = request;
    if (!isOurOrigin(caller, site)) return { status: 403, html: foreignFormPage(site) };
    const session = await sessions.open(caller.cookie);
    const formToken = formTokens.open(kind, session, form.get("formToken"));
    if (!formToken) return answerOutOfDate(session, request) ?? { status: 400, html: outOfDatePage(site) };
    const streamerId = session.streamer?.id;
    if (streamerId !== undefined) await limits.spend(formLimit, `pages ${streamerId}`, { streamerId });
    const { address, cookie, userAgent } = caller;
    const submission = { session, content: formToken.content, form, address, userAgent, cookie, path: request.path };
    return actAs(actorOf(session, caller.address), () => handle(submission));
  };
}

/** Who sends a form: the streamer who is logged in, if anybody is. */
function actorOf({ streamer, key }: Pick<Session, "streamer" | "key">, from: string): Actor {
  return streamer ? { kind: "session", id: streamer.id, session: key.slice(0, 12), from } : { kind: "anonymous", from };
}
