// A second server that implements the interface document and nothing more, in memory. Its status codes, bodies and errors differ from those of
// src/, so that the profile `interface` cannot rely on them. Its rules are its own: each is one function or value, so that a bug replaces one.

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { buffer } from "node:stream/consumers";
import { lengthsOf, maxAmount } from "../../suite/contract/interface.ts";
import type { Change } from "./bugs.ts";

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
    const { status, body } = answerTo(request, await buffer(request), { rules: activeRules, behaviour, credentials, used });
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

export type Rules = {
  /** Parses the body; throws when it is not JSON. */
  read: (bytes: Uint8Array) => unknown;
  /** Returns the value that is checked instead of the member's value. */
  valueToCheck: (member: string, value: unknown) => unknown;
  required: string[];
  lengthOf: (text: string) => number;
  /** Minimum and maximum length in characters. */
  lengths: Record<string, [min: number, max: number]>;
  isAmount: (amount: number) => boolean;
  isCurrency: (currency: string) => boolean;
  /** Groups: year, month, day, hour, minute, second, fraction, offset hour, offset minute. */
  dateTime: RegExp;
  isLeap: (year: number) => boolean;
  monthLength: (month: number, leap: boolean) => number;
  isTime: (hour: number, minute: number, second: number) => boolean;
  isOffset: (hour: number, minute: number) => boolean;
  isYear: (year: number) => boolean;
  /** An additional condition for texts. */
  isText: (text: string) => boolean;
};

export const rules: Rules = {
  read: (bytes) => JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)),
  valueToCheck: (_, value) => value,
  required: ["donatorName", "amount"],
  lengthOf: (text) => Array.from(text).length,
  lengths: Object.fromEntries(
    ["donatorName", "message", "identifier", "idempotencyKey"].map((member) => [member, [lengthsOf(member).min, lengthsOf(member).max]]),
  ),
  isAmount: (amount) => amount > 0 && amount <= maxAmount,
  isCurrency: (currency) => currency === "THB",
  dateTime: /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?(?:Z|[+-](\d\d):(\d\d))$/,
  isLeap: (year) => new Date(Date.UTC(2000 + (year % 400), 1, 29)).getUTCMonth() === 1,
  monthLength: (month, leap) => (month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : month >= 1 && month <= 12 ? 31 : 0),
  isTime: (hour, minute, second) => hour < 24 && minute < 60 && second < 60,
  isOffset: (hour, minute) => hour < 24 && minute < 60,
  isYear: () => true,
  isText: () => true,
};

/** Returns why the donation is invalid, in words; nothing when it is valid. */
function findFaults(donation: unknown, rules: Rules): string[] {
  if (typeof donation !== "object" || donation === null || Array.isArray(donation)) return ["a donation is an object"];
  const sent = donation as Record<string, unknown>;
  const missing = rules.required.filter((member) => !Object.hasOwn(sent, member)).map((member) => `${member} is missing`);
  const wrong = Object.keys(checks).filter((member) => {
    const check = checks[member];
    return Object.hasOwn(sent, member) && !check?.(rules.valueToCheck(member, sent[member]), rules, member);
  });
  return [...missing, ...wrong.map((member) => `${member} is not right`)];
}

type Check = (value: unknown, rules: Rules, member: string) => boolean;

const isText: Check = (value, rules, member) => {
  if (typeof value !== "string" || !rules.isText(value)) return false;
  const [min = 0, max = 0] = rules.lengths[member] ?? [];
  return rules.lengthOf(value) >= min && rules.lengthOf(value) <= max;
};

const checks: Record<string, Check> = {
  donatorName: isText,
  amount: (value, rules) => typeof value === "number" && rules.isAmount(value),
  currency: (value, rules) => typeof value === "string" && rules.isCurrency(value),
  message: isText,
  identifier: isText,
  idempotencyKey: isText,
  skipAlert: (value) => value === true || value === false,
  createdAt: (value, rules) => typeof value === "string" && isDateTime(value, rules),
};

function isDateTime(text: string, rules: Rules): boolean {
  const groups = rules.dateTime.exec(text);
  if (!groups) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = groups.slice(1, 7).map((group) => Number(group ?? 0));
  const inCalendar = rules.isYear(year) && day >= 1 && day <= rules.monthLength(month, rules.isLeap(year));
  return inCalendar && rules.isTime(hour, minute, second) && rules.isOffset(Number(groups[8] ?? 0), Number(groups[9] ?? 0));
}

type Scope = "write:donations" | "read:donations";

type Credentials = {
  /** API keys and their scopes. */
  keys: Map<string, Scope[]>;
  client: { id: string; secret: string };
  /** Creates an access token, a signed JWT (interface 5.2). */
  accessToken: (scopes: Scope[]) => string;
  /** Returns the scopes of an access token or API key; null for anything else. */
  scopesOf: (token: string) => Scope[] | null;
  revoke: (token: string) => void;
  /** Makes all revoked tokens valid again, for the next run of the suite. */
  restoreRevoked: () => void;
};

const random = (bytes: number): string => randomBytes(bytes).toString("base64url").replaceAll(/[_-]/g, "0");

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

function newCredentials(): Credentials {
  const [secret, revoked] = [randomBytes(32), new Set<string>()];
  const key = (): string => `tip_jar_v1_${random(30)}`;
  const keys = new Map<string, Scope[]>([
    [key(), ["write:donations", "read:donations"]],
    [key(), ["read:donations"]],
    [key(), ["write:donations"]],
  ]);
  const signature = (signed: string): string => createHmac("sha256", secret).update(signed).digest("base64url");
  const accessToken = (scopes: Scope[]): string => {
    const signed = `${encoded({ alg: "HS256", typ: "at+jwt" })}.${encoded({ jti: random(9), scope: scopes.join(" ") })}`;
    return `${signed}.${signature(signed)}`;
  };
  const scopesOf = (token: string): Scope[] | null => {
    if (revoked.has(token)) return null;
    const [head = "", claims = "", signed = ""] = token.split(".");
    if (!isEqual(signed, signature(`${head}.${claims}`))) return keys.get(token) ?? null;
    return JSON.parse(Buffer.from(claims, "base64url").toString()).scope.split(" ");
  };
  const client = { id: `app-${random(6)}`, secret: random(24) };
  return { keys, client, accessToken, scopesOf, revoke: (token) => void revoked.add(token), restoreRevoked: () => revoked.clear() };
}

/** Returns the environment variables with which the suite tests this server. */
export function settingsFor(url: string, { keys, client, accessToken }: Credentials): Record<string, string> {
  const [API_KEY = "", READ_API_KEY = "", WRITE_API_KEY = ""] = keys.keys();
  return {
    API_URL: url,
    API_KEY,
    READ_API_KEY,
    WRITE_API_KEY,
    OAUTH_CLIENT_ID: client.id,
    OAUTH_CLIENT_SECRET: client.secret,
    OAUTH_ACCESS_TOKEN: accessToken(["write:donations"]),
    OAUTH_REVOCABLE_TOKEN: accessToken(["write:donations"]),
  };
}

const isEqual = (a: string, b: string): boolean => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
