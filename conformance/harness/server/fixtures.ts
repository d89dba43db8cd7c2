import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { scopes } from "../oracle/contract.ts";
import { addClient, addKey, addOverlayKey, addStreamer, setPassword } from "./operator.ts";
import type { Client, ClientHolder, OAuth, Operator, Served, Target } from "./target.ts";

/** What the suite needs in a database of its own and cannot create through the API. */
export type Fixtures = { keys: Target["keys"] } & { clients: Record<ClientHolder, Client> } & Pick<OAuth, "logins">;

/** Creates streamers, keys, clients and passwords. */
export async function createFixtures(operator: Operator): Promise<Fixtures> {
  const keys = await createKeys(operator);
  return { keys, ...(await createClients(operator)) };
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

async function createKeys(operator: Operator): Promise<Target["keys"]> {
  await Promise.all(["main", "other", "quiet"].map((handle) => addStreamer(operator, handle)));
  const both = "write:donations read:donations";
  const all = scopes.join(" ");
  const [main, secondApplication, readOnly, writeOnly, other, quiet, overlay, otherOverlay] = await Promise.all([
    addKey(operator, "main", all),
    addKey(operator, "main", both, "second"),
    addKey(operator, "main", "read:donations"),
    addKey(operator, "main", "write:donations"),
    addKey(operator, "other", all),
    addKey(operator, "quiet", both),
    addOverlayKey(operator, "main"),
    addOverlayKey(operator, "other"),
  ]);
  return { main, secondApplication, readOnly, writeOnly, other, quiet, overlay, otherOverlay };
}

async function createClients(operator: Operator): Promise<Omit<Fixtures, "keys">> {
  const [web, device] = ["https://client.example/callback", "http://127.0.0.1/callback"];
  const all = { redirectUris: [web, device], scopes: scopes.join(" ") };
  const logins = {
    main: { handle: "main", password: `ตะวัน ${randomUUID()}` },
    other: { handle: "other", password: `จันทร์ ${randomUUID()}` },
  };
  const [confidential, second, open, readOnly] = await Promise.all([
    addClient(operator, { ...all, name: 'Tip & Jar <b>"Thai"</b>' }),
    addClient(operator, { ...all, name: "Second" }),
    addClient(operator, { ...all, name: "Public", public: true }),
    addClient(operator, { name: "Read only", redirectUris: [web], scopes: "read:donations" }),
    setPassword(operator, "main", logins.main.password),
    setPassword(operator, "other", logins.other.password),
  ]);
  return { clients: { confidential, second, public: open, readOnly }, logins };
}
