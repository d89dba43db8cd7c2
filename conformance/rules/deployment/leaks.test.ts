import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { create, me } from "../../suite/client/api.ts";
import { authorizationPath, decide, logIn } from "../../suite/client/oauth/authorization.ts";
import { clientOf, exchange, newCode, post, refresh, revoke, tokensOf } from "../../suite/client/oauth/oauth-client.ts";
import { newVisitor, visit } from "../../suite/client/page-visitor.ts";
import { rowsOfTables } from "../../suite/servers/database.ts";
import { needsOwnProcess, startProcess } from "../../suite/servers/start-server.ts";
import { donation } from "../../suite/values/donations.ts";
import { remember, remembered } from "../../suite/values/redact.ts";
import { allTargets, oauth, operatorOf, othersFinished, target } from "../../suite/values/target.ts";

// Searches logs, answers and tables for secrets that must not be there.

/** Searches texts and bytes for a fixed set of secrets. `parts`: texts, Buffers and objects of them. */
type SecretScanner = { findIn: (parts: readonly unknown[]) => string[] };

/** By its first characters: a text that reveals a secret, and the secret. */
type Needles = ReadonlyMap<string, [needle: string, secret: string][]>;

const windowLength = 16;
const hashedLength = 6;
const hashes = 2 ** 20;
const factor = 0x01000193;
const factorOfFirst = Array.from({ length: hashedLength - 1 }).reduce<number>((power) => Math.imul(power, factor), 1);

/** A secret is found as text, in bytes and as hexadecimal digits. */
function secretScanner(secrets: readonly string[]): SecretScanner {
  const found = new Map<string, [needle: string, secret: string][]>();
  const likely = new Uint8Array(hashes);
  for (const [needle, secret] of secrets.flatMap(needles)) {
    const beginning = needle.slice(0, windowLength);
    found.set(beginning, [...(found.get(beginning) ?? []), [needle, secret]]);
    likely[placeOf(hashOf(needle))] = 1;
  }
  return { findIn: (parts) => findSecrets(runsOf(parts), found, likely) };
}

