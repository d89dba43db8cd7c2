// Families of rules, and those that send no request: they cost a server nothing, so every run includes them.

import type { TestContext } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    offline?: true;
  }
}

/** Rule files of which no rule sends a request, by family. */
export const offlineFamilies: readonly string[] = [
  "derived/deriver",
  "interface/oracle",
  "interface/published-contract",
  "transport/contract",
];

/**
 * Rule files of several subjects, each by the name that a file of its own would have. An operation is named here, or has a file of its name.
 * `--only` finds the file by it, and `--changed-since` takes a file for that of an operation alone where each of its subjects is.
 */
const subjects: Record<string, string> = {
  "alerts/alert-files": "delete-alert-file list-alert-files upload-alert-file",
  "alerts/alert-queue": "alert-backlog clear-alerts get-alert-queue pause-alerts resume-alerts",
  "alerts/alert-states": "void-alerts",
  "alerts/deny-alert": "mask-alert",
  "alerts/get-alert-settings": "alert-pace blocked-words",
  "alerts/hide-alerts": "unhide-alerts",
  "alerts/lead-overlay": "overlay/followers",
  "alerts/skip-alert": "play-alert-next skip-one-alert",
  "alerts/timer": "adjust-timer end-timer pause-timer resume-timer start-timer update-timer-rules",
  "deployment/failover": "pooler",
  "derived/keywords": "bounds choices lengths lists mixtures patterns required-members sealed-bodies types unknown-parameters",
  "derived/requests": "media-types methods",
  "donations/created-at": "created-at-broken",
  "donations/idempotency": "idempotency-comparison",
  "donations/import-donations": "import-files import-lines",
  "donations/json-body": "nothing-left-behind unknown-members",
  "donations/list-donations": "get-donation list-parameters ranges",
  "donations/paging": "cursors",
  "donations/round-trip": "exact-keys exact-texts",
  "donations/undo-import": "import-broken-off",
  "events/events-cuts": "webhook-kills",
  "events/list-events": "imported-events",
  "events/update-webhook": "rotate-webhook-secret send-test-event",
  "events/webhook-deliveries": "list-webhook-deliveries recover-webhook redeliver-webhook",
  "events/webhooks": "create-webhook delete-webhook get-webhook list-webhooks",
  "interface/created-at": "created-at-zone",
  "interface/created-at-date": "created-at-calendar created-at-leap-years",
  "interface/created-at-time": "created-at-fraction created-at-seconds created-at-separator",
  "interface/donation": "paths required-members server-errors",
  "interface/oauth": "oauth-revoke oauth-token",
  "interface/texts": "donator-name idempotency-key identifier message",
  "oauth/access-token": "lifetimes",
  "oauth/authorize": "authorize-errors",
  "oauth/issue-token": "issue-token-resource issue-token-scopes",
  "oauth/issue-token-code": "issue-token-pkce",
  "oauth/published-metadata": "get-resource-metadata get-server-metadata get-signing-keys",
  "overlay/start-playback": "end-playback get-speech",
  "reports/get-amount-trends": "get-count-trends",
  "reports/reports": "rounding",
  "transport/contract": "coverage",
  "transport/credentials": "donations/get-me scopes",
  "transport/overload": "pages-under-load",
  "transport/problems": "expensive-bodies order-of-checks",
  "transport/rate-limits": "retry-after",
};

/** An operation's name as files of rules have it. */
export const kebabCase = (id: string): string => id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Returns the family and those of its subjects. */
export const namesOf = (family: string): string[] => {
  const folder = family.slice(0, family.indexOf("/"));
  const names = subjects[family]?.split(" ") ?? [];
  return [family, ...names.map((name) => (name.includes("/") ? name : `${folder}/${name}`))];
};

/** Marks a single rule of another file: `test("the title", offline, () => …)`. */
export const offline = { meta: { offline: true } } as const;

/** Returns the rule family of a file, its folder and name: `donations/created-at`, `interface/created-at`. */
export const familyOf = (file: string): string => file.replace(/^rules\//, "").replace(/\.test\.ts$/, "");

type Test = TestContext["task"];

export const isOffline = ({ meta, file }: Test): boolean => isOfflineRule(meta, familyOf(file.name));

/** The same by the rule's meta data and the family of its file. */
export const isOfflineRule = ({ offline }: Test["meta"], family: string): boolean => offline === true || offlineFamilies.includes(family);

/** Throws when a rule that is listed as offline sends a request: quick runs could not leave it out. */
export function expectOnline(test: Test): void {
  if (isOffline(test))
    throw new Error(
      `bug of the suite: "${test.fullName}" sends a request, but suite/contract/offline-rules.ts lists it or it is marked as offline`,
    );
}
