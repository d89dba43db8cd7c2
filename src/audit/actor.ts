// Who acts: known where a request, form or command begins, and read where its action is recorded, so that no function in between passes it on.

import { AsyncLocalStorage } from "node:async_hooks";

/**
 * `id`: of the API key or overlay key; the `jti` of an access token; the streamer of a session; the operating system's user on the command
 * line; the OAuth client that authenticated itself. `server` is a task of the server, `anonymous` somebody without a credential.
 */
export type Actor = Readonly<{
  kind: "api_key" | "access_token" | "overlay_key" | "session" | "client" | "cli" | "server" | "anonymous";
  id?: string;
  /** The application that the credential belongs to. */
  application?: string;
  /** The streamer whom the credential stands for. */
  streamer?: string;
  /** The beginning of the session's hash, which tells sessions apart. */
  session?: string;
  /** The path of the endpoint, where it is no operation of the contract. */
  via?: string;
  /** The address of the client as the trusted proxies tell it; on the command line the name of the machine. */
  from?: string;
  request?: string;
}>;

const actors = new AsyncLocalStorage<Actor>();
const server: Actor = { kind: "server" };

/** Runs `work`, and everything that it starts, in the name of this actor. */
export function actAs<Result>(actor: Actor, work: () => Result): Result {
  return actors.run(actor, work);
}

/** Runs `work` in the name of the current actor with these members changed. */
export function actWith<Result>(change: Partial<Actor>, work: () => Result): Result {
  return actors.run({ ...currentActor(), ...change }, work);
}

/** Who acts now; the server itself when nobody has said. */
export function currentActor(): Actor {
  return actors.getStore() ?? server;
}
