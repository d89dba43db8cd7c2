import { Readable } from "node:stream";
import { makeSite } from "../http/base-url.ts";
import { boundsOf } from "../http/contract/bounds.ts";
import { loadContract } from "../http/contract/contract.ts";
import type { Schemas } from "../http/operations.ts";
import { type Fault, Problem } from "../http/problem.ts";
import type { Account, Accounts } from "../ui/accounts.ts";
import { type Language, writeFor } from "../ui/reader.ts";
import type { PageHandler, PageRoutes } from "../ui/serve-pages.ts";
import { checkedUpload, importProgress, importSummary } from "./imports/testing-imports.ts";
import { studioPages } from "./routes.ts";
import type { StudioDeps } from "./studio-deps.ts";
import { donation, foundDonations, ownApp, queue, settings } from "./testing-examples.ts";
import { attempt, deliveries, webhook, webhookApplication } from "./webhooks/testing-webhooks.ts";

export const somchai: Account = {
  streamer: { id: "somchai's id", handle: "somchai" },
  sessionKey: "5e55",
  formToken: "sealed-page",
  logoutToken: "sealed-logout",
};

const { schemas, scopes } = await loadContract();

/** The contract's example of a schema. */
export function exampleOf<Name extends keyof Schemas>(name: Name): Schemas[Name] {
  return (schemas[name] as unknown as { examples: Schemas[Name][] }).examples[0]!;
}

/** The contract finds nothing beside what the form found. */
async function refuseFound(_: unknown, found: readonly Fault[]): Promise<void> {
  if (found.length > 0) throw new Problem("validation_failed", "no", { errors: [...found] });
}

/** What the fakes were told to do. */
export type Call = readonly [what: string, ...details: unknown[]];

type Changes = Partial<{ [Part in keyof StudioDeps]: Partial<StudioDeps[Part]> }>;

/** The studio on fakes: `changes` what they answer, look at what they were told in `calls`. */
export function openStudio(changes: Changes = {}) {
  const calls: Call[] = [];
  return { ...browse(studioPages(changed(fakeDeps(calls), changes))), calls };
}

function changed(deps: StudioDeps, changes: Changes): StudioDeps {
  const parts = Object.entries(deps).map(([name, part]) => {
    const change = changes[name as keyof StudioDeps];
    return [name, typeof part === "object" && !Array.isArray(part) ? { ...part, ...change } : (change ?? part)];
  });
  return Object.fromEntries(parts) as unknown as StudioDeps; // entries lose their types
}

function browse(routes: PageRoutes) {
  const ask = (key: string, language: Language, request: Pick<Parameters<PageHandler>[0], "query" | "form">) => {
    const handler = Object.entries(routes).find(([route]) => route === key)?.[1];
    if (!handler) throw new Error(`there is no ${key}`);
    const caller = { authorization: undefined, cookie: undefined, origin: undefined, host: undefined, address: "" };
    return writeFor({ language }, () => handler({ path: key.slice(key.indexOf(" ") + 1), caller, ...request }));
  };
  const get = async (path: string, language: Language = "en") => {
    const { pathname, searchParams } = new URL(path, "https://donations.example");
    return { html: "", location: "", ...(await ask(`GET ${pathname}`, language, { query: searchParams, form: new URLSearchParams() })) };
  };
  const post = async (path: string, fields: Record<string, string> = {}, language: Language = "en") => {
    const form = new URLSearchParams({ formToken: somchai.formToken, ...fields });
    return { html: "", location: "", ...(await ask(`POST ${path}`, language, { query: new URLSearchParams(), form })) };
  };
  return { get, post };
}

type Noted = <Answer>(what: string, answer: Answer) => (...details: unknown[]) => Promise<Answer>;

function fakeDeps(calls: Call[]): StudioDeps {
  const noted: Noted =
    (what, answer) =>
    async (...details) => {
      calls.push([what, ...details]);
      return answer;
    };
  return {
    ...{ ...accountParts(noted), ...streamParts(noted), ...donationParts(noted), ...applicationParts(noted) },
    scopes,
    bounds: (schema, member) => boundsOf(schemas[schema]?.properties?.[member]),
    now: () => Date.parse("2026-11-21T10:00:00+07:00"),
  };
}

function accountParts(noted: Noted): Pick<StudioDeps, "accounts" | "selfService" | "privacy"> {
  return {
    accounts: fakeAccounts(),
    selfService: {
      passwordLength: { minimum: 8, maximum: 1024 },
      changePassword: noted("changePassword", { is: "changed", cookies: [] } as const),
      sessions: async () => [
        {
          id: "5e55",
          browser: "Chrome, Windows",
          createdAt: new Date("2026-11-21T02:00:00Z"),
          lastUsedAt: new Date("2026-11-21T02:59:00Z"),
          isThis: true,
        },
      ],
      failedLogins: async () => [],
      endSession: noted("endSession", true),
      endSessions: noted("endSessions", undefined),
      preferences: async () => null,
      savePreferences: noted("savePreferences", undefined),
    },
    privacy: {
      check: noted("check", foundDonations()),
      erase: noted("erase", undefined),
      find: async () => null,
      list: async () => [],
      retention: async () => null,
      countAged: async () => 40,
      setRetention: noted("setRetention", undefined),
      maxRetentionDays: 36_500,
    },
  };
}

