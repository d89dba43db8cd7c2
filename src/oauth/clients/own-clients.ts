// The OAuth clients that streamers register themselves: what they may change, and the rules for what they enter.

import type { Knex } from "knex";
import { recordAudit } from "../../audit/audit-log.ts";
import type { Denials } from "../../auth/revocations.ts";
import { type Fault, Problem } from "../../http/problem.ts";
import { clientStore, type NewClient, type NewCredentials, type OAuthClient } from "./clients.ts";
import { brokenRule } from "./redirect-uris.ts";

/** A client as its owner sees it. `secretSince`: when its newest secret was made; null for a public client. */
export type OwnClient = Omit<OAuthClient, "applicationId"> & Readonly<{ createdAt: Date; secretSince: Date | null }>;

type ClientChange = Pick<NewClient, "name" | "redirectUris">;

export type OwnClients = Readonly<{
  /** Oldest first, without removed ones. */
  list: (ownerId: string) => Promise<OwnClient[]>;
  /** Null when the streamer has no such client. */
  find: (ownerId: string, clientId: string) => Promise<OwnClient | null>;
  /** The secret is returned only here. Throws validation_failed, and TooManyKeys. */
  register: (ownerId: string, client: NewClient) => Promise<NewCredentials>;
  /** False when the streamer has no such client. Throws validation_failed. */
  change: (ownerId: string, clientId: string, change: ClientChange) => Promise<boolean>;
  /**
   * The new secret; the one before works until the next rotation. `replaces`: when the newest secret was made that the streamer knows; the
   * secret is null when there is a newer one. Null when the streamer has no such confidential client.
   */
  rotate: (ownerId: string, clientId: string, replaces: Date) => Promise<{ clientSecret: string | null } | null>;
  /** Removes the client and revokes all its tokens. False when the streamer has no such client. */
  remove: (ownerId: string, clientId: string) => Promise<boolean>;
}>;

const maxRedirectUris = 10;

export function ownClients({ knex, brand, denials }: { knex: Knex; brand: string; denials: Denials }): OwnClients {
  const store = clientStore(knex);
  const find = async (ownerId: string, clientId: string) => (await selectOwn(knex, ownerId).where("c.id", clientId).first()) ?? null;
  return {
    list: (ownerId) => selectOwn(knex, ownerId).orderBy(["c.created_at", "c.id"]),
    find,
    register: async (ownerId, client) => {
      const faults = await findFaults(knex, brand, client);
      if (client.scopes.length === 0) faults.push({ pointer: "/scopes", code: "required", message: "must be at least one" });
      requireNone(faults);
      return store.create(client, ownerId);
    },
    change: async (ownerId, clientId, change) => {
      const client = await find(ownerId, clientId);
      if (!client) return false;
      requireNone(await findFaults(knex, brand, { ...change, public: client.public }));
      return knex.transaction((trx) => changeClient(trx, { ownerId, clientId }, change));
    },
    rotate: async (ownerId, clientId, replaces) => {
      const client = await find(ownerId, clientId);
      return client && !client.public ? { clientSecret: await store.rotateNewest(clientId, replaces) } : null;
    },
    remove: async (ownerId, clientId) => ((await find(ownerId, clientId)) ? store.remove(clientId, denials) : false),
  };
}

function selectOwn(knex: Knex, ownerId: string) {
  return knex("oauth_clients as c")
    .join("applications as a", "a.id", "c.application_id")
    .where("c.owner_id", ownerId)
    .whereNull("c.removed_at")
    .select({
      id: "c.id",
      name: "a.name",
      public: "c.public",
      redirectUris: "c.redirect_uris",
      scopes: "c.scopes",
      createdAt: "c.created_at",
      secretSince: knex("oauth_client_secrets")
        .where({ client_id: knex.ref("c.id") })
        .max("created_at"),
    });
}

