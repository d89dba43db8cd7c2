// Streamers, keys and clients that every run on our own server needs.

import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cliAll, clientCall, clientOf, keyCall, type NewClient, overlayKeyCall, overlayKeyOf } from "../client/operator.ts";
import { scopes } from "../contract/contract.ts";
import type { Client, ClientHolder, OAuth, Operator, Served, Target } from "../values/target.ts";

/** What the suite needs in a database of its own and cannot create through the API. */
export type Fixtures = { keys: Target["keys"] } & { clients: Record<ClientHolder, Client> } & Pick<OAuth, "logins">;

/** Creates streamers, keys, clients and passwords in one process. */
export async function createFixtures(operator: Operator): Promise<Fixtures> {
  const creating = [...handles.map((handle) => ["streamers", "create", handle]), ...keyCalls, ...clients.map(clientCall)];
  const logins = {
    main: { handle: "main", password: `ตะวัน ${randomUUID()}` },
    other: { handle: "other", password: `จันทร์ ${randomUUID()}` },
  };
  const passwords = Object.values(logins);
  const outputs = await cliAll(
    operator,
    [...creating, ...passwords.map(({ handle }) => ["streamers", "set-password", handle])],
    [...creating.map(() => ""), ...passwords.map(({ password }) => password)],
  );
  const [firstKey, firstClient] = [handles.length, handles.length + keyCalls.length];
  return { keys: keysOf(outputs.slice(firstKey, firstClient)), clients: clientsOf(outputs.slice(firstClient, creating.length)), logins };
}

/** Describes a server of ours on a database with fixtures; `logs`: folder for logs and the file of secrets. */
export async function withFixtures(
  equipment: Fixtures,
  { url, operator, logs }: { url: string; operator: Operator; logs: string },
): Promise<Served> {
  const { keys, clients, logins } = equipment;
  const secrets = join(logs, "secrets.txt");
  await writeFile(secrets, "");
  return {
    url,
    keys,
    client: clients.confidential,
    operator,
    oauth: { clients, logins, loginCommand: null, terminal: false, secrets, logs },
  };
}

const handles = ["main", "other", "quiet"];
const both = "write:donations read:donations";
const all = scopes.join(" ");

/** In the order of `keysOf`. */
const keyCalls = [
  keyCall("main", all),
  keyCall("main", both, "second"),
  keyCall("main", "read:donations"),
  keyCall("main", "write:donations"),
  keyCall("other", all),
  keyCall("quiet", both),
  overlayKeyCall("main"),
  overlayKeyCall("other"),
];

function keysOf([main = "", second = "", readOnly = "", writeOnly = "", other = "", quiet = "", ...overlays]: string[]): Target["keys"] {
  const [overlay = "", otherOverlay = ""] = overlays.map(overlayKeyOf);
  return { main, secondApplication: second, readOnly, writeOnly, other, quiet, overlay, otherOverlay };
}

const [web, device] = ["https://client.example/callback", "http://127.0.0.1/callback"];
const ofAll = { redirectUris: [web, device], scopes: all };

/** In the order of `clientsOf`. */
const clients: NewClient[] = [
  { ...ofAll, name: 'Tip & Jar <b>"Thai"</b>' },
  { ...ofAll, name: "Second" },
  { ...ofAll, name: "Public", public: true },
  { name: "Read only", redirectUris: [web], scopes: "read:donations" },
];

function clientsOf(outputs: string[]): Record<ClientHolder, Client> {
  const [confidential, second, open, readOnly] = clients.map((client, index) => clientOf(client, outputs[index] ?? "")) as FourClients;
  return { confidential, second, public: open, readOnly };
}

type FourClients = [Client, Client, Client, Client];
