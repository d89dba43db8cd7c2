// The streamer's connected applications, and the way out.

import type { Scope } from "../http/operations.ts";
import type { PageHandler } from "../ui/serve-pages.ts";
import { formHandler, seeOther } from "./forms.ts";
import type { Connection } from "./grants.ts";
import type { PageParts } from "./page-deps.ts";
import { connectionsPage } from "./pages/connections.ts";

/** An application with all its grants: a streamer lets it in once more each time it asks. */
export type ConnectedApplication = Readonly<{ clientId: string; name: string; scopes: readonly Scope[]; since: Date }>;

const here = "/oauth/connections";

/** GET /oauth/connections */
export const showConnections =
  ({ site, sessions, transactions, grants }: PageParts): PageHandler =>
  async ({ caller }) => {
    const session = await sessions.open(caller.cookie);
    if (!session.streamer) return seeOther(site.path(`/oauth/login?to=${here}`));
    const html = connectionsPage({
      site,
      streamer: session.streamer,
      applications: byApplication(await grants.connections(session.streamer.id)),
      disconnect: transactions.seal("disconnect", session, null),
      logout: transactions.seal("logout", session, { to: site.path("/oauth/login") }),
    });
    return { status: 200, html };
  };

/** POST /oauth/connections/disconnect */
export const disconnect = (parts: PageParts): PageHandler =>
  formHandler(parts, "disconnect", async ({ session: { streamer }, form }) => {
    const { grants, site } = parts;
    const own = streamer ? await grants.connections(streamer.id) : [];
    for (const { id } of own.filter(({ clientId }) => clientId === form.get("client"))) await grants.revoke(id);
    return seeOther(site.path(here));
  });

/** POST /oauth/logout */
export const logout = (parts: PageParts): PageHandler =>
  formHandler(parts, "logout", async ({ session, content }) => seeOther(content.to, [await parts.sessions.end(session)]));

/** Connections come newest first. */
function byApplication(connections: readonly Connection[]): ConnectedApplication[] {
  const groups = Map.groupBy(connections, ({ clientId }) => clientId);
  return [...groups].map(([clientId, group]) => {
    const scopes = new Set(group.flatMap((connection) => connection.scopes));
    const { name, createdAt: since } = group.at(-1) as Connection;
    return { clientId, name, scopes: [...scopes], since };
  });
}
