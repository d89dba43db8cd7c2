// The pages of this room, for servePages.

import type { PageRoutes } from "../ui/serve-pages.ts";
import { disconnect, logout, showConnections } from "./connections.ts";
import { consent } from "./consent.ts";
import { login, showLogin } from "./login.ts";
import type { PageParts } from "./page-deps.ts";

export function oauthPages(parts: PageParts): PageRoutes {
  return {
    "GET /oauth/login": showLogin(parts),
    "POST /oauth/login": login(parts),
    "POST /oauth/logout": logout(parts),
    "POST /oauth/consent": consent(parts),
    "GET /oauth/connections": showConnections(parts),
    "POST /oauth/connections/disconnect": disconnect(parts),
  };
}
