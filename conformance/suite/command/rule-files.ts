// Finds the rule files of a profile and selects those to run.

import { familyOf } from "../contract/offline-rules.ts";
import { testFilesIn } from "../contract/test-files.ts";
import type { Depth } from "../values/sample.ts";
import { isConcerned, titlesOfOperations } from "./rules-of-operations.ts";
import type { Settings } from "./settings.ts";
import { filesOfShard } from "./shard.ts";

/** Rule files that only a full run includes, each with the reason: they start processes of their own, and hardly use their values. */
const fullOnly: Record<string, string> = {
  "oauth/client-documents": "starts servers of its own and waits for slow documents",
  "oauth/guessing": "starts a server of its own and guesses passwords, and password checks are slow on purpose",
  "events/events-cuts": "starts servers of its own and kills them and their database",
  "events/webhook-kills": "starts a server of its own and kills it",
  "overlay/overlay-two-processes": "starts servers of its own and waits for their leases",
  "overlay/speech-text": "starts a server of its own",
  "overlay/stream-roles": "starts servers of its own",
  "deployment/citus": "starts servers of its own and PostgreSQL servers with Citus, and kills some of them",
  "deployment/database-stops": "starts a server of its own and stops its database",
  "deployment/failover": "starts servers of its own, Patroni, etcd, HAProxy and PostgreSQL, and kills the primary",
  "deployment/leaks": "starts a server of its own",
  "deployment/pooler": "starts servers of its own, PgBouncer and PostgreSQL, and kills them",
  "deployment/standby": "starts a server of its own, a PostgreSQL and its standby, and kills the standby",
  "deployment/two-processes": "starts servers of its own",
  "deployment/void-two-processes": "starts servers of its own",
  "deployment/workers": "starts servers of its own and kills their workers",
  "transport/attacks": "starts a server of its own and waits for its time limits",
  "transport/guides": "starts a server of its own and runs the samples of every guide in order",
  "transport/overload": "starts a server of its own and locks its database",
  "transport/pages-under-load": "starts a server of its own and locks its database",
  "transport/rate-limits": "starts servers of its own",
  "transport/retry-after": "starts servers of its own and waits as long as they say",
  "transport/shared-limits": "starts servers of its own",
  "transport/streamer-limits": "starts a server of its own and makes many keys",
};

/** Rule files that a quick run skips, too. */
const notQuick: Record<string, string> = {
  "oauth/access-token-forged": "waits for a token to expire",
  "oauth/client-authentication": "waits until other processes are notified",
  "oauth/consent": "logs in many times, and password checks are slow on purpose",
  "oauth/login": "logs in many times, and password checks are slow on purpose",
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

type Filter = Pick<Settings, "profile" | "depth" | "only"> & Partial<Pick<Settings, "titles" | "shard" | "operations">>;

/** Returns the rule files of the profile without those that the depth, `--only`, `--changed-since` or `--shard` excludes. */
export function selectRules({ profile, depth, only, titles, shard, operations = null }: Filter): Selection {
  const all = (profile === "interface" ? ["interface"] : folders).flatMap(testFilesIn);
  const matching = only === null ? [] : all.filter((file) => toPattern(only).test(familyOf(file)));
  const selected = (matching.length > 0 ? matching : all).filter((file) => operations === null || isConcerned(familyOf(file), operations));
  const ofOnly = only !== null && matching.length === 0 ? toPattern(only) : undefined;
  const skipped = skippedBy[depth];
  const isSkipped = (file: string): boolean => familyOf(file) in skipped;
  const files = selected.filter((file) => !isSkipped(file));
  return {
    files: shard ? filesOfShard(files, shard, familyOf) : files,
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
