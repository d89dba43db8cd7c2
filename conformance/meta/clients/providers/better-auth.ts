import { betterAuth } from "better-auth";
import { namjai } from "../generated/providers/better-auth.mjs";
import { origin, serveWeb, whoIs } from "./app.ts";

const auth = betterAuth({
  baseURL: origin,
  secret: "a secret of the application, of 32 bytes",
  plugins: [namjai],
  telemetry: { enabled: false },
});

serveWeb(async (request) => {
  const { headers } = request;
  const { pathname } = new URL(request.url);
  if (pathname.startsWith("/api/auth/")) return auth.handler(request);
  if (pathname === "/login") {
    const reply = await auth.api.signInSocial({ body: { provider: "namjai", callbackURL: "/" }, headers, asResponse: true });
    const { url } = await reply.json();
    return new Response(null, {
      status: 302,
      headers: [...[...reply.headers].filter(([name]) => name === "set-cookie"), ["location", url]],
    });
  }
  const session = await auth.api.getSession({ headers });
  if (!session) return new Response("{}");
  const [account] = await auth.api.listUserAccounts({ headers });
  const { accessToken } = await auth.api.refreshToken({ body: { accountId: account.id }, headers });
  return new Response(await whoIs({ id: account.accountId, name: session.user.name }, accessToken));
});
