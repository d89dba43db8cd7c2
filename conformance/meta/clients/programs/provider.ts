// An application at an address of its own, with the login that a library makes, by its name. `/` says who is logged in, and what the token opens.

import { createServer, type RequestListener } from "node:http";

const { PORT = "", API_URL = "" } = process.env;

/** The application's address; it is registered with `${origin}${path of the library}`. */
const origin = `http://127.0.0.1:${PORT}`;
const secret = "a secret of the application, of 32 bytes";

const [, , name = ""] = process.argv;
const { namjai } = await import(`../generated/providers/${name}.mjs`);
await { "auth-core": serveAuth, "better-auth": serveBetterAuth, passport: servePassport, grant: serveGrant }[name]();

async function serveAuth(): Promise<void> {
  const { Auth, skipCSRFCheck } = await import("@auth/core");
  const config = {
    providers: [namjai],
    secret,
    trustHost: true,
    basePath: "/auth",
    skipCSRFCheck,
    callbacks: {
      jwt: ({ token, account }) => ({ ...token, ...(account && { id: account.providerAccountId, access: account.access_token }) }),
      session: ({ session, token }) => ({ ...session, id: token.id, access: token.access }),
    },
  };
  serveWeb(async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/auth/")) return Auth(request, config);
    if (pathname === "/login")
      return Auth(new Request(`${origin}/auth/signin/namjai`, { method: "POST", headers: request.headers }), config);
    const session = await (await Auth(new Request(`${origin}/auth/session`, { headers: request.headers }), config)).json();
    return new Response(await whoIs({ id: session?.id, name: session?.user.name }, session?.access));
  });
}

async function serveBetterAuth(): Promise<void> {
  const { betterAuth } = await import("better-auth");
  const auth = betterAuth({ baseURL: origin, secret, plugins: [namjai], telemetry: { enabled: false } });
  serveWeb(async (request) => {
    const { headers } = request;
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/api/auth/")) return auth.handler(request);
    if (pathname === "/login") {
      const reply = await auth.api.signInSocial({ body: { provider: "namjai", callbackURL: "/" }, headers, asResponse: true });
      const { url } = await reply.json();
      const cookies = [...reply.headers].filter(([name]) => name === "set-cookie");
      return new Response(null, { status: 302, headers: [...cookies, ["location", url]] });
    }
    const session = await auth.api.getSession({ headers });
    if (!session) return new Response("{}");
    const [account] = await auth.api.listUserAccounts({ headers });
    const { accessToken } = await auth.api.refreshToken({ body: { accountId: account.id }, headers });
    return new Response(await whoIs({ id: account.accountId, name: session.user.name }, accessToken));
  });
}

async function servePassport(): Promise<void> {
  const { default: passport } = await import("passport");
  passport.use("namjai", namjai);
  passport.serializeUser((user, done) => done(null, user));
  passport.deserializeUser((user, done) => done(null, user));
  const app = await newApp();
  app.use(passport.session());
  app.get("/login", passport.authenticate("namjai"));
  app.get("/auth/namjai/callback", passport.authenticate("namjai", { successRedirect: "/" }));
  app.get("/", async ({ user = {} }, response) => response.send(await whoIs(user, user.accessToken)));
  serve(app);
}

async function serveGrant(): Promise<void> {
  const { default: Grant } = await import("grant");
  const app = await newApp();
  app.use(Grant.express({ defaults: { origin, transport: "session", state: true }, namjai: { ...namjai, callback: "/" } }));
  app.get("/login", (_, response) => response.redirect("/connect/namjai"));
  app.get("/", async (request, response) => {
    const { access_token: accessToken, profile, ...others } = request.session.grant?.response ?? {};
    if (others.error) return response.status(502).send(JSON.stringify(others.error));
    response.send(await whoIs({ id: profile?.data.streamer.id, name: profile?.data.streamer.handle }, accessToken));
  });
  serve(app);
}

/** Express with sessions. */
async function newApp() {
  const [{ default: express }, { default: session }] = await Promise.all([import("express"), import("express-session")]);
  return express().use(session({ secret, resave: false, saveUninitialized: false }));
}

function serve(listener: RequestListener): void {
  createServer(listener).listen(Number(PORT), "127.0.0.1");
}

/** Serves what takes and makes the requests and answers of the web. */
function serveWeb(handle: (request: Request) => Promise<Response>): void {
  serve(async (request, response) => {
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const hasBody = request.method === "POST";
    const init = { method: request.method, headers, ...(hasBody && { body: request, duplex: "half" }) } as unknown as RequestInit;
    const reply = await handle(new Request(`${origin}${request.url}`, init));
    response.writeHead(reply.status, [...reply.headers].flat());
    response.end(Buffer.from(await reply.arrayBuffer()));
  });
}

/** What `/` answers: the account that the library knows, and the streamer's name by the API. */
async function whoIs(account: { id: unknown; name: unknown }, accessToken: unknown): Promise<string> {
  const reply = await fetch(`${API_URL}/api/v1/donations?limit=1`, { headers: { Authorization: `Bearer ${accessToken}` } });
  return JSON.stringify({ id: account.id, name: account.name, api: reply.status });
}