/** False when the client was removed in the meantime. */
async function changeClient(
  trx: Knex,
  { ownerId, clientId }: { ownerId: string; clientId: string },
  { name, redirectUris }: ClientChange,
): Promise<boolean> {
  const [changed] = await trx("oauth_clients")
    .where({ id: clientId })
    .whereNull("removed_at")
    .update({ redirect_uris: [...new Set(redirectUris)] }, ["application_id"]);
  if (!changed) return false;
  await trx("applications").where({ id: changed.application_id }).update({ name });
  await recordAudit(trx, { streamerId: ownerId, action: "client.changed", target: clientId, details: { redirectUris } });
  return true;
}

type Entered = ClientChange & Pick<NewClient, "public">;

async function findFaults(knex: Knex, brand: string, { name, redirectUris, public: isPublic }: Entered): Promise<Fault[]> {
  const nameFault = findNameFault(name, { brand, taken: await operatorsNames(knex) });
  const uris = redirectUris.map((uri, index) => uriFault(uri, index, isPublic)).filter((fault) => fault !== null);
  return [...(nameFault ? [{ pointer: "/name", ...nameFault }] : []), ...countFaults(redirectUris), ...uris];
}

/** Names of the clients that the operator registered and so has checked. */
function operatorsNames(knex: Knex): Promise<string[]> {
  return knex("oauth_clients as c")
    .join("applications as a", "a.id", "c.application_id")
    .whereNull("c.owner_id")
    .whereNull("c.removed_at")
    .whereNot("c.id", "like", "https:%")
    .pluck("a.name");
}

function countFaults({ length }: readonly string[]): Fault[] {
  if (length === 0) return [{ pointer: "/redirectUris", code: "required", message: "must be at least one (RFC 6749 3.1.2.2)" }];
  if (length <= maxRedirectUris) return [];
  return [{ pointer: "/redirectUris", code: "too_many_items", message: `must be at most ${maxRedirectUris}` }];
}

function uriFault(uri: string, index: number, isPublic: boolean): Fault | null {
  const message = uri.includes("*")
    ? "must not have a *: addresses are compared exactly (RFC 9700 2.1)"
    : brokenRule(uri, { public: isPublic });
  return message === null ? null : { pointer: `/redirectUris/${index}`, code: "invalid_format", message };
}

function requireNone(errors: Fault[]): void {
  if (errors.length > 0) throw new Problem("validation_failed", "The application breaks a rule.", { errors });
}

// Rules for names: other streamers read them when they are asked for access, so that a name must not
// pass for the platform or for an application of its operator.

/** A limit of the studio only; the contract has none. */
const maxClientName = 60;

/** The rule that a name breaks; null when it breaks none. `taken`: names that nobody else may use. */
export function findNameFault(name: string, { brand, taken }: { brand: string; taken: readonly string[] }): Omit<Fault, "pointer"> | null {
  if (name === "") return { code: "required", message: "is required" };
  if ([...name].length > maxClientName) return { code: "too_long", message: `must have at most ${maxClientName} characters` };
  if (invisible.test(name)) return unusable("must not have control characters, invisible characters or line breaks");
  if (stacked.test(name)) return unusable("must not have more than three marks on one letter");
  if (!/[\p{L}\p{N}]/u.test(name)) return unusable("must have a letter or a digit");
  const looks = [skeletonOf(name), skeletonOf(readSymbols(name))];
  if (looks.some((one) => one.includes(skeletonOf(brand)))) return unusable("must not look like a name of this platform");
  if (taken.some((other) => looks.includes(skeletonOf(other)))) return unusable("is the name of another application");
  if (hostFirst.test(name)) return unusable("must not begin with an address and a dot: the names of applications that were found at it do");
  return isMixed(name) || unusual.test(name.normalize("NFKD")) ? unusable("must not have letters that pass for Latin ones") : null;
}

