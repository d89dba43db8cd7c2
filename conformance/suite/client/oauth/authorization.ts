// The authorization code flow of a logged-in streamer, on the server's own pages or approved elsewhere.

import { exec } from "node:child_process";
import { existsSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { ReadStream, WriteStream } from "node:tty";
import { expect } from "vitest";
import { redactor, remember } from "../../values/redact.ts";
import { endAsNotRun, outsideOfRule } from "../../values/running.ts";
import { type Client, type Handle, keyVariables, type Login, type OAuth, oauth, target } from "../../values/target.ts";
import { formTo, newVisitor, type Page, submit, type Visitor, visit } from "../page-visitor.ts";

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
  expect(page.reply.status, `the login page refuses streamers.${handle}`).toBe(200);
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

// Approvals that the suite does not make on the server's own pages: by a command, or by somebody at the terminal. Where nobody
// approves, nothing is known about the server, so that the rule is not run.

/** Time limit in milliseconds of one approval by a command. */
const commandTimeoutMs = 60_000;

/** Time limit in milliseconds of one approval at the terminal; after the first that takes longer nobody is asked again. */
export const terminalTimeoutMs = 180_000;

/** Approves the authorization request at this path as the streamer; returns the address of the redirect. */
async function approveElsewhere(path: string, handle: Handle): Promise<URL> {
  const { loginCommand, terminal } = oauth();
  if (target().protection?.readOnly) endAsNotRun("left out by --read-only: a streamer's approval would be stored");
  const url = target().url + path;
  if (loginCommand !== null)
    return parseAddress(await outsideOfRule(() => runCommand(loginCommand, url, handle)), "the login command printed");
  if (terminal) return parseAddress(await outsideOfRule(() => askInTurn(url, handle)), "what was pasted is");
  return endAsNotRun(`--oauth-login-command is not given, and --oauth-credentials has no streamers.${handle}: nobody can approve a client`);
}

function parseAddress(text: string, what: string): URL {
  const line = text.trim().split("\n").at(-1)?.trim() ?? "";
  return URL.canParse(line) ? new URL(line) : endAsNotRun(`--oauth-login-command or terminal: ${what} no address`);
}

/** Runs the shell command with the address on its standard input; resolves to what it prints. */
function runCommand(command: string, url: string, handle: Handle): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    const env = { ...process.env, OAUTH_STREAMER: handle };
    const child = exec(command, { env, timeout: commandTimeoutMs }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(explainFailure(error, stderr)));
    });
    child.stdin?.on("error", () => {}); // the command may end without reading it
    child.stdin?.end(`${url}\n`);
  }).catch((error: Error) => endAsNotRun(`--oauth-login-command approved nothing for ${handle}: ${error.message}`));
}

function explainFailure({ killed, code }: { killed?: boolean; code?: number | string | null }, stderr: string): string {
  const words = redactor(target())(stderr).replace(/\s+/g, " ").trim().slice(-300);
  const outcome = killed ? `it took longer than ${commandTimeoutMs / 1000} s` : `it exited with ${code}`;
  return words === "" ? outcome : `${outcome}: ${words}`;
}

let previous: Promise<unknown> = Promise.resolve();

/** Asks one question at a time: rules may need several approvals at once. */
function askInTurn(url: string, handle: Handle): Promise<string> {
  const asked = previous.then(() => askAtTerminal(oauth(), url, handle));
  previous = asked.catch(() => {});
  return asked;
}

async function askAtTerminal({ logs }: OAuth, url: string, handle: Handle): Promise<string> {
  const nobodyThere = join(logs, "nobody-approves");
  if (existsSync(nobodyThere)) return endAsNotRun("--oauth-login-command is not given, and nobody has approved at the terminal");
  const [input, output] = [new ReadStream(openSync("/dev/tty", "r")), new WriteStream(openSync("/dev/tty", "w"))];
  const terminal = createInterface({ input, output });
  const question = `\nApprove as the streamer of ${keyVariables[handle]}:\n${url}\nAddress that you are sent to: `;
  try {
    return await terminal.question(question, { signal: AbortSignal.timeout(terminalTimeoutMs) });
  } catch {
    writeFileSync(nobodyThere, "");
    return endAsNotRun("--oauth-login-command is not given, and nobody has approved at the terminal");
  } finally {
    terminal.close();
    input.destroy();
    output.destroy();
  }
}