const runsOf = (parts: readonly unknown[]): ReadonlySet<string> =>
  new Set(parts.flatMap(texts).flatMap((text) => text.match(/[^\s"'\\,;:=&?/<>(){}[\]]{16,}/g) ?? []));

/**
 * Every run of characters is searched for the beginnings of all secrets at once, then for the secret itself. `likely` leaves out the
 * places whose first characters begin no secret: a run of the suite has megabytes of text and tens of thousands of secrets.
 */
function findSecrets(runs: ReadonlySet<string>, found: Needles, likely: Uint8Array): string[] {
  const hits = new Set<string>();
  for (const run of runs) {
    let hash = hashOf(run);
    for (let at = 0; at + windowLength <= run.length; at += 1) {
      if (likely[placeOf(hash)] !== 0)
        for (const [needle, secret] of found.get(run.slice(at, at + windowLength)) ?? []) if (run.startsWith(needle, at)) hits.add(secret);
      hash = moved(hash, run.charCodeAt(at), run.charCodeAt(at + hashedLength));
    }
  }
  return [...hits];
}

/** A hash of the first characters, from which that of the following place is computed by `moved`. */
function hashOf(text: string): number {
  let hash = 0;
  for (let index = 0; index < hashedLength; index += 1) hash = (Math.imul(hash, factor) + text.charCodeAt(index)) | 0;
  return hash;
}

/** The hash without the first character of its place, and with the one behind it. */
const moved = (hash: number, first: number, next: number): number => (Math.imul(hash - Math.imul(first, factorOfFirst), factor) + next) | 0;

/** A number below `hashes`. */
const placeOf = (hash: number): number => ((hash ^ (hash >>> 12)) >>> 0) % hashes;

/** The texts that reveal a secret: itself, the signature of a JWT, or what follows the public prefix of a key or token. */
function needles(secret: string): [needle: string, secret: string][] {
  const [, tail = secret] = /^eyJ[^.]*\.[^.]*\.(.+)$/.exec(secret) ?? /^[a-z0-9]+_[a-z]1_(?:.{8}(?=.{38}$))?(.+)$/.exec(secret) ?? [];
  const parts = tail.split(/[\s"'\\,;:=&?/<>(){}[\]]+/).filter((part) => part.length >= windowLength);
  return parts.flatMap((part) => [part, Buffer.from(part).toString("hex")].map((needle): [string, string] => [needle, secret]));
}

function texts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Buffer.isBuffer(value)) return [value.toString("latin1")];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(texts);
}

// Runs last: no secret of any earlier rule may be in a log or, in clear, in a table.

/** Maximum time in ms that the slowest of the other rule files may still take. */
const timeoutMs = 600_000;

beforeAll(async () => {
  const { oauth } = target();
  if (oauth && allTargets().length > 1) while (!existsSync(join(oauth.logs, othersFinished))) await sleep(100);
}, timeoutMs);
beforeEach(needsOwnProcess);

const expectNothing = (texts: readonly string[]): void => expect(secretScanner(remembered()).findIn(texts), "found in clear").toEqual([]);

test("the secret scanner finds a secret in every encoding", () => {
  const secret = "Zx0vT9b2kQ7nR4mW1yP6cJ3hL8sD5fGa";
  const ways = [
    secret,
    `?code=${secret}&`,
    `{"a":"Bearer ${secret}"}`,
    Buffer.from(secret),
    Buffer.from(secret).toString("hex"),
    { deep: [{ in: secret }] },
  ];
  for (const way of ways) expect(secretScanner([secret]).findIn(["x", way, "y"])).toEqual([secret]);
  expect(secretScanner([secret]).findIn([secret.slice(0, 20)])).toEqual([]);
});

test("the run has secrets to look for", () => expect(remembered().length).toBeGreaterThan(10));

test("a server that logs at every level writes no secret into its log", async (context) => {
  const server = await startProcess(operatorOf(context), "talkative");
  await useEverything(server.url).finally(() => server.stop());
  const log = readFileSync(join(oauth().logs, "talkative.log"), "utf8");
  expect(log).toContain("/oauth/token");
  expectNothing([log]);
});

test("no server of this run wrote a secret into its log", () => {
  const logs = readdirSync(oauth().logs).filter((name) => name.endsWith(".log"));
  expect(logs).toContain("server.log");
  expectNothing(logs.map((name) => readFileSync(join(oauth().logs, name), "utf8")));
});

test("no table holds a secret", async (context) => {
  operatorOf(context);
  const scanner = secretScanner(remembered());
  for (const { operator } of allTargets()) {
    const tables = operator ? await rowsOfTables(operator) : new Map();
    for (const [table, rows] of tables) expect(scanner.findIn(rows), `found in clear in the table ${table}`).toEqual([]);
    expect([...tables.values()].flat().length).toBeGreaterThan(20);
  }
});

/** Sends each secret once in its proper place and once in a wrong one. */
async function useEverything(server: string): Promise<void> {
  const client = clientOf("confidential");
  const visitor = newVisitor(server);
  const consent = await logIn(visitor, await visit(visitor, authorizationPath(client)));
  const { location } = await decide(visitor, consent, "approve");
  const code = { code: String(location?.searchParams.get("code")) };
  remember(code.code);
  for (const as of ["json", "form"] as const)
    for (const by of ["basic", "body"] as const) {
      const exchanged = await newCode(client);
      const first = tokensOf(await exchange(client, exchanged, { as, by, server }));
      const second = tokensOf(await refresh(client, first.refresh_token, {}, { as, by, server }));
      await refresh(clientOf("second"), second.refresh_token, {}, { as, by, server });
      await me({ key: second.access_token, server });
      await create(donation({ message: "x".repeat(300) }), { key: second.access_token, server });
      await revoke(client, second.access_token, {}, { as, by, server });
      await revoke(client, second.refresh_token, {}, { as, by, server });
      await me({ key: second.access_token, server });
      await exchange(client, exchanged, { as, by, server });
    }
  tokensOf(await exchange(client, code, { server }));
  await astray(server);
}

/** Sends secrets in places where a careless client puts them. */
async function astray(server: string): Promise<void> {
  const client = clientOf("confidential");
  const secret = String(client.secret);
  await post("/oauth/token", { grant_type: secret, client_id: secret, client_secret: [secret] }, { server });
  await post(`/oauth/token?client_secret=${secret}` as "/oauth/token", { client_id: client.id }, { server });
  await visit(newVisitor(server), `/oauth/authorize?client_id=${client.id}&client_secret=${secret}&redirect_uri=${secret}`);
  await visit(newVisitor(server), `/oauth/connections?access_token=${target().keys.main}`);
  await me({ key: `${target().keys.main}x`, server, headers: { Cookie: `session=${secret}` } });
  await me({ key: null, server, headers: { Authorization: `Basic ${secret}`, "X-Api-Key": target().keys.main } });
}
