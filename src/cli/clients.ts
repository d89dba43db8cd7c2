// Commands for OAuth clients and signing keys.

import { loadDenials } from "../auth/revocations.ts";
import { rotateSigningKeys } from "../auth/signing-keys.ts";
import { clientStore } from "../oauth/clients/clients.ts";
import { type Command, checkScopes } from "./command.ts";

export const clientCommands: Command[] = [
  {
    usage: 'clients create --name NAME --redirect-uri URI [--redirect-uri URI …] [--public] --scopes "write:donations read:donations"',
    options: { name: "once", "redirect-uri": "many", public: "switch", scopes: "once" },
    run: async ({ knex }, { require, all, has }) => {
      const redirectUris = all("redirect-uri");
      if (redirectUris.length === 0) throw new Error("--redirect-uri is missing");
      const scopes = checkScopes(require("scopes"));
      const { clientId, clientSecret } = await clientStore(knex).create({
        name: require("name"),
        redirectUris,
        public: has("public"),
        scopes,
      });
      return { client_id: clientId, client_secret: clientSecret };
    },
  },
  {
    usage: "clients list",
    run: ({ knex }) => clientStore(knex).list(),
  },
  {
    usage: "clients rotate CLIENT_ID    (adds a second secret; the previous one stays valid until the next rotation)",
    positionals: ["CLIENT_ID"],
    run: async ({ knex }, { positional }) => {
      const clientId = positional("CLIENT_ID");
      return { client_id: clientId, client_secret: await clientStore(knex).rotate(clientId) };
    },
  },
  {
    usage: "clients remove CLIENT_ID    (removes its grants and tokens, too)",
    positionals: ["CLIENT_ID"],
    run: async ({ knex }, { positional }) => {
      const clientId = positional("CLIENT_ID");
      if (!(await clientStore(knex).remove(clientId, await loadDenials(knex))))
        throw new Error(`there is no client "${clientId}"; see clients list`);
      return { removed: clientId };
    },
  },
  {
    usage: "signing-keys rotate",
    run: async ({ knex, sealer }) => ({ kid: await rotateSigningKeys(knex, sealer) }),
  },
];
