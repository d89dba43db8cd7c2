// A browser in which the uploader is logged in.

import type { AttackedServer } from "./attack.ts";

const cookies = new Map<string, Promise<string>>();

/** The Cookie header of a browser in which the uploader is logged in: one for each server. */
export function logIn(server: AttackedServer): Promise<string> {
  const cookie = cookies.get(server.url) ?? newLogin(server);
  cookies.set(server.url, cookie);
  return cookie;
}

async function newLogin(server: AttackedServer): Promise<string> {
  const answer = await submitLogin(server, server.uploaderLogin);
  if (answer.status !== 303) throw new Error(`the login was answered ${answer.status}`);
  return cookieOf(answer);
}

type Login = AttackedServer["uploaderLogin"];

/** How the login form answers. `known`: a Cookie header; the browser has logged out, and is known still. */
export async function statusOfLogin(server: AttackedServer, login: Login, known = ""): Promise<number> {
  const ofBrowser = known.split("; ").filter((pair) => /^\w+_browser=/.test(pair));
  const answer = await submitLogin(server, login, ofBrowser);
  await answer.arrayBuffer();
  return answer.status;
}

async function submitLogin({ url }: AttackedServer, login: Login, cookies: readonly string[] = []): Promise<Response> {
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
