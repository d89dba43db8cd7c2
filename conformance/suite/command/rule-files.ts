// Finds the rule files of a profile, selects those to run, and lists their rules without sending a request.

import { contract, operations } from "../contract/contract.ts";
import { familyOf, kebabCase, namesOf, offlineFamilies } from "../contract/offline-rules.ts";
import { testFilesIn } from "../contract/sources.ts";
import type { Depth } from "../values/run-settings.ts";
import { calledOperations, measuredOf, measuredTimeOf } from "./measured.ts";
import { createTarget, type Settings, type Shard } from "./settings.ts";
import { UsageError } from "./usage-error.ts";
import { openVitest } from "./vitest.ts";

/** Rule files that only a full run includes, each with the reason: they start processes of their own, and hardly use their values. */
const fullOnly: Record<string, string> = {
  "oauth/client-documents": "starts servers of its own and waits for slow documents",
  "oauth/guessing": "starts a server of its own and guesses passwords, and password checks are slow on purpose",
  "events/events-cuts": "starts servers of its own and kills them and their database",
  "overlay/overlay-two-processes": "starts servers of its own and waits for their leases",
  "overlay/speech-text": "starts a server of its own",
  "overlay/stream-roles": "starts servers of its own",
  "deployment/citus": "starts servers of its own and PostgreSQL servers with Citus, and kills some of them",
  "deployment/database-stops": "starts a server of its own and stops its database",
  "deployment/failover": "starts servers of its own, Patroni, etcd, HAProxy, PgBouncer and PostgreSQL, and kills some of them",
  "deployment/leaks": "starts a server of its own",
  "deployment/standby": "starts a server of its own, a PostgreSQL and its standby, and kills the standby",
  "deployment/two-processes": "starts servers of its own",
  "deployment/void-two-processes": "starts servers of its own",
  "deployment/workers": "starts servers of its own and kills their workers",
  "transport/attacks": "starts a server of its own and waits for its time limits",
  "transport/guides": "starts a server of its own and runs the samples of every guide in order",
  "transport/limit-of-each-operation": "starts a server of its own",
  "transport/overload": "starts a server of its own and locks its database",
  "transport/rate-limits": "starts servers of its own and waits as long as they say",
  "transport/shared-limits": "starts servers of its own",
  "transport/streamer-limits": "starts a server of its own and makes many keys",
};

/** The families of these rule files, for `.ci/run`, which gives them a step of its own. */
export const fullOnlyFamilies: readonly string[] = Object.keys(fullOnly);

/** Rule files that a quick run skips, too. */
const notQuick: Record<string, string> = {
  "oauth/access-token-forged": "waits for a token to expire",
  "oauth/client-authentication": "waits until other processes are notified",
  "oauth/consent": "logs in many times, and password checks are slow on purpose",
  "oauth/login": "logs in many times, and password checks are slow on purpose",
  "oauth/known-browsers": "starts servers of its own and guesses passwords",
  "oauth/revoke-token": "sends many requests in parallel",
  "donations/donations-any-order": "needs many steps to reach every edge case",
  "reports/get-channel-breakdown": "runs the operator's command line many times",
  "reports/histories": "records long histories and runs the operator's command line",
  "events/webhook-retries": "waits for repeated deliveries",
  "events/event-socket": "waits for time limits and signs of life",
  "events/event-types": "waits until alerts are given up",
  "events/events-any-order": "needs many steps to reach every edge case",
  "deployment/revocation": "waits for keys to expire",
};

/** The rule files that a depth skips, each with the reason. */
const skippedBy: Record<Depth, Record<string, string>> = { quick: { ...fullOnly, ...notQuick }, standard: fullOnly, full: {} };

export type Selection = {
  /** Paths relative to `conformance/`. */
  files: string[];
  leftOut: { family: string; reason: string }[];
  /** Titles of the rules to run; undefined: all. */
  titles: RegExp | undefined;
};

/** The folders of profile `contract`. */
const folders = ["interface", "derived", "rules"];

/** The families of all rule files, sorted. */
export const ruleFamilies = (): string[] => folders.flatMap(testFilesIn).map(familyOf).sort();

type Filter = Pick<Settings, "profile" | "depth" | "only"> & Partial<Pick<Settings, "titles" | "shard" | "operations" | "families">>;

