// Authorization requests of a logged-in streamer, and the two ways in which a faulty one is answered (RFC 6749 4.1.2.1).

import { expect } from "vitest";
import { type Client, target } from "../../values/target.ts";
import { type Page, visit } from "../page-visitor.ts";
import { type AuthorizationRequest, authorizationPath, loggedIn } from "./authorization.ts";

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