function streamParts(noted: Noted): Pick<StudioDeps, "alerts" | "overlayKeys" | "alertFiles" | "speech"> {
  return {
    alerts: {
      queue: async () => queue(),
      control: noted("control", undefined),
      replay: noted("replay", undefined),
      decide: noted("decide", undefined),
      sendTest: noted("sendTest", undefined),
      settings: async () => settings,
      check: refuseFound,
      change: noted("change", undefined),
      latest: async () => [],
      voidNotes: async () => new Map(),
      held: async () => new Set(),
      story: async () => [],
      donation: async () => donation(),
      void: noted("void", undefined),
    },
    overlayKeys: {
      list: async () => [],
      create: noted("createOverlayKey", "namjai_o1_KEY"),
      changeWidget: noted("changeWidget", true),
      revoke: noted("revokeOverlayKey", true),
    },
    alertFiles: { list: async () => [], add: noted("addFile", { id: "f1" }), remove: noted("removeFile", "removed" as const) },
    speech: {
      state: async () => "natural",
      voices: async () => [],
      sample: noted("sample", { mime: "audio/wav", bytes: Buffer.from("RIFF") }),
    },
  };
}

function donationParts(noted: Noted): Pick<StudioDeps, "reports" | "history" | "imports"> {
  return {
    reports: {
      stats: async () => exampleOf("DonationStats"),
      amountTrends: async () => exampleOf("AmountTrends"),
      topDonators: async () => exampleOf("TopDonators"),
      channels: async () => exampleOf("ChannelBreakdown"),
    },
    history: {
      check: refuseFound,
      list: noted("list", { data: [donation()], pagination: { nextCursor: null, hasMore: false, limit: 20 } }),
      search: noted("search", { data: [donation()], pagination: { nextCursor: null, hasMore: false, limit: 20 } }),
      sum: async () => ({ count: 3, total: 750, voided: null, next: null }),
      export: noted("export", { type: "application/x", headers: {}, body: Readable.from([]) }),
    },
    imports: {
      check: noted("checkImport", checkedUpload()),
      start: noted("startImport", "i1"),
      findProgress: async () => importProgress(),
      find: async () => importSummary(),
      list: async () => [importSummary()],
      undo: noted("undoImport", 2),
    },
  };
}

function applicationParts(noted: Noted): Pick<StudioDeps, "apiKeys" | "apps" | "webhooks"> {
  return {
    apiKeys: { create: noted("create", "namjai_v1_SECRET"), list: async () => [], revoke: noted("revoke", true) },
    apps: {
      list: async () => [ownApp()],
      find: async (_, id) => (id === ownApp().id ? ownApp() : null),
      register: noted("registerApp", { clientId: "c1", clientSecret: "APPSECRET" }),
      change: noted("changeApp", true),
      rotate: noted("rotateApp", { clientSecret: "NEWSECRET" }),
      remove: noted("removeApp", true),
    },
    webhooks: {
      list: async () => [{ application: webhookApplication(), webhooks: [webhook()] }],
      find: async () => ({ application: webhookApplication(), webhook: webhook() }),
      create: noted("createWebhook", { ...webhook(), secret: "whsec_SECRET" }),
      change: noted("changeWebhook", undefined),
      remove: noted("removeWebhook", undefined),
      rotate: noted("rotateSecret", { ...webhook(), secret: "whsec_SECRET" }),
      test: noted("testWebhook", { id: "t1", type: "donation.created" as const, delivered: true, attempt: attempt() }),
      deliveries: async () => deliveries(),
      recover: noted("recover", 3),
      redeliver: noted("redeliver", undefined),
    },
  };
}

/** Somchai is logged in; a form without his formToken is refused, as the pages of src/oauth refuse it. */
export function fakeAccounts(account: Account | null = somchai): Accounts {
  const login = (here: string) => ({ status: 303, location: `/oauth/login?to=${here}` });
  return {
    site: makeSite({ brand: "namjai", baseUrl: "https://donations.example" }),
    page: (here, show) => async (request) => (account ? show({ account, query: request.query }) : login(here)),
    form: (here, handle) => {
      const handler: PageHandler = async (request) => {
        if (request.form.get("formToken") !== somchai.formToken) return { status: 400, html: "" };
        return account ? handle({ account, form: request.form, address: request.caller.address }) : login(here);
      };
      return Object.assign(handler, { admit: async () => (account ? null : login(here)) });
    },
  };
}
