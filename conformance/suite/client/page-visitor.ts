// Visits the server's pages like a browser without JavaScript: links, forms, cookies, redirects within the server.

import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { Reply, Request } from "../contract/http-request.ts";
import { remember } from "../values/redact.ts";
import { type Login, type Operator, target } from "../values/target.ts";
import { checkAnswer } from "./check-answer.ts";
import { sendUnchecked } from "./http-client.ts";
import { addStreamerWithPassword } from "./operator.ts";

type Cookie = {
  value: string;
  /** The line that set it. */
  line: string;
};

/** A browser with its own cookies. */
export type Visitor = { cookies: Map<string, Cookie>; server: string };

export type Form = { action: string; fields: Record<string, string>; buttons: { name: string; value: string }[] };

/** `forms`: all but the language switch, which every page has. `location`: redirect target outside of the server, else null. */
export type Page = { path: string; reply: Reply; forms: Form[]; location: URL | null };

export const newVisitor = (server = target().url): Visitor => ({ cookies: new Map(), server });

/** The switches of language and colours, which every page has. */
export const languagePath = "/language";
const themePath = "/theme";

/** GET, following redirects within the server. Pages are in English unless `headers` ask for another language. */
export const visit = (visitor: Visitor, path: string, headers: Record<string, string> = {}): Promise<Page> =>
  open(visitor, { path, headers });

/** Sends the form with its hidden fields; `values` replace them, undefined removes one. */
export function submit(
  visitor: Visitor,
  form: Form,
  values: Record<string, string | undefined> = {},
  headers: Record<string, string> = {},
): Promise<Page> {
  const fields = Object.entries({ ...form.fields, ...values }).filter((field): field is [string, string] => field[1] !== undefined);
  return open(visitor, {
    method: "POST",
    path: form.action,
    headers: { "Content-Type": "application/x-www-form-urlencoded", Origin: new URL(target().url).origin, ...headers },
    body: new URLSearchParams(fields).toString(),
  });
}

/** The page's form that is sent to this path. */
export function formTo(page: Page, action: string): Form {
  const form = page.forms.find((one) => one.action === action);
  if (!form) throw new Error(`no form to ${action} on ${page.path}: ${page.reply.status} ${page.reply.text.slice(0, 2000)}`);
  return form;
}

async function open(visitor: Visitor, request: Request, redirects = 0): Promise<Page> {
  const reply = await exchange(visitor, request);
  const place = redirectOf(reply, visitor);
  if (typeof place === "string") {
    if (redirects > 5) throw new Error(`too many redirects, to ${place}`);
    return open(visitor, { path: place }, redirects + 1);
  }
  return { path: request.path, reply, forms: formsOf(reply, request.path), location: place };
}

async function exchange(visitor: Visitor, request: Request): Promise<Reply> {
  const Cookie = [...visitor.cookies].map(([name, { value }]) => `${name}=${value}`).join("; ");
  const outgoing = {
    ...request,
    key: null,
    server: visitor.server,
    headers: { "Accept-Language": "en", ...(Cookie && { Cookie }), ...request.headers },
  };
  const reply = await sendUnchecked(outgoing);
  if (request.path.startsWith("/oauth/authorize")) checkAnswer(outgoing, reply);
  checkPage(outgoing, reply);
  for (const line of reply.headers["set-cookie"] ?? []) storeCookie(visitor, line);
  return reply;
}

