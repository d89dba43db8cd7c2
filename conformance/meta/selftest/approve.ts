// A login command for --oauth-login-command, for servers with this project's login and consent pages. It reads the address of an
// authorization request, logs in as the streamer that OAUTH_STREAMER names, with the login that the file OAUTH_LOGINS has for that
// name, approves, and prints the address that the streamer is sent to. It keeps the session beside OAUTH_LOGINS for its next start:
// password checks are slow on purpose.

import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

type Login = { handle: string; password: string };

const { OAUTH_LOGINS = "", OAUTH_STREAMER = "main" } = process.env;
const sessionFile = `${OAUTH_LOGINS}.${OAUTH_STREAMER}-session`;
const cookies = new Map<string, string>(existsSync(sessionFile) ? JSON.parse(readFileSync(sessionFile, "utf8")) : []);

/** The first address outside of the server, or the page at the end of the redirects. */
async function open(address: URL, form?: Record<string, string>): Promise<URL | { address: URL; text: string }> {
  const headers: Record<string, string> = { Cookie: [...cookies].map((pair) => pair.join("=")).join("; "), Origin: address.origin };
  const reply = await fetch(address, { redirect: "manual", headers, ...(form && { method: "POST", body: new URLSearchParams(form) }) });
  for (const line of reply.headers.getSetCookie()) {
    const [, name = "", value = ""] = /^([^=;]*)=([^;]*)/.exec(line) ?? [];
    cookies.set(name, value);
  }
  const location = reply.headers.get("location");
  if (location === null) return { address, text: await reply.text() };
  const next = new URL(location, address);
  return next.origin === address.origin ? open(next) : next;
}

/** Submits the page's form to this path, if it has one, with these values. */
async function submit(opened: Awaited<ReturnType<typeof open>>, path: string, values: object): ReturnType<typeof open> {
  if (opened instanceof URL) return opened;
  const { address, text } = opened;
  const form = [...text.matchAll(/<form\b.*?<\/form>/gs)].map(([one]) => one).find((one) => one.includes(`action="${path}"`));
  if (!form) return opened;
  const inputs = [...form.matchAll(/<input\b[^>]*>/g)].map(([input]) => [attribute(input, "name"), attribute(input, "value")]);
  return open(new URL(path, address), { ...Object.fromEntries(inputs), ...values });
}

const attribute = (tag: string, name: string): string =>
  (new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? "").replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&");

const login = JSON.parse(readFileSync(OAUTH_LOGINS, "utf8"))[OAUTH_STREAMER] as Login;
const loginPage = await open(new URL(readFileSync(0, "utf8").trim()));
const consentPage = await submit(loginPage, "/oauth/login", login);
const end = await submit(consentPage, "/oauth/consent", { decision: "approve" });
if (!(end instanceof URL)) throw new Error(`the streamer ${OAUTH_STREAMER} was not sent back to the client`);
const written = `${sessionFile}.${process.pid}`;
writeFileSync(written, JSON.stringify([...cookies]), { mode: 0o600 });
renameSync(written, sessionFile); // another approval may read it meanwhile
console.log(end.href);
