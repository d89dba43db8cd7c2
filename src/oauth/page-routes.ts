// The routes of this folder's pages, for servePages.

import type { PageRoutes } from "../ui/serve-pages.ts";
import { login, showLogin } from "./accounts/login.ts";
import { disconnect, logout, showConnections } from "./connections.ts";
import { consent } from "./consent.ts";
import type { PageDeps } from "./page-deps.ts";

export function oauthPages(deps: PageDeps): PageRoutes {
  return {
    "GET /oauth/login": showLogin(deps),
    "POST /oauth/login": login(deps),
    "POST /oauth/logout": logout(deps),
    "POST /oauth/consent": consent(deps),
    "GET /oauth/connections": showConnections(deps),
    "POST /oauth/connections/disconnect": disconnect(deps),
  };
}