// Also controls of text direction, and letters that show nothing (UAX 44, Default_Ignorable_Code_Point); of spaces the plain one alone.
const invisible = /[\p{C}\p{DI}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;
const stacked = /\p{M}{4}/u;

/** As client-directory.ts names a client: `app.example · Name`. */
const hostFirst = /^\S+\.\S+\s*[·•∙⋅・‧]/u;

/** Scripts whose letters pass for those of another one. */
const alike = [/\p{sc=Latin}/u, /\p{sc=Greek}/u, /\p{sc=Cyrillic}/u, /\p{sc=Armenian}/u, /\p{sc=Georgian}/u];

/** Phonetic and small capital letters of the Latin script, and scripts of letters like Latin ones that are hardly in use (UAX 31, table 7). */
const unusual =
  /[\u0180-\u02AF\u1D00-\u1DBF\u2C60-\u2C7F\uA720-\uA7FF\uAB30-\uAB6F\p{sc=Cherokee}\p{sc=Lisu}\p{sc=Coptic}\p{sc=Canadian_Aboriginal}\p{sc=Tifinagh}\p{sc=Vai}\p{sc=Deseret}\p{sc=Osage}\p{sc=Gothic}\p{sc=Old_Italic}\p{sc=Lycian}\p{sc=Carian}\p{sc=Lydian}\p{sc=Elbasan}\p{sc=Warang_Citi}\p{sc=Runic}]/u;

function isMixed(name: string): boolean {
  return alike.filter((script) => script.test(name)).length > 1;
}

/** What is left of a name for somebody who reads it in passing: no accents, blanks and punctuation, one letter for those that look alike. */
function skeletonOf(name: string): string {
  const letters = [...name.replace(/[™℠]/gu, "").normalize("NFKD").replace(/\p{M}/gu, "")]
    .map((letter) => capitals.get(letter) ?? enclosed(letter) ?? letter)
    .join("")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
  const latin = [...letters].map((letter) => lookAlikes.get(letter) ?? letter).join("");
  return latin.replaceAll("rn", "m").replaceAll("vv", "w");
}

/** The name as somebody reads it who takes symbols for letters: `n@m|ng`. */
function readSymbols(name: string): string {
  return [...name].map((letter) => symbols.get(letter) ?? letter).join("");
}

/** Letters in white on black circles and squares, and those of flags, which NFKD leaves as they are; null: none of these. */
function enclosed(letter: string): string | null {
  const code = letter.codePointAt(0) ?? 0;
  const first = [0x1f150, 0x1f170, 0x1f1e6].find((start) => code >= start && code < start + 26);
  return first === undefined ? null : String.fromCharCode(0x61 + code - first);
}

const symbols = byEach({ a: "@", e: "€", i: "!|¡¦", l: "£", s: "$§" });

/** Capitals that look like another letter than their small ones. */
const capitals = byEach({
  a: "ΑА",
  b: "ΒВ",
  e: "ΕЕ",
  h: "ΗН",
  i: "ΙІ",
  j: "ͿЈ",
  k: "ΚК",
  m: "ΜМ",
  n: "Ν",
  o: "ΟО",
  p: "ΡР",
  t: "ΤТ",
  x: "ΧХ",
  y: "ΥУ",
  z: "Ζ",
});

/** Letters of other scripts, and digits, that look like a Latin letter (the common ones of UTS 39). */
const lookAlikes = byEach({
  a: "аαɑ4",
  b: "ьвβ8",
  c: "сϲ",
  d: "ԁđ",
  e: "еєε3",
  g: "ɡ9",
  h: "һħ",
  i: "іιıl1ӏłاו丨ᅵ",
  j: "јϳ",
  k: "кκ",
  m: "м",
  n: "пոռηиŋ",
  o: "оοօø0๐",
  p: "рρ",
  q: "ԛ",
  s: "ѕ5",
  t: "тτŧ7",
  u: "υսμ",
  v: "νѵ",
  w: "ԝωш",
  x: "хχ",
  y: "уγ",
});

/** Each of the characters, and the letter that it is read as. */
function byEach(letters: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(letters).flatMap(([latin, others]) => [...others].map((other) => [other, latin] as const)));
}

function unusable(message: string): Omit<Fault, "pointer"> {
  return { code: "invalid_format", message };
}
