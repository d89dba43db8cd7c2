// Checks before a run on a server of someone else that each key is what its variable stands for: with another one, rules would accuse the server.

import type { Reply, Request } from "../contract/http-request.ts";
import { scopes } from "../contract/scopes.ts";
import { type Holder, keyVariables, target } from "../values/target.ts";

type Send = (request: Request) => Promise<Reply>;

/** What `getMe` says of a key. */
type Owner = { streamer: string; application: string; scopes: readonly string[] };

/** `only`: more scopes would be wrong as well. `streamer`, `application`: whether they are those of API_KEY; null: either. */
type Demand = { scopes: readonly string[]; only: boolean; streamer: boolean; application: boolean | null };

const both = ["write:donations", "read:donations"];
const demands: Partial<Record<Holder, Demand>> = {
  secondApplication: { scopes: both, only: false, streamer: true, application: false },
  readOnly: { scopes: ["read:donations"], only: true, streamer: true, application: true },
  writeOnly: { scopes: ["write:donations"], only: true, streamer: true, application: true },
  other: { scopes, only: false, streamer: false, application: null },
  quiet: { scopes: both, only: false, streamer: false, application: null },
};

/** The first key that is not what it should be: the reason, and the request that shows it. Null: there is none. A run that only reads needs fewer scopes. */
export async function unfitKey(send: Send, writes: boolean): Promise<{ reason: string; request: Request } | null> {
  const { keys } = target();
  const main = ownerIn(await send({ path }));
  if (main === null) return null;
  for (const [holder, demand] of Object.entries(demands) as [Holder, Demand][]) {
    const request = { path, key: keys[holder] };
    const reason =
      keys[holder] === null
        ? null
        : faultOf(await send(request), main, writes ? demand : { ...demand, scopes: demand.only ? demand.scopes : [] });
    if (reason !== null) return { reason: `${keyVariables[holder]} ${reason}`, request };
  }
  for (const holder of ["overlay", "otherOverlay"] as const) {
    const request = { path: "/api/v1/overlay/speech/unknown", key: keys[holder] };
    if (keys[holder] !== null && (await send(request)).status === 401)
      return { reason: `${keyVariables[holder]} is refused (401): is it correct?`, request };
  }
  return null;
}

const path = "/api/v1/me";

/** Null where the answer has another form: that is left to the rules of getMe. */
function ownerIn({ status, body }: Reply): Owner | null {
  const { data } = (body ?? {}) as { data?: { streamer?: { id?: unknown }; application?: { id?: unknown }; scopes?: unknown } | null };
  const [streamer, application] = [data?.streamer?.id, data?.application?.id];
  if (status !== 200 || typeof streamer !== "string" || typeof application !== "string" || !Array.isArray(data?.scopes)) return null;
  return { streamer, application, scopes: data.scopes };
}

function faultOf(reply: Reply, main: Owner, { scopes: needed, only, streamer, application }: Demand): string | null {
  if (reply.status === 401) return "is refused (401): is it correct?";
  const owner = ownerIn(reply);
  if (owner === null) return null;
  const missing = needed.filter((scope) => !owner.scopes.includes(scope));
  const others = only ? owner.scopes.filter((scope) => !needed.includes(scope)) : [];
  if (missing.length > 0) return `lacks ${missing.join(" ")}`;
  if (others.length > 0) return `must have ${needed.join(" ")} alone, and has ${others.join(" ")}`;
  if (streamer !== (owner.streamer === main.streamer))
    return streamer
      ? "belongs to another streamer than API_KEY, and must not"
      : "belongs to the streamer of API_KEY, and must belong to another one";
  if (application === null || application === (owner.application === main.application)) return null;
  return application
    ? "belongs to another application than API_KEY, and must not"
    : "belongs to the application of API_KEY, and must belong to another one";
}
