// What a form of ours carries from the page that shows it to the handler that takes it: sealed, bound to the session, for a
// while only. A form that another site or another session made does not open, so this is the protection against CSRF as well.

import type { CursorCodec } from "../http/cursor.ts";
import { Problem } from "../http/problem.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import type { Session } from "./sessions.ts";

/** Why somebody is asked to log in. */
export type LoginPurpose = Readonly<{
  /** Where to go then: a path of ours. */
  to: string;
  /** The application that asked, if one did. */
  application: string | null;
  /** Where that path may redirect: CSP sources. */
  formAction: readonly string[];
}>;

/** What each form carries. */
export type Transaction = {
  login: LoginPurpose;
  consent: AuthorizationRequest;
  logout: Readonly<{ to: string }>;
  disconnect: null;
  /** Any form of a streamer's page in another room. */
  page: null;
};

export type Transactions = ReturnType<typeof transactionSealer>;

/** Minutes a form may stay open. Those that approve nothing may wait as long as a session lasts. */
const lifetimes: Record<keyof Transaction, number> = { login: 10, consent: 10, logout: 720, disconnect: 720, page: 720 };

export function transactionSealer(codec: CursorCodec, now: () => number = () => Date.now()) {
  return {
    /** For a hidden field. */
    seal: <Kind extends keyof Transaction>(kind: Kind, session: Session, content: Transaction[Kind]): string =>
      codec.seal(subject(kind, session), { content, expiresAt: now() + lifetimes[kind] * 60_000 }),

    /** Null: not ours, of another kind or session, or too old. */
    open: <Kind extends keyof Transaction>(kind: Kind, session: Session, sealed: string | null): { content: Transaction[Kind] } | null => {
      const opened = tryOpen(codec, subject(kind, session), sealed ?? "") as Sealed<Transaction[Kind]> | null;
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
