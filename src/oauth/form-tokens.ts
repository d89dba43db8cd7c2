// Form tokens: data that a form carries from the page that shows it to the handler that receives it, sealed, bound to the session and
// valid for a limited time. A form that another site or session made has no valid token, so form tokens also protect against CSRF.

import type { CursorCodec } from "../http/cursor.ts";
import { Problem } from "../http/problem.ts";
import type { Session } from "./accounts/sessions.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";

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
export type FormToken = {
  login: LoginPurpose;
  consent: AuthorizationRequest;
  logout: Readonly<{ to: string }>;
  /** Any other form of a logged-in streamer's pages. */
  page: null;
};

export type FormTokens = ReturnType<typeof formTokenSealer>;

/** How long a form may stay open. A form that approves nothing may stay open as long as a session lasts. */
const lifetimeMinutes: Record<keyof FormToken, number> = { login: 10, consent: 10, logout: 720, page: 720 };

export function formTokenSealer(codec: CursorCodec, now: () => number = () => Date.now()) {
  return {
    /** The value of the form's hidden field. */
    seal: <Kind extends keyof FormToken>(kind: Kind, session: Session, content: FormToken[Kind]): string =>
      codec.seal(subject(kind, session), { content, expiresAt: now() + lifetimeMinutes[kind] * 60_000 }),

    /** Null for a token that this server did not make, of another kind or session, or that has expired. */
    open: <Kind extends keyof FormToken>(kind: Kind, session: Session, sealed: string | null): { content: FormToken[Kind] } | null => {
      const opened = tryOpen(codec, subject(kind, session), sealed ?? "") as Sealed<FormToken[Kind]> | null;
      return opened && opened.expiresAt > now() ? opened : null;
    },
  };
}

type Sealed<Content> = { content: Content; expiresAt: number };

function subject(kind: string, session: Session): string {
  return `form ${kind} ${session.key}`;
}

function tryOpen(codec: CursorCodec, subject: string, sealed: string): unknown {
  try {
    return codec.open(subject, sealed);
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}