/** Returns the rule files of the profile without those that the depth, `--only`, `--changed-since` or `--shard` excludes. */
export function selectRules({ profile, depth, only, titles, shard, operations = null, families }: Filter): Selection {
  const all = (profile === "interface" ? ["interface"] : folders).flatMap(testFilesIn);
  const matching = only === null ? [] : all.filter((file) => namesOf(familyOf(file)).some((name) => toPattern(only).test(name)));
  const selected = (matching.length > 0 ? matching : all).filter((file) => operations === null || isConcerned(familyOf(file), operations));
  const ofOnly = only !== null && matching.length === 0 ? toPattern(only) : undefined;
  const skipped = skippedBy[depth];
  const isSkipped = (file: string): boolean => familyOf(file) in skipped;
  const files = selected.filter((file) => !isSkipped(file));
  const ofShard = shard ? filesOfShard(files, shard, familyOf) : files;
  return {
    files: families ? ofShard.filter((file) => families.has(familyOf(file))) : ofShard,
    leftOut: selected
      .filter(isSkipped)
      .map((file) => ({ family: familyOf(file), reason: `only with --depth ${depthOf(familyOf(file))}: ${skipped[familyOf(file)]}` })),
    titles: titles ?? (operations === null ? ofOnly : both(titlesOfOperations(operations), ofOnly)),
  };
}

/** The least depth that includes a rule file which a quick run skips. */
const depthOf = (family: string): Depth => (family in fullOnly ? "full" : "standard");

/** A pattern of what matches both. */
const both = (one: RegExp, other: RegExp | undefined): RegExp =>
  other ? new RegExp(`${one.source}(?=[\\s\\S]*?(?:${other.source}))`, "i") : one;

/** Parses `--only`: `/…/` is a regular expression, anything else literal text. A " > " also matches the space that vitest uses. */
export function toPattern(text: string): RegExp {
  const [, expression] = /^\/(.+)\/$/.exec(text) ?? [];
  const literal = text.replace(/[.*+?^$()|[\]{}\\]/g, "\\$&").replaceAll(" > ", " (?:> )?");
  return new RegExp(expression ?? literal, "i");
}

// Which operations a rule is about: by the name of its file, by its title, or by what its file calls.

/** Rule files whose calls do not say what they are about: made from the contract, for all operations, or asking with programs of their own. */
const isAboutAll = (family: string): boolean =>
  /^(derived|mcp)\//.test(family) || offlineFamilies.includes(family) || family === "transport/guides";

/** Whether rules of a file are about one of these operations. One that no rule has called yet, since it is new, may concern many files. */
function isConcerned(family: string, changed: readonly string[]): boolean {
  const about = operationsOfFamily(family);
  if (about === null || about.some((id) => changed.includes(id))) return true;
  return namedOperations(family) === null && changed.some((id) => !calledOperations.has(id));
}

/** The operations that the rules of a file are about; null: all of them, as far as is known. */
export function operationsOfFamily(family: string): string[] | null {
  const named = namedOperations(family);
  if (named !== null) return named;
  const called = measuredOf(family)?.operations ?? [];
  return isAboutAll(family) || called.length === 0 ? null : called;
}

