// The page of a streamer's connected applications, with which they disconnect applications and log out.

import type { Scope } from "../http/operations.ts";
import { type PageHandler, seeOther } from "../ui/serve-pages.ts";
import { makeAccounts } from "./accounts/accounts.ts";
import { formHandler } from "./forms.ts";
import type { PageDeps } from "./page-deps.ts";
import { connectionsPage } from "./pages/connections.ts";
import type { Connection } from "./tokens/grants.ts";

/** An application with the scopes of all its grants; each approval of a streamer is a grant of its own. */
export type ConnectedApplication = Readonly<{
  clientId: string;
  name: string;
  registeredBy: string | null;
  scopes: readonly Scope[];
  since: Date;
}>;

const path = "/oauth/connections";

/** GET /oauth/connections */
export const showConnections = (deps: PageDeps): PageHandler =>
  makeAccounts(deps).page(path, async ({ account }) => {
    const applications = groupByApplication(await deps.grants.connections(account.streamer.id));
    return { status: 200, html: connectionsPage({ site: deps.site, account, applications }) };
  });

/** POST /oauth/connections/disconnect */
export const disconnect = (deps: PageDeps): PageHandler =>
  makeAccounts(deps).form(path, async ({ account, form }) => {
    const connections = await deps.grants.connections(account.streamer.id);
    for (const { id } of connections.filter(({ clientId }) => clientId === form.get("client"))) await deps.grants.revoke(id);
    return seeOther(deps.site.path(path));
  });

/** POST /oauth/logout */
export const logout = (deps: PageDeps): PageHandler =>
  formHandler(deps, "logout", async ({ session, content }) => seeOther(content.to, [await deps.sessions.end(session)]));

/** `connections` are sorted newest first. */
function groupByApplication(connections: readonly Connection[]): ConnectedApplication[] {
  const groups = Map.groupBy(connections, ({ clientId }) => clientId);
  return [...groups].map(([clientId, group]) => {
    const scopes = new Set(group.flatMap((connection) => connection.scopes));
    const { name, registeredBy, createdAt: since } = group.at(-1) as Connection;
    return { clientId, name, registeredBy, scopes: [...scopes], since };
  });
}
