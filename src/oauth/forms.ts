// What the pages of this folder are made with, and their forms: the checks before a handler runs (origin, session, form token and rate limit),
// and the form tokens.

import type { Knex } from "knex";
import { type Actor, actAs } from "../audit/actor.ts";
import { isOurOrigin, makeSite, type Site } from "../http/base-url.ts";
import { type CursorCodec, openOrNull } from "../http/cursor.ts";
import type { Limits } from "../http/rate-limits/rate-limits.ts";
import { errorPage } from "../ui/layout.ts";
import type { PageHandler, PageReply, PageRequest } from "../ui/serve-pages.ts";
import { type KnownBrowsers, knownBrowsers } from "./accounts/browsers.ts";
import type { LoginThrottle } from "./accounts/check-password.ts";
import { type PasswordStore, passwordStore } from "./accounts/passwords.ts";
import { type Session, type SessionStore, sessionStore } from "./accounts/sessions.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import type { ClientDirectory } from "./clients/client-directory.ts";
import type { GrantStore } from "./tokens/grants.ts";

/** Why the login page is shown. */
export type LoginPurpose = Readonly<{
  /** Path on this server to go to after the login. */
  to: string;
  /** The application that sent the streamer here; null when there is none. */
  application: string | null;
  /** Where that path may redirect to, as CSP sources. */
  formAction: readonly string[];
}>;

/** The data of each kind of form. */
type FormToken = {
  login: LoginPurpose;
  consent: AuthorizationRequest;
  logout: Readonly<{ to: string }>;
  /** Any other form of a logged-in streamer's pages. */
  page: null;
};

type FormTokens = ReturnType<typeof formTokenSealer>;

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

/** The rate limit of a streamer's forms, which count together like the requests of one credential. */
const formLimit = "control";

/** How long a form may stay open. A form that approves nothing may stay open as long as a session lasts. */
const lifetimeMinutes: Record<keyof FormToken, number> = { login: 10, consent: 10, logout: 720, page: 720 };

/** Answers a form that was made for another session, or too long ago; null: with the page that says so. */
type AnswerOutOfDate = (session: Session, request: PageRequest) => PageReply | null;

/** A handler that runs `handle` only for a form that a page of this server made for this session. Throws rate_limited. */
export function formHandler<Kind extends keyof FormToken>(
  { site, sessions, formTokens, limits }: PageDeps,
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
function actorOf({ streamer, key }: Session, from: string): Actor {
  return streamer ? { kind: "session", id: streamer.id, session: key.slice(0, 12), from } : { kind: "anonymous", from };
}

/**
 * Form tokens: data that a form carries from the page that shows it to the handler that receives it, sealed, bound to the session and valid for
 * a limited time. A form that another site or session made has no valid token, so form tokens also protect against CSRF.
 */
export function formTokenSealer(codec: CursorCodec, now: () => number = () => Date.now()) {
  return {
    /** The value of the form's hidden field. */
    seal: <Kind extends keyof FormToken>(kind: Kind, session: Session, content: FormToken[Kind]): string =>
      codec.seal(subject(kind, session), { content, expiresAt: now() + lifetimeMinutes[kind] * 60_000 }),

    /** Null for a token that this server did not make, of another kind or session, or that has expired. */
    open: <Kind extends keyof FormToken>(kind: Kind, session: Session, sealed: string | null): { content: FormToken[Kind] } | null => {
      const opened = openOrNull(codec, subject(kind, session), sealed ?? "") as Sealed<FormToken[Kind]> | null;
      return opened && opened.expiresAt > now() ? opened : null;
    },
  };
}

type Sealed<Content> = { content: Content; expiresAt: number };

function subject(kind: string, session: Session): string {
  return `form ${kind} ${session.key}`;
}

export function outOfDatePage({ brand }: Site): string {
  return errorPage({
    brand,
    title: { th: "หน้านี้หมดอายุแล้ว", en: "This page has expired" },
    advice: {
      th: "กลับไปที่แอปหรือหน้าก่อนหน้า โหลดใหม่ แล้วลองอีกครั้ง (ต้องเปิดใช้คุกกี้ในเบราว์เซอร์)",
      en: "Go back to the application or the previous page, reload it and try again. Cookies must be enabled in your browser.",
    },
  });
}

export function foreignFormPage({ brand }: Site): string {
  return errorPage({
    brand,
    title: { th: "ปฏิเสธคำขอจากเว็บไซต์อื่น", en: "Blocked a request from another site" },
    advice: { th: "ไม่มีอะไรเปลี่ยนแปลง คุณปิดหน้านี้ได้", en: "Nothing has changed. You can close this page." },
  });
}

export type PageDeps = Readonly<{
  knex: Knex;
  site: Site;
  sessions: SessionStore;
  formTokens: FormTokens;
  limits: Limits;
  clients: ClientDirectory;
  grants: GrantStore;
  passwords: PasswordStore;
  throttle: LoginThrottle;
  /** In which a streamer logged in before. */
  browsers: KnownBrowsers;
}>;

type OpenPageDeps = Pick<PageDeps, "knex" | "clients" | "grants" | "limits" | "throttle"> & {
  config: Readonly<{ brand: string; baseUrl: string }>;
  /** Seals form tokens and cookies; all processes share its key. */
  codec: CursorCodec;
};

export function makePageDeps({ config, codec, ...given }: OpenPageDeps): PageDeps {
  const { knex } = given;
  const site = makeSite(config);
  const passwords = passwordStore(knex);
  return {
    ...given,
    site,
    passwords,
    sessions: sessionStore(knex, site, codec),
    formTokens: formTokenSealer(codec),
    browsers: knownBrowsers({ site, codec, findChangedAt: passwords.findChangedAt }),
  };
}
