// Pages and forms of a logged-in streamer, for this folder and for others: who is logged in, and forms that only they can send.

import { isOurOrigin } from "../../http/base-url.ts";
import { type Reader, writeFor } from "../../ui/reader.ts";
import { type Admit, type PageReply, seeOther } from "../../ui/serve-pages.ts";
import type { Account, Accounts } from "../../ui/streamer-pages.ts";
import { foreignFormPage, formHandler, type PageDeps } from "../forms.ts";
import { type KeptForm, keepForm, keptFormPage } from "../kept-form.ts";
import { loginPage } from "./login.ts";
import type { Session } from "./sessions.ts";

/** The address of the studio. Without another destination a login leads to the first of the streamer's pages. */
const frontDoor = "/studio";

/** The rate limit of a streamer's pages, from a bucket that all sessions of the streamer share and the streamer's credentials do not. */
const pageLimit = "read";

export function makeAccounts(deps: PageDeps): Accounts {
  const { site, sessions, formTokens, limits } = deps;
  const accountOf = (session: Session): Account | null =>
    session.streamer && {
      streamer: session.streamer,
      sessionKey: session.key,
      formToken: formTokens.seal("page", session, null),
      logoutToken: formTokens.seal("logout", session, { to: site.path("/oauth/login") }),
    };
  const login = (returnTo: string): PageReply => seeOther(site.path(`/oauth/login?to=${returnTo}`));
  // A login leads from the studio's address to its home page, and back to the alerts when a session has just ended there.
  const enter = (path: string, { hasEnded }: Session): PageReply =>
    path === frontDoor && !hasEnded ? seeOther(site.path("/oauth/login")) : login(path);

  return {
    site,
    page:
      (path, show) =>
      async ({ caller, query }) => {
        const session = await sessions.open(caller.cookie);
        const account = accountOf(session);
        if (!account) return enter(path, session);
        await limits.spend(pageLimit, `pages ${account.streamer.id}`);
        return writeFor(zoneOf(session), () => show({ account, query }));
      },
    form: (path, handle) => {
      const handler = formHandler(
        deps,
        "page",
        async ({ session, form, address, cookie, path: action }) => {
          const account = accountOf(session);
          if (account) return writeFor(zoneOf(session), () => handle({ account, form, address, cookie }));
          return keepTyped(deps, { session, kept: keepForm({ path: action, form }), to: site.path(path) }) ?? login(path);
        },
        (session, request) => keepTyped(deps, { session, kept: keepForm(request), to: site.path(path) }),
      );
      const admit: Admit = async (caller) => {
        if (!isOurOrigin(caller, site)) return { status: 403, html: foreignFormPage(site) };
        return (await sessions.open(caller.cookie)).streamer ? null : login(path);
      };
      return Object.assign(handler, { admit });
    },
  };
}

type Typed = Readonly<{ session: Session; kept: KeptForm | null; to: string }>;

/** What was typed in survives the end of its session: it is sent again by hand, after a login where nobody is logged in. */
function keepTyped(deps: PageDeps, { session, kept, to }: Typed): PageReply | null {
  if (!kept) return null;
  const { streamer, cookies } = session;
  if (streamer) return { status: 400, html: keptFormPage(deps, session, { streamer, kept }) };
  const purpose = { to, application: null, formAction: [] };
  return { status: 400, html: loginPage(deps, session, { purpose, kept }), cookies };
}

function zoneOf({ timeZone }: Session): Partial<Reader> {
  return timeZone === null ? {} : { timeZone };
}
