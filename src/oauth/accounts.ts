// What other rooms' pages need of this one: who is logged in, and forms that only they can send.

import type { PageHandler, PageReply } from "../ui/serve-pages.ts";
import { formHandler, seeOther } from "./forms.ts";
import type { PageParts } from "./page-deps.ts";
import type { Session, Streamer } from "./sessions.ts";

/** Somebody who is logged in, with the sealed transactions that their page's forms carry. */
export type Account = Readonly<{
  streamer: Streamer;
  /** Of the forms of the streamer's pages. */
  transaction: string;
  /** Of the form to /oauth/logout. */
  logout: string;
}>;

export type Visit = Readonly<{ account: Account; query: URLSearchParams }>;
export type Entry = Readonly<{ account: Account; form: URLSearchParams }>;

export type Accounts = ReturnType<typeof accounts>;

export function accounts(parts: Pick<PageParts, "site" | "sessions" | "transactions" | "limits">) {
  const { site, sessions, transactions } = parts;
  const accountOf = (session: Session): Account | null =>
    session.streamer && {
      streamer: session.streamer,
      transaction: transactions.seal("page", session, null),
      logout: transactions.seal("logout", session, { to: site.path("/oauth/login") }),
    };

  return {
    site,

    /** A page for whoever is logged in. Strangers are sent to log in, and come back to `here`. */
    page:
      (here: string, show: (visit: Visit) => Promise<PageReply>): PageHandler =>
      async ({ caller, query }) => {
        const account = accountOf(await sessions.open(caller.cookie));
        return account ? show({ account, query }) : seeOther(site.path(`/oauth/login?to=${here}`));
      },

    /** A form of such a page: refused unless a page made it for this session. */
    form: (here: string, handle: (entry: Entry) => Promise<PageReply>): PageHandler =>
      formHandler(parts, "page", async ({ session, form }) => {
        const account = accountOf(session);
        return account ? handle({ account, form }) : seeOther(site.path(`/oauth/login?to=${here}`));
      }),
  };
}
