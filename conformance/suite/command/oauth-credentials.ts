// OAuth clients and streamers' logins of a server of someone else, from a file.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { approve, authorizationPath } from "../client/oauth/authorization.ts";
import { scopes } from "../contract/contract.ts";
import type { Serving } from "../servers/serve.ts";
import type { Client, ClientHolder, Handle, Login, OAuth, Target } from "../values/target.ts";
import { NotMeasurable, UsageError } from "./usage-error.ts";

export type OAuthCredentials = Pick<OAuth, "clients" | "logins">;

const everywhere = "https://client.example/callback";
const redirectUris = [everywhere, "http://127.0.0.1/callback"];

/** What each client must be registered with. */
const registrations: Record<ClientHolder, { isPublic: boolean } & Pick<Client, "redirectUris" | "scopes">> = {
  confidential: { isPublic: false, redirectUris, scopes },
  second: { isPublic: false, redirectUris, scopes },
  public: { isPublic: true, redirectUris, scopes },
  readOnly: { isPublic: false, redirectUris: [everywhere], scopes: ["read:donations"] },
};
const holders = Object.keys(registrations) as ClientHolder[];
const handles: Handle[] = ["main", "other"];

/** Reads `--oauth-credentials`. Throws UsageError that names the member that is wrong. */
export function readOAuthCredentials(file: string): OAuthCredentials {
  const where = `--oauth-credentials: ${file}`;
  const { clients, streamers = {} } = membersOf(parse(file, where), ["clients", "streamers"], where);
  const givenClients = membersOf(clients, holders, `${where}, clients`);
  const givenStreamers = membersOf(streamers, handles, `${where}, streamers`);
  if (givenClients.confidential === undefined) throw new UsageError(`${where}: clients.confidential is missing`);
  return {
    clients: mapMembers(givenClients, (holder: ClientHolder, value) => clientOf(holder, value, `${where}, clients.${holder}`)),
    logins: mapMembers(givenStreamers, (handle: Handle, value) => loginOf(value, `${where}, streamers.${handle}`)),
  };
}

/** Adds the credentials to a server that is not ours, with a folder for the secrets that the run sees. */
export function withOAuth(
  { served: [server], stop }: Serving,
  given: OAuthCredentials,
  how: Pick<OAuth, "loginCommand" | "terminal">,
): Serving {
  const logs = mkdtempSync(join(tmpdir(), "namjai-conformance-oauth-"));
  const secrets = join(logs, "secrets.txt");
  writeFileSync(secrets, "");
  const oauth = { ...given, ...how, secrets, logs };
  return {
    served: [{ ...server, client: given.clients.confidential ?? null, oauth }],
    stop: () => stop().finally(() => rmSync(logs, { recursive: true, force: true })),
  };
}

/** Tries one approval, where nobody has to be asked. Throws NotMeasurable where it fails: every rule with a token would. */
export async function calibrateApproval({ oauth, protection }: Target): Promise<string[]> {
  if (!oauth?.clients.confidential || protection?.readOnly) return [];
  const asksNobody = oauth.loginCommand !== null || oauth.logins.main !== undefined;
  if (!asksNobody) return [oauth.terminal ? "clients are approved at the terminal" : "nobody can approve a client: --oauth-login-command"];
  const location = await approve(authorizationPath(oauth.clients.confidential)).catch((error: unknown) => {
    throw new NotMeasurable(`clients.confidential cannot be approved: ${error instanceof Error ? error.message : error}`);
  });
  if (!location.searchParams.has("code"))
    throw new NotMeasurable(
      `clients.confidential was approved without a code: ${location.origin}${location.pathname} ${location.searchParams.get("error") ?? ""}`,
    );
  return ["an OAuth client is approved; approvals of this run stay on the server"];
}

function parse(file: string, where: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw new UsageError(isMissing ? `${where} does not exist` : `${where} cannot be read as JSON`); // the parser's message quotes the file
  }
}

/** The members of an object that has no others. */
function membersOf<Name extends string>(value: unknown, names: readonly Name[], where: string): Partial<Record<Name, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new UsageError(`${where} must be an object`);
  const unknown = Object.keys(value).find((name) => !names.some((one) => one === name));
  if (unknown !== undefined) throw new UsageError(`${where}: ${unknown} is unknown; known are ${names.join(", ")}`);
  return value as Partial<Record<Name, unknown>>;
}

const mapMembers = <Name extends string, T>(given: Partial<Record<Name, unknown>>, read: (name: Name, value: unknown) => T) =>
  Object.fromEntries((Object.entries(given) as [Name, unknown][]).map(([name, value]) => [name, read(name, value)])) as Partial<
    Record<Name, T>
  >;

function clientOf(holder: ClientHolder, value: unknown, where: string): Client {
  const { isPublic, ...registered } = registrations[holder];
  const members = membersOf(value, isPublic ? ["id", "name"] : ["id", "name", "secret"], where);
  const secret = isPublic ? null : textOf(members, "secret", where);
  return { id: textOf(members, "id", where), name: textOf(members, "name", where), secret, ...registered };
}

function loginOf(value: unknown, where: string): Login {
  const members = membersOf(value, ["handle", "password"], where);
  return { handle: textOf(members, "handle", where), password: textOf(members, "password", where) };
}

function textOf(members: Record<string, unknown>, name: string, where: string): string {
  const value = members[name];
  if (typeof value !== "string" || value === "") throw new UsageError(`${where}: ${name} must be a text that is not empty`);
  return value;
}
