// The shape of an attack, and the server that it is run against: its streamers and keys, and how one logs in.

import { randomBytes } from "node:crypto";
import pg from "pg";
import { prepareWords, seed } from "../meta/bench/seed.ts";
import { addKey, addOverlayKey, addStreamer, setPassword } from "../suite/client/operator.ts";
import { databaseUrl } from "../suite/servers/database.ts";
import type { Process } from "../suite/servers/start-server.ts";
import type { Operator } from "../suite/values/target.ts";

/** A server on loopback with rate limits on, started for the attacks, and API keys for it. */
export type AttackedServer = {
  url: string;
  port: number;
  /** Of its process. */
  pid: number;
  keys: Readonly<{
    /** The attacker's key: it may only read. */
    attacker: string;
    /** Key of another streamer with all scopes. This client must be served during every attack. */
    regularClient: string;
    /** Key with all scopes of a streamer whose export is larger than the operating system's socket buffers. */
    largeHistory: string;
    /** Key of another streamer with all scopes, whose rate limits an attack may use up. */
    uploader: string;
    /** Key of the same streamer's overlay. */
    uploaderOverlay: string;
  }>;
  /** Of the same streamer: the fields of the login page. */
  uploaderLogin: Readonly<{ handle: string; password: string }>;
};

/** Size of an attack: `small` in the conformance suite, `full` in `make attack`. */
export type Scale = "small" | "full";

export type Attack = Readonly<{
  /** A full sentence: the test's title. */
  rule: string;
  /** Why the attack does not run at scale small. Left out: it runs at both scales. */
  fullScaleOnly?: string;
  /** Resolves to a description of what happened, for the terminal. Throws when the rule is broken. */
  run: (server: AttackedServer, scale: Scale) => Promise<string>;
}>;

/** Returns why the attack does not run at this scale; null: it runs. */
export const notRunReason = ({ fullScaleOnly }: Attack, scale: Scale): string | null =>
  scale === "small" && fullScaleOnly !== undefined ? `only with \`make attack\` at full scale: ${fullScaleOnly}` : null;

/** Returns the number for the scale. */
export const byScale = (scale: Scale, small: number, full: number): number => (scale === "small" ? small : full);

// Creates the streamers and keys for the attacks, and a history whose export is larger than the operating system's socket buffers.

const donationCount = 150_000;
const allScopes = "write:donations void:donations erase:donators read:donations write:alerts read:alerts write:webhooks";

/** Prepares a server that runs on the operator's database. */
export async function prepareAttackedServer(operator: Operator, { url, pid }: Process): Promise<AttackedServer> {
  const run = randomBytes(4).toString("hex");
  const named = (name: string): string => `${name}-${run}`;
  const [attacked, regular, large, uploader] = [named("attacked"), named("regular"), named("large"), named("uploader")];
  await Promise.all([attacked, regular, large, uploader].map((handle) => addStreamer(operator, handle)));
  const keys = {
    attacker: await addKey(operator, attacked, "read:donations"),
    regularClient: await addKey(operator, regular, allScopes),
    largeHistory: await addKey(operator, large, allScopes),
    uploader: await addKey(operator, uploader, allScopes),
    uploaderOverlay: await addOverlayKey(operator, uploader),
  };
  const uploaderLogin = { handle: uploader, password: randomBytes(16).toString("hex") };
  await setPassword(operator, uploader, uploaderLogin.password);
  const client = new pg.Client({ connectionString: await databaseUrl(operator.env) });
  await client.connect();
  try {
    await prepareWords(client);
    await seed(client, { handle: large, rows: donationCount });
  } finally {
    await client.end();
  }
  return { url, port: Number(new URL(url).port), pid, keys, uploaderLogin };
}

// A browser in which the uploader is logged in.

const cookies = new Map<string, Promise<string>>();

/** The Cookie header of a browser in which the uploader is logged in: one for each server. */
export function logIn(server: AttackedServer): Promise<string> {
  const cookie = cookies.get(server.url) ?? newLogin(server, server.uploaderLogin);
  cookies.set(server.url, cookie);
  return cookie;
}

/** Logs in with a new browser. Resolves to its Cookie header. */
export async function newLogin(server: Address, login: Login): Promise<string> {
  const answer = await submitLogin(server, login);
  if (answer.status !== 303) throw new Error(`the login of ${login.handle} was answered ${answer.status}`);
  return cookieOf(answer);
}

type Login = AttackedServer["uploaderLogin"];
type Address = Pick<AttackedServer, "url">;

/** How the login form answers. `known`: a Cookie header; the browser has logged out, and is known still. */
export async function statusOfLogin(server: AttackedServer, login: Login, known = ""): Promise<number> {
  const ofBrowser = known.split("; ").filter((pair) => /^\w+_browser=/.test(pair));
  const answer = await submitLogin(server, login, ofBrowser);
  await answer.arrayBuffer();
  return answer.status;
}

async function submitLogin({ url }: Address, login: Login, cookies: readonly string[] = []): Promise<Response> {
  const page = await fetch(`${url}/oauth/login`, { headers: { Cookie: cookies.join("; ") } });
  const body = new URLSearchParams({ formToken: formTokenOf(await page.text(), "/oauth/login"), ...login });
  const headers = { Cookie: [cookieOf(page), ...cookies].join("; "), Origin: url };
  return fetch(`${url}/oauth/login`, { method: "POST", headers, body, redirect: "manual" });
}

/** Of the page's form with this action: each form has its own. */
export function formTokenOf(page: string, action: string): string {
  const [, form = ""] = page.split(` action="${action}"`);
  return /name="formToken" value="([^"]+)"/.exec(form)?.[1] ?? "";
}

function cookieOf({ headers }: Response): string {
  return headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
}
