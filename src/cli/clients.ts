// Commands for OAuth clients and signing keys.

import { loadDenials } from "../auth/revocations.ts";
import { rotateSigningKeys } from "../auth/signing-keys.ts";
import { clientStore } from "../oauth/clients/clients.ts";
import { type AddCommands, collect, readScopes } from "./command.ts";

export const addClientCommands: AddCommands = (program, does) => {
  const clients = program.command("clients").description("OAuth clients");
  clients
    .command("create")
    .description("prints the client's id and secret, which is not shown again")
    .requiredOption("--name <name>")
    .requiredOption("--redirect-uri <uri>", "where a login may lead back to; may be repeated", collect)
    .option("--public", "the client cannot keep a secret")
    .requiredOption("--scopes <scopes>", 'such as "write:donations read:donations"', readScopes)
    .action(
      does(async ({ knex }, { name, redirectUri, public: isPublic = false, scopes }) => {
        const made = await clientStore(knex).create({ name, redirectUris: redirectUri, public: isPublic, scopes });
        return { client_id: made.clientId, client_secret: made.clientSecret };
      }),
    );
  clients
    .command("list")
    .description("lists clients")
    .action(does(({ knex }) => clientStore(knex).list()));
  clients
    .command("rotate <client-id>")
    .description("adds a second secret; the previous one stays valid until the next rotation")
    .action(does(async ({ knex }, clientId) => ({ client_id: clientId, client_secret: await clientStore(knex).rotate(clientId) })));
  clients
    .command("remove <client-id>")
    .description("removes a client with its grants and tokens")
    .action(
      does(async ({ knex }, clientId) => {
        if (!(await clientStore(knex).remove(clientId, await loadDenials(knex))))
          throw new Error(`there is no client "${clientId}"; see clients list`);
        return { removed: clientId };
      }),
    );
  program
    .command("signing-keys")
    .description("keys that sign access tokens")
    .command("rotate")
    .description("makes a new key, and keeps the previous one until its tokens have expired")
    .action(does(async ({ knex, sealer }) => ({ kid: await rotateSigningKeys(knex, sealer) })));
};
