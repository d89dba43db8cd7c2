import { createServer, type IncomingMessage, type Server } from "node:http";

import type { Bug } from "./bugs.ts";
import { type Credentials, newCredentials } from "./credentials.ts";
import { complaints, type Rules, rules } from "./rules.ts";

// A server that claims the interface and nothing more: no database, other status codes, other bodies, other errors than ours.

type Answer = { status: number; body: string };

/** What a bug may change besides the rules of a donation. */
export type Habits = {
  tokenOf: (request: IncomingMessage) => string | null;
  /** Whether a donation may be created by this token: 200 for yes. */
  entrance: (token: string | null, credentials: Credentials) => number;
  oauthPrefix: string;
  knowsClient: (body: Record<string, unknown>, client: Credentials["client"]) => boolean;
  exchange: (body: Record<string, unknown>) => Answer;
  revokes: boolean;
  /** After everything else. */
  answer: (answer: Answer, donation: unknown) => Answer;
};

const habits: Habits = {
  tokenOf: ({ headers }) => /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? null,
  entrance: (token, { scopesOf }) => {
    const scopes = token === null ? null : scopesOf(token);
    if (scopes === null) return 401;
    return scopes.includes("write:donations") ? 200 : 403;
  },
  oauthPrefix: "/oauth/",
  knowsClient: ({ client_id, client_secret }, { id, secret }) => client_id === id && client_secret === secret,
  exchange: () => ({ status: 422, body: "nobody issued that" }),
  revokes: true,
  answer: (answer) => answer,
};

/** `bug` is asked at each request, so that one server can have one bug after the other. */
export function newServer(bug: () => Bug | null): { server: Server; credentials: Credentials } {
  const credentials = newCredentials();
  const server = createServer(async (request, response) => {
    const use = { ...rules, ...bug()?.rules };
    const ways = { ...habits, ...bug()?.habits };
    const bytes: Buffer[] = [];
    for await (const chunk of request) bytes.push(chunk);
    const { status, body } = answerTo(request, Buffer.concat(bytes), { use, ways, credentials });
    response.writeHead(status, body === "" ? {} : { "Content-Type": body.startsWith("{") ? "application/json" : "text/plain" }).end(body);
  });
  return { server, credentials };
}

type Inside = { use: Rules; ways: Habits; credentials: Credentials };

function answerTo(request: IncomingMessage, bytes: Buffer, inside: Inside): Answer {
  const [path = ""] = (request.url ?? "").split("?");
  const { oauthPrefix } = inside.ways;
  if (![`/api/v1/donations`, `${oauthPrefix}token`, `${oauthPrefix}revoke`].includes(path)) return { status: 404, body: "nothing here" };
  if (request.method !== "POST") return { status: 405, body: "POST only" };
  if (path !== "/api/v1/donations") return oauth(path.slice(oauthPrefix.length), bytes, inside);
  const entrance = inside.ways.entrance(inside.ways.tokenOf(request), inside.credentials);
  if (entrance !== 200) return { status: entrance, body: '{"why":"this credential does not open the door"}' };
  return donate(bytes, inside);
}

let count = 0;

function donate(bytes: Buffer, { use, ways }: Inside): Answer {
  const donation = readOrNothing(bytes, use);
  if (donation === undefined) return ways.answer({ status: 415, body: "this is no JSON" }, donation);
  const found = complaints(donation, use);
  if (found.length > 0) return ways.answer({ status: 422, body: JSON.stringify({ complaints: found }) }, donation);
  return ways.answer({ status: 202, body: JSON.stringify({ receipt: ++count }) }, donation);
}

function oauth(what: string, bytes: Buffer, { use, ways, credentials }: Inside): Answer {
  const body = readOrNothing(bytes, use) as Record<string, unknown> | null | undefined;
  if (typeof body !== "object" || body === null) return { status: 400, body: "this is no JSON object" };
  if (!ways.knowsClient(body, credentials.client)) return { status: 403, body: "unknown client" };
  if (what === "token") return ways.exchange(body);
  if (typeof body.token !== "string") return { status: 422, body: "token is a text" };
  if (ways.revokes) credentials.revoke(body.token);
  return { status: 204, body: "" };
}

function readOrNothing(bytes: Buffer, use: Rules): unknown {
  try {
    return use.read(bytes);
  } catch {
    return undefined;
  }
}
