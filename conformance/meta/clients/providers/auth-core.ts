import { Auth, skipCSRFCheck } from "@auth/core";
import { namjai } from "../generated/providers/auth-core.mjs";
import { origin, serveWeb, whoIs } from "./app.ts";

const config = {
  providers: [namjai],
  secret: "a secret of the application, of 32 bytes",
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
  if (pathname === "/login") return Auth(new Request(`${origin}/auth/signin/namjai`, { method: "POST", headers: request.headers }), config);
  const session = await (await Auth(new Request(`${origin}/auth/session`, { headers: request.headers }), config)).json();
  return new Response(await whoIs({ id: session?.id, name: session?.user.name }, session?.access));
});