/** The operations that a rule file, and each of its subjects, is named after: `oauth/issue-token-code` is about issueToken, whatever it calls. */
function namedOperations(family: string): string[] | null {
  if (/^(interface|derived)\//.test(family)) return null; // named after members and keywords of schemas
  const named = namesOf(family).map(namedOperation);
  return named.includes(null) ? null : [...new Set(named as string[])];
}

function namedOperation(family: string): string | null {
  const name = family.slice(family.lastIndexOf("/") + 1);
  const named = operations.map(({ id }) => id).filter((id) => name === kebabCase(id) || name.startsWith(`${kebabCase(id)}-`));
  return named.toSorted((a, b) => b.length - a.length)[0] ?? null;
}

/**
 * Returns a pattern for titles (groups and title with spaces between them) that leaves out the rules of every operation but these:
 * `getMe: …`, at the beginning or after a group. A name that is a word, or a member such as `skipAlert`, leaves out nothing.
 */
export function titlesOfOperations(wanted: readonly string[]): RegExp {
  const others = operations.map(({ id }) => id).filter((id) => !wanted.includes(id) && /[A-Z]/.test(id) && !isMember(id));
  const names = others.join("|") || "(?!)";
  return new RegExp(`^(?!(?:${names})\\b|[\\s\\S]* (?:${names}): )`);
}

const text = JSON.stringify(contract);
const isMember = (name: string): boolean => text.includes(`"${name}":`);

// Divides the rule files among several machines (`--shard 2/4`), by the times that were measured.

/**
 * Returns the files of one shard, in their given order. The slowest file goes first to the shard that has the least to do, so that all
 * shards take about the same time. Every file is in exactly one shard.
 */
export function filesOfShard(files: readonly string[], { index, count }: Shard, familyOf: (file: string) => string): string[] {
  const timeOf = (file: string): number => measuredTimeOf(familyOf(file));
  const shards = Array.from({ length: count }, () => ({ milliseconds: 0, files: new Set<string>() }));
  for (const file of files.toSorted((a, b) => timeOf(b) - timeOf(a) || (a < b ? -1 : 1))) {
    const lightest = shards.reduce((least, one) => (one.milliseconds < least.milliseconds ? one : least));
    lightest.milliseconds += timeOf(file);
    lightest.files.add(file);
  }
  return files.filter((file) => shards[index - 1]?.files.has(file));
}

// Lists and counts the rules that a command selects, without sending a request.

/** Returns every rule of the profile, one per line. Sends no request. */
export const list = async (settings: Settings): Promise<string> => (await titlesOf(settings)).map((title) => `${title}\n`).join("");

/**
 * Returns settings without the rule files in which `--only` matches no title: a run would read them and find nothing to do. A baseline keeps
 * all, since it names rules that are gone. Throws UsageError when `--only` matches neither a rule file nor a title. Sends no request.
 */
export async function leaveOutUnmatched(settings: Settings): Promise<Settings> {
  if (settings.only === null || selectRules(settings).titles === undefined) return settings;
  const files = await collect(settings);
  if (!files.some(({ rules }) => rules.some(({ isSelected }) => isSelected)))
    throw new UsageError(`--only ${settings.only} matches neither a rule file nor the title of a rule of profile ${settings.profile}`);
  if (settings.baseline !== null) return settings;
  const isUnmatched = ({ rules }: CollectedRules): boolean => rules.length > 0 && rules.every(({ isSelected }) => !isSelected);
  return { ...settings, families: new Set(files.filter((file) => !isUnmatched(file)).map(({ family }) => family)) };
}

/** Returns how many rules `--changed-since` selects, and of how many. Sends no request. */
export async function countSelected(settings: Settings): Promise<{ selected: number; all: number }> {
  const { files, titles = /^/ } = selectRules(settings);
  const families = new Set(files.map(familyOf));
  const all = (await titlesOf({ ...settings, operations: null })).map((line) => line.split(" > "));
  const selected = all.filter(([family = "", ...names]) => families.has(family) && titles.test(names.join(" ")));
  return { selected: selected.length, all: all.length };
}

/** Returns the families that are run, each with the share of its rules that the titles select, from 0 to 1. Sends no request. */
export async function selectedShares(settings: Settings): Promise<Map<string, number>> {
  const { files, titles } = selectRules(settings);
  if (titles === undefined) return new Map(files.map((file) => [familyOf(file), 1]));
  const shareOf = (rules: readonly CollectedRule[]): number => rules.filter(({ isSelected }) => isSelected).length / rules.length;
  const read = (await collect(settings)).filter(({ rules }) => rules.length > 0);
  return new Map(read.map(({ family, rules }) => [family, shareOf(rules)]));
}

/** Returns family and title of each selected rule. */
const titlesOf = async (settings: Settings): Promise<string[]> =>
  (await collect(settings)).flatMap(({ family, rules }) =>
    rules.filter(({ isSelected }) => isSelected).map(({ title }) => `${family} > ${title}`),
  );

type CollectedRule = { title: string; isSelected: boolean };

/** `rules`: all of the file; none where it could not be read. */
type CollectedRules = { family: string; rules: CollectedRule[] };

/** Collects all rules of the selected files. */
async function collect(settings: Settings): Promise<CollectedRules[]> {
  const { files, titles } = selectRules(settings);
  const noServer = { url: "http://127.0.0.1:9", keys: noKeys, client: null, operator: null, oauth: null };
  const vitest = await openVitest(files, { titles, targets: [createTarget(settings, noServer)], reporters: [] });
  try {
    const { testModules } = await vitest.collect(undefined, { staticParse: false });
    return testModules.map((module) => ({
      family: familyOf(module.relativeModuleId),
      rules: [...module.children.allTests()].map(({ fullName, options }) => ({ title: fullName, isSelected: options.mode === "run" })),
    }));
  } finally {
    await vitest.close();
  }
}

const noKeys = {
  main: "",
  secondApplication: null,
  readOnly: null,
  writeOnly: null,
  other: null,
  quiet: null,
  overlay: null,
  otherOverlay: null,
};