/** Expects what every page needs: it cannot be framed or stored and runs nothing from other sites (OWASP, RFC 6749 10.13). */
function checkPage({ method = "GET", path }: Request, { status, headers, text }: Reply): void {
  const where = `${method} ${path.slice(0, 200)}: ${status} ${text.slice(0, 500)}`;
  expect(status, where).toBeLessThan(500);
  expect(headers["cache-control"], where).toMatch(/no-store/);
  expect(headers["x-request-id"], where).toBeDefined();
  if (status === 303) return;
  expect(headers["content-type"], where).toMatch(/^text\/html; *charset=utf-8$/i);
  expect(headers["x-frame-options"], where).toBe("DENY");
  expect(headers["x-content-type-options"], where).toBe("nosniff");
  expect(headers["referrer-policy"], where).toMatch(/^(no-referrer|same-origin|strict-origin)$/);
  const policy = String(headers["content-security-policy"]);
  for (const directive of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action "])
    expect(policy, where).toContain(directive);
  expect(policy, where).not.toMatch(/unsafe-|\*/);
}

/** A path within the server, a URL outside of it, or null: no redirect. */
function redirectOf({ status, headers }: Reply, { server }: Visitor): string | URL | null {
  if (status < 300 || status > 399 || headers.location === undefined) return null;
  const { url } = target();
  if (!/^[a-z][a-z0-9+.-]*:|^\/\/|^\\/i.test(headers.location)) return headers.location;
  const location = new URL(headers.location, url);
  const inside = [url, server].some((ours) => new URL(ours).origin === location.origin);
  return inside ? location.pathname + location.search : location;
}

function storeCookie({ cookies }: Visitor, line: string): void {
  const [, name = "", value = ""] = /^([^=;]*)=([^;]*)/.exec(line) ?? [];
  const expires = /;\s*expires=([^;]*)/i.exec(line)?.[1];
  if (/;\s*max-age=(0|-\d+)\s*(;|$)/i.test(line) || value === "" || (expires && Date.parse(expires) < Date.now())) cookies.delete(name);
  else cookies.set(name, { value, line });
  remember(value);
}

function formsOf({ text }: Reply, path: string): Form[] {
  const forms = [...text.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gis)].map(([, head = "", content = ""]) => {
    const action = attributes(head).action ?? path;
    const inputs = [...content.matchAll(/<input\b([^>]*)>/gi)].map(([, input = ""]) => attributes(input)).filter(isSent);
    const buttons = [...content.matchAll(/<button\b([^>]*)>/gi)].map(([, button = ""]) => attributes(button));
    return {
      action,
      fields: Object.fromEntries(inputs.map(({ name = "", value = "" }) => [name, value])),
      buttons: buttons.map(({ name = "", value = "" }) => ({ name, value })),
    };
  });
  return forms.filter(({ action }) => action !== languagePath && action !== themePath);
}

/** What a browser would send: of several radio buttons the checked one. */
const isSent = ({ name, type, checked }: Record<string, string>): boolean => Boolean(name) && (type !== "radio" || checked !== undefined);

function attributes(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/([a-z-]+)(?:="([^"]*)")?/gi)].map(([, name = "", value = ""]) => [name.toLowerCase(), unescaped(value)]),
  );
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", "#x27": "'" };

const unescaped = (text: string): string => text.replace(/&(#?\w+);/g, (whole, name: string) => entities[name] ?? whole);

// A streamer who can log in to the server's pages.

export async function newStreamer(operator: Operator): Promise<Login> {
  const handle = `s${randomUUID().slice(0, 8)}`;
  const password = `ดาว ${randomUUID()}`;
  await addStreamerWithPassword(operator, handle, password);
  remember(password);
  return { handle, password };
}

// Forms of the login and consent pages that a page of another site sends in the streamer's browser (cross-site request forgery).

/** Expects a refusal without effect: no redirect out of the server, no cookie. */
export function expectRefused({ reply, location }: Page): void {
  expect(reply.status, reply.text).toBeOneOf([400, 403]);
  expect(location).toBeNull();
}

/** Where such a form may come from, with the header that the browser sends. */
export const foreignOrigins: [string, Record<string, string>][] = [
  ["another site", { Origin: "https://evil.example" }],
  ["another port", { Origin: "http://127.0.0.1:1" }],
  ["another scheme", { Origin: "https://127.0.0.1" }],
  ["a site that only begins like ours", { Origin: "ORIGIN.evil.example" }],
  ["null", { Origin: "null" }],
  ["an empty one", { Origin: "" }],
  ["a word", { Origin: "x" }],
];

/** The headers, with the origin of the server under test in place of ORIGIN. */
export const withOurs = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace("ORIGIN", new URL(target().url).origin)]));
