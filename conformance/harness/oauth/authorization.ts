import { expect } from "vitest";

import { formTo, newVisitor, type Page, submit, type Visitor, visit } from "../client/page-visitor.ts";
import { remember } from "../client/secrets.ts";
import { type Client, target } from "../server/target.ts";

/** Parameters of GET /oauth/authorize; undefined leaves one out. */
export type AuthorizationRequest = Record<string, string | undefined>;

export type Approval = {
  client: Client;
  /** Space-separated; the client's own when left out. */
  scopes?: string;
  /** PKCE, S256. */
  challenge?: string;
  redirectUri?: string;
  resource?: string;
  handle?: Handle;
};

export type Handle = "main" | "other";

/** The path of a valid authorization request; `parameters` replace or remove (undefined) some of its own. */
export function authorizationPath(client: Client, parameters: AuthorizationRequest = {}): string {
  const all = { response_type: "code", client_id: client.id, redirect_uri: client.redirectUris[0], state: "xyz", ...parameters };
  const sent = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `/oauth/authorize?${new URLSearchParams(sent)}`;
}

/** Submits the login page with the streamer's password. */
export function logIn(visitor: Visitor, page: Page, handle: Handle = "main"): Promise<Page> {
  const password = target().oauth?.passwords[handle];
  return submit(visitor, formTo(page, "/oauth/login"), { handle, password });
}

/** Submits the consent page with this decision. */
export function decide(visitor: Visitor, page: Page, decision: "approve" | "deny"): Promise<Page> {
  const form = formTo(page, "/oauth/consent");
  expect(form.buttons).toContainEqual({ name: "decision", value: decision });
  return submit(visitor, form, { decision });
}

/** A browser in which the streamer is logged in, shared by all rules of a file because passwords are slow to check. */
export function loggedIn(handle: Handle = "main"): Promise<Visitor> {
  const visitor = visitors.get(handle) ?? newLogin(handle);
  visitors.set(handle, visitor);
  return visitor;
}

/** A browser of its own in which the streamer is logged in. */
export async function newLogin(handle: Handle = "main", server = target().url): Promise<Visitor> {
  const visitor = newVisitor(server);
  const page = await logIn(visitor, await visit(visitor, "/oauth/connections"), handle);
  expect(page.reply.status, page.reply.text).toBe(200);
  return visitor;
}

/** Opens the path and approves; returns the address of the redirect. */
export async function approve(path: string, visitor?: Visitor): Promise<URL> {
  const browser = visitor ?? (await loggedIn());
  const page = await decide(browser, await visit(browser, path), "approve");
  if (!page.location) throw new Error(`approved, but no redirect: ${page.reply.status} ${page.reply.text.slice(0, 2000)}`);
  remember(page.location.searchParams.get("code"));
  return page.location;
}

/** A code from a streamer's approval. */
export async function authorizationCode({ client, scopes, challenge, redirectUri, resource, handle }: Approval): Promise<string> {
  const pkce = challenge === undefined ? {} : { code_challenge: challenge, code_challenge_method: "S256" };
  const path = authorizationPath(client, { redirect_uri: redirectUri ?? client.redirectUris[0], scope: scopes, resource, ...pkce });
  const location = await approve(path, await loggedIn(handle));
  const code = location.searchParams.get("code");
  if (!code) throw new Error(`approved, but no code: ${location}`);
  return code;
}

const visitors = new Map<Handle, Promise<Visitor>>();
