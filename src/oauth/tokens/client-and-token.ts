// Reads the client of a token request together with the refresh token that it sent: a statement costs more than the rows that it reads by
// their keys.

import { hash } from "node:crypto";
import type { BatchedReads } from "../../db/batched-reads.ts";
import type { ClientWithSecrets, OAuthClient } from "../clients/clients.ts";
import type { Grant, StoredRefreshToken } from "./grants.ts";

/** `refreshToken`: of any generation and any client; null when there is no such token, or none was sent. */
export type ClientAndToken = ClientWithSecrets & Readonly<{ refreshToken: StoredRefreshToken | null }>;

/** Null when the client is unknown or removed. */
export type FindClientAndToken = (clientId: string, refreshToken: string | undefined) => Promise<ClientAndToken | null>;

type Row = OAuthClient & {
  secretHashes: Buffer[];
  /** These are null when there is no such token. */
  grantId: string | null;
  grantClientId: string;
  streamerId: string;
  grantScopes: Grant["scopes"];
  resource: string | null;
  isGrantActive: boolean;
};

export function clientAndTokenFinder(reads: BatchedReads): FindClientAndToken {
  return async (clientId, refreshToken) => {
    const digest = refreshToken === undefined ? null : hash("sha256", refreshToken, "buffer");
    const [row] = await reads<Row>(
      (bind) =>
        `select c.id, c.application_id as "applicationId", a.name, c.public, c.redirect_uris as "redirectUris", c.scopes,
           array(select s.hash from oauth_client_secrets s where s.client_id = c.id) as "secretHashes",
           g.id as "grantId", g.client_id as "grantClientId", g.streamer_id as "streamerId", g.scopes as "grantScopes", g.resource,
           g.revoked_at is null as "isGrantActive"
         from oauth_clients c
         join applications a on a.id = c.application_id
         left join oauth_refresh_tokens t on t.hash = ${bind(digest, "bytea")}
         left join oauth_grants g on g.id = t.grant_id
         where c.id = ${bind(clientId, "text")} and c.removed_at is null`,
    );
    if (!row) return null;
    const { id, applicationId, name, public: isPublic, redirectUris, scopes, secretHashes } = row;
    return { client: { id, applicationId, name, public: isPublic, redirectUris, scopes }, secretHashes, refreshToken: tokenOf(row) };
  };
}

function tokenOf({ grantId, grantClientId, streamerId, grantScopes, resource, isGrantActive }: Row): StoredRefreshToken | null {
  if (grantId === null) return null;
  return { grant: { id: grantId, clientId: grantClientId, streamerId, scopes: grantScopes, resource }, isGrantActive };
}
