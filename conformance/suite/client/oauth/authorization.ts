// The authorization code flow of a logged-in streamer.

import { expect } from "vitest";
import { remember } from "../../values/redact.ts";
import { endAsNotRun } from "../../values/running.ts";
import { type Client, type Handle, type Login, oauth, target } from "../../values/target.ts";
import { formTo, newVisitor, type Page, submit, type Visitor, visit } from "../page-visitor.ts";
import { approveElsewhere } from "./approval.ts";

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

/** The path of a valid authorization request; `parameters` replace or remove (undefined) some of its own. */
export function authorizationPath(client: Client, parameters: AuthorizationRequest = {}): string {
  const all = { response_type: "code", client_id: client.id, redirect_uri: client.redirectUris[0], state: "xyz", ...parameters };
  const sent = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `/oauth/authorize?${new URLSearchParams(sent)}`;
}

/** The streamer's login; ends the rule as "not run" where this run has none. */
export const loginOf = (handle: Handle): Login =>
  oauth().logins[handle] ?? endAsNotRun(`--oauth-credentials has no streamers.${handle}, and the rule uses the server's login page`);

/** Submits the login page with the streamer's password. */
export const logIn = (visitor: Visitor, page: Page, handle: Handle = "main"): Promise<Page> =>
  submit(visitor, formTo(page, "/oauth/login"), loginOf(handle));

/** Submits the consent page with this decision. */
export function decide(visitor: Visitor, page: Page, decision: "approve" | "deny"): Promise<Page> {
  const form = formTo(page, "/oauth/consent");
  expect(form.buttons).toContainEqual({ name: "decision", value: decision });
  return submit(visitor, form, { decision });
}

/** A browser in which the streamer is logged in, shared by all rules of a file because passwords are slow to check. */
export async function loggedIn(handle: Handle = "main"): Promise<Visitor> {
  loginOf(handle);
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

/** Approves the authorization request at this path, in a browser or as a streamer; returns the address of the redirect. */
export async function approve(path: string, by: Visitor | Handle = "main"): Promise<URL> {
  const location = typeof by === "string" ? await approveAs(by, path) : await approveOnPages(by, path);
  remember(location.searchParams.get("code"));
  return location;
}

async function approveAs(handle: Handle, path: string): Promise<URL> {
  const { loginCommand, logins } = oauth();
  if (loginCommand !== null || !logins[handle]) return approveElsewhere(path, handle);
  return approveOnPages(await loggedIn(handle), path);
}

async function approveOnPages(visitor: Visitor, path: string): Promise<URL> {
  const { location, reply } = await decide(visitor, await visit(visitor, path), "approve");
  if (!location) throw new Error(`approved, but no redirect: ${reply.status} ${reply.text.slice(0, 2000)}`);
  return location;
}

/** A code from a streamer's approval. */
export async function authorizationCode({ client, scopes, challenge, redirectUri, resource, handle }: Approval): Promise<string> {
  const pkce = challenge === undefined ? {} : { code_challenge: challenge, code_challenge_method: "S256" };
  const path = authorizationPath(client, { redirect_uri: redirectUri ?? client.redirectUris[0], scope: scopes, resource, ...pkce });
  const location = await approve(path, handle);
  const code = location.searchParams.get("code");
  if (!code) throw new Error(`approved, but no code: ${location}`);
  return code;
}

const visitors = new Map<Handle, Promise<Visitor>>();

// Authorization requests of a logged-in streamer, and the two ways in which a faulty one is answered (RFC 6749 4.1.2.1).

/** The redirect URI that every client of the suite has registered. */
export const webRedirectUri = "https://client.example/callback";

/** Opens the authorization request in a browser in which the streamer is logged in. */
export const requestAuthorization = async (client: Client, parameters: AuthorizationRequest = {}): Promise<Page> =>
  visit(await loggedIn(), authorizationPath(client, parameters));

/** Expects a page that says what is wrong, without a redirect. */
export function expectErrorPage({ reply, location }: Page): void {
  expect([reply.status, location, reply.headers.location, reply.headers["set-cookie"]]).toEqual([400, null, undefined, undefined]);
  expect(reply.headers["content-type"]).toMatch(/^text\/html/);
}

/** Expects a redirect that tells the client the error, with state and iss. */
export function expectSentBack({ reply, location }: Page, error: string, redirectUri = webRedirectUri, state: string | null = "xyz"): void {
  expect(reply.status, reply.text).toBe(303);
  const parameters = location?.searchParams;
  expect(`${location?.origin}${location?.pathname}`).toBe(redirectUri);
  expect([parameters?.get("error"), parameters?.get("state"), parameters?.get("iss")]).toEqual([error, state, target().url]);
  expect(parameters?.get("error_description") ?? "").toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]*$/);
  expect(parameters?.has("code")).toBe(false);
}
