// Pages and forms of a logged-in streamer, for this folder and for others: who is logged in, and forms that only they can send.

import type { Account, Accounts } from "../ui/accounts.ts";
import { type PageReply, seeOther } from "../ui/serve-pages.ts";
import { formHandler } from "./forms.ts";
import type { PageDeps } from "./page-deps.ts";
import type { Session } from "./sessions.ts";

export function makeAccounts(deps: Pick<PageDeps, "site" | "sessions" | "formTokens" | "limits">): Accounts {
  const { site, sessions, formTokens } = deps;
  const accountOf = (session: Session): Account | null =>
    session.streamer && {
      streamer: session.streamer,
      formToken: formTokens.seal("page", session, null),
      logoutToken: formTokens.seal("logout", session, { to: site.path("/oauth/login") }),
    };
  const login = (returnTo: string): PageReply => seeOther(site.path(`/oauth/login?to=${returnTo}`));

  return {
    site,
    page:
      (path, show) =>
      async ({ caller, query }) => {
        const account = accountOf(await sessions.open(caller.cookie));
        return account ? show({ account, query }) : login(path);
      },
    form: (path, handle) =>
      formHandler(deps, "page", async ({ session, form }) => {
        const account = accountOf(session);
        return account ? handle({ account, form }) : login(path);
      }),
  };
}
