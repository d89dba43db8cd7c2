// A second server that implements the interface document and nothing more, in memory. Its status codes, bodies and errors differ
// from those of src/, so that the profile `interface` cannot rely on them.

import { createServer, type IncomingMessage, type Server } from "node:http";

import type { Change } from "./bugs.ts";
import { type Credentials, newCredentials } from "./credentials.ts";
import { findFaults, type Rules, rules } from "./rules.ts";

type Answer = { status: number; body: string };

/** Behaviour of the server that a bug can change, besides the rules for donations. */
export type Behaviour = {
  tokenOf: (request: IncomingMessage) => string | null;
  /** Status for creating a donation with this token: 200 allows it. */
  authorize: (token: string | null, credentials: Credentials, header: string | undefined) => number;
  /** Members of which each value is accepted once, with the status for the second time. */
  once: Record<string, number>;
  /** What makes two donations one; the second is refused. Null: they are never one. */
  identityOf: (donation: object) => string | null;
  oauthPrefix: string;
  knowsClient: (body: Record<string, unknown>, client: Credentials["client"]) => boolean;
  /** The answer to a client that is not known. */
  clientRefusal: Answer;
  exchange: (body: Record<string, unknown>) => Answer;
  /** Whether this can be a token to revoke. */
  isToken: (token: unknown) => boolean;
  revokes: boolean;
  /** Changes the answer after everything else. */
  answer: (answer: Answer, donation: unknown) => Answer;
};

const defaultBehaviour: Behaviour = {
  tokenOf: ({ headers }) => /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? null,
  authorize: (token, { scopesOf }) => {
    const scopes = token === null ? null : scopesOf(token);
    if (scopes === null) return 401;
    return scopes.includes("write:donations") ? 200 : 403;
  },
  once: {},
  identityOf: () => null,
  oauthPrefix: "/oauth/",
  knowsClient: ({ client_id, client_secret }, { id, secret }) => client_id === id && client_secret === secret,
  clientRefusal: { status: 403, body: "unknown client" },
  exchange: () => ({ status: 422, body: "this grant was not issued here" }),
  isToken: (token) => typeof token === "string",
  revokes: true,
  answer: (answer) => answer,
};

/** Creates the server. `change` is called for each request, so that a bug or a variant can be exchanged while the server runs. */
export function newServer(change: () => Change | null): { server: Server; credentials: Credentials } {
  const credentials = newCredentials();
  const used = new Set<string>();
  const server = createServer(async (request, response) => {
    const activeRules = { ...rules, ...change()?.rules };
    const behaviour = { ...defaultBehaviour, ...change()?.behaviour };
    const bytes: Buffer[] = [];
    for await (const chunk of request) bytes.push(chunk);
    const { status, body } = answerTo(request, Buffer.concat(bytes), { rules: activeRules, behaviour, credentials, used });
    response.writeHead(status, body === "" ? {} : { "Content-Type": body.startsWith("{") ? "application/json" : "text/plain" }).end(body);
  });
  return { server, credentials };
}

type Context = {
  rules: Rules;
  behaviour: Behaviour;
  credentials: Credentials;
  /** Values that were accepted, behind the names of their members. */
  used: Set<string>;
};

function answerTo(request: IncomingMessage, bytes: Buffer, context: Context): Answer {
  const [path = ""] = (request.url ?? "").split("?");
  const { oauthPrefix } = context.behaviour;
  if (![`/api/v1/donations`, `${oauthPrefix}token`, `${oauthPrefix}revoke`].includes(path)) return { status: 404, body: "nothing here" };
  if (request.method !== "POST") return { status: 405, body: "POST only" };
  if (path !== "/api/v1/donations") return oauth(path.slice(oauthPrefix.length), bytes, context);
  const status = context.behaviour.authorize(context.behaviour.tokenOf(request), context.credentials, request.headers.authorization);
  if (status !== 200) return { status, body: '{"why":"this credential is not accepted"}' };
  return createDonation(bytes, context);
}

let lastReceipt = 0;

function createDonation(bytes: Buffer, { rules: active, behaviour, used }: Context): Answer {
  const donation = parseBody(bytes, active);
  if (donation === undefined) return behaviour.answer({ status: 415, body: "the body is not JSON" }, donation);
  const faults = findFaults(donation, active);
  if (faults.length > 0) return behaviour.answer({ status: 422, body: JSON.stringify({ complaints: faults }) }, donation);
  const repeated = findRepeated(donation as Record<string, unknown>, behaviour.once, used);
  if (repeated) return { status: behaviour.once[repeated] ?? 409, body: JSON.stringify({ complaints: [`${repeated} was used before`] }) };
  const identity = behaviour.identityOf(donation as object);
  if (identity !== null && used.has(identity))
    return { status: 409, body: JSON.stringify({ complaints: ["this donation was sent before"] }) };
  if (identity !== null) used.add(identity);
  return behaviour.answer({ status: 202, body: JSON.stringify({ receipt: ++lastReceipt }) }, donation);
}

/** Returns the member whose value was used before; else notes the values as used. */
function findRepeated(donation: Record<string, unknown>, once: Behaviour["once"], used: Set<string>): string | undefined {
  const values = Object.keys(once).flatMap((member) => (member in donation ? [{ member, value: `${member} ${donation[member]}` }] : []));
  const repeated = values.find(({ value }) => used.has(value));
  if (!repeated) for (const { value } of values) used.add(value);
  return repeated?.member;
}

function oauth(what: string, bytes: Buffer, { rules: active, behaviour, credentials }: Context): Answer {
  const body = parseBody(bytes, active) as Record<string, unknown> | null | undefined;
  if (typeof body !== "object" || body === null) return { status: 400, body: "the body is not a JSON object" };
  if (!behaviour.knowsClient(body, credentials.client)) return behaviour.clientRefusal;
  if (what === "token") return behaviour.exchange(body);
  if (!behaviour.isToken(body.token)) return { status: 422, body: "token must be a string" };
  if (behaviour.revokes) credentials.revoke(String(body.token));
  return { status: 204, body: "" };
}

function parseBody(bytes: Buffer, active: Rules): unknown {
  try {
    return active.read(bytes);
  } catch {
    return undefined;
  }
}
