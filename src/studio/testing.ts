import { Readable } from "node:stream";
import { someRecord } from "../donations/testing.ts";
import { makeSite } from "../http/base-url.ts";
import { loadContract } from "../http/contract.ts";
import type { Schemas } from "../http/operations.ts";
import type { Fault } from "../http/problem.ts";
import type { Account, Accounts } from "../ui/accounts.ts";
import type { PageHandler } from "../ui/serve-pages.ts";
import { studioPages } from "./routes.ts";
import type {
  ApiKey,
  CheckedUpload,
  Donation,
  DonatorFound,
  Erasure,
  ImportProgress,
  ImportSummary,
  Queue,
  QueuedPlayback,
  Settings,
  StudioDeps,
  Webhook,
  WebhookApplication,
  WebhookAttempt,
  WebhookDelivery,
} from "./studio-deps.ts";

export const somchai: Account = {
  streamer: { id: "somchai's id", handle: "somchai" },
  formToken: "sealed-page",
  logoutToken: "sealed-logout",
};

const { schemas, scopes } = await loadContract();

/** The contract's example of a schema. */
export function exampleOf<Name extends keyof Schemas>(name: Name): Schemas[Name] {
  return (schemas[name] as unknown as { examples: Schemas[Name][] }).examples[0]!;
}

/** What the fakes were told to do. */
export type Call = readonly [what: string, ...details: unknown[]];

/** The studio on fakes: `change` what they answer, look at what they were told in `calls`. */
export function openStudio(changes: Partial<{ [Part in keyof StudioDeps]: Partial<StudioDeps[Part]> }> = {}) {
  const calls: Call[] = [];
  const noted =
    <Answer>(what: string, answer: Answer) =>
    async (...details: unknown[]) => {
      calls.push([what, ...details]);
      return answer;
    };
  const usual: StudioDeps = {
    accounts: fakeAccounts(),
    alerts: {
      queue: async () => queue(),
      control: noted("control", undefined),
      replay: noted("replay", undefined),
      sendTest: noted("sendTest", undefined),
      settings: async () => settings,
      change: noted("change", undefined),
      latest: async () => [],
      voidNotes: async () => new Map(),
      donation: async () => donation(),
      void: noted("void", undefined),
    },
    reports: {
      stats: async () => exampleOf("DonationStats"),
      amountTrends: async () => exampleOf("AmountTrends"),
      topDonators: async () => exampleOf("TopDonators"),
      channels: async () => exampleOf("ChannelBreakdown"),
    },
    history: {
      list: noted("list", { data: [donation()], pagination: { nextCursor: null, hasMore: false, limit: 20 } }),
      search: noted("search", { data: [donation()], pagination: { nextCursor: null, hasMore: false, limit: 20 } }),
      export: noted("export", { type: "application/x", headers: {}, body: Readable.from([]) }),
    },
    overlayKeys: { findCreatedAt: async () => null, replace: noted("replace", "namjai_o1_KEY") },
    apiKeys: { create: noted("create", "namjai_v1_SECRET"), list: async () => [], revoke: noted("revoke", true) },
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
    imports: {
      check: noted("checkImport", checkedUpload()),
      start: noted("startImport", "i1"),
      findProgress: async () => importProgress(),
      find: async () => importSummary(),
      list: async () => [importSummary()],
      undo: noted("undoImport", 2),
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
    scopes,
    bounds: (schema, member) => schemas[schema]?.properties?.[member] ?? {},
    now: () => Date.parse("2026-11-21T10:00:00+07:00"),
  };
  const parts = Object.fromEntries(
    Object.entries(usual).map(([name, part]) => {
      const change = changes[name as keyof StudioDeps];
      return [name, typeof part === "object" && !Array.isArray(part) ? { ...part, ...change } : (change ?? part)];
    }),
  ) as unknown as StudioDeps;
  const routes = studioPages(parts);
  const ask = (key: string, request: Pick<Parameters<PageHandler>[0], "query" | "form">) => {
    const handler = Object.entries(routes).find(([route]) => route === key)?.[1];
    if (!handler) throw new Error(`there is no ${key}`);
    const caller = { authorization: undefined, cookie: undefined, origin: undefined, host: undefined, address: "" };
    return handler({ caller, ...request });
  };
  const get = async (path: string) => {
    const { pathname, searchParams } = new URL(path, "https://donations.example");
    return { html: "", location: "", ...(await ask(`GET ${pathname}`, { query: searchParams, form: new URLSearchParams() })) };
  };
  const post = async (path: string, fields: Record<string, string> = {}) => {
    const form = new URLSearchParams({ formToken: somchai.formToken, ...fields });
    return { html: "", location: "", ...(await ask(`POST ${path}`, { query: new URLSearchParams(), form })) };
  };
  return { get, post, calls };
}

/** Somchai is logged in; a form without his formToken is refused, as the oauth room does. */
export function fakeAccounts(account: Account | null = somchai): Accounts {
  const login = (here: string) => ({ status: 303, location: `/oauth/login?to=${here}` });
  return {
    site: makeSite({ brand: "namjai", baseUrl: "https://donations.example" }),
    page: (here, show) => async (request) => (account ? show({ account, query: request.query }) : login(here)),
    form: (here, handle) => async (request) => {
      if (request.form.get("formToken") !== somchai.formToken) return { status: 400, html: "" };
      return account ? handle({ account, form: request.form }) : login(here);
    },
  };
}

export const settings: Settings = {
  minimumAmount: 20,
  blockedWords: ["spam", "สแปม"],
  volume: 80,
  speech: true,
  minimumSeconds: 6,
  maximumSeconds: 30,
  goal: { title: "ไมค์ตัวใหม่", target: 5000, from: "2026-11-01" },
};

export function queue(changes: Partial<Queue> = {}): Queue {
  const waiting = changes.waiting ?? [];
  return { paused: false, connected: true, playing: null, waiting, waitingCount: waiting.length, ...changes };
}

export function playback(changes: Partial<QueuedPlayback> = {}): QueuedPlayback {
  const donation = {
    donationId: "d1",
    donatorName: "Malee",
    amount: 250,
    currency: "THB" as const,
    message: "สู้ๆ นะ",
    source: "external" as const,
  };
  return { playbackId: "p1", ...donation, status: "queued", replay: false, ...changes };
}

export function donation(changes: Partial<Donation> = {}): Donation {
  const { donationId: id, donatorName, amount, currency, message, source } = playback();
  const instant = "2026-11-21T03:00:00.000Z";
  const alert = { status: "shown", reason: null, shownAt: instant } as const;
  return someRecord({ id, donatorName, amount, currency, message, source, alert, createdAt: instant, receivedAt: instant, ...changes });
}

export function apiKey(changes: Partial<ApiKey> = {}): ApiKey {
  return {
    ...{ id: "k1", publicId: "AbCd1234", application: "bot", name: "My bot", scopes: ["write:donations"] },
    ...{ createdAt: new Date("2026-11-01T00:00:00Z"), expiresAt: null, lastUsedAt: null, revokedAt: null },
    ...changes,
  };
}

export function webhookApplication(changes: Partial<WebhookApplication> = {}): WebhookApplication {
  return { id: "a1", name: "bot", isOwn: true, scopes: ["read:donations", "read:alerts"], ...changes };
}

export function webhook(changes: Partial<Webhook> = {}): Webhook {
  return {
    ...{ id: "w1", url: "https://hooks.example/p/secret-part", description: "", types: ["donation.created" as const], enabled: true },
    ...{ disabledReason: null, failingSince: null, previousSecretUntil: null, createdAt: "2026-11-01T00:00:00.000Z" },
    ...changes,
  };
}

export function attempt(changes: Partial<WebhookAttempt> = {}): WebhookAttempt {
  return { at: "2026-11-21T03:00:01.000Z", status: 200, milliseconds: 41, answer: "ok", error: null, ...changes };
}

export function delivery(changes: Partial<WebhookDelivery> = {}): WebhookDelivery {
  const when = { timestamp: "2026-11-21T03:00:00.000Z", nextAttemptAt: null };
  return { id: "e1", type: "donation.created", status: "succeeded", attempts: [attempt()], ...when, ...changes };
}

export function deliveries(data: readonly WebhookDelivery[] = [], nextCursor: string | null = null) {
  return { data: [...data], pagination: { nextCursor, hasMore: nextCursor !== null, limit: 20 } };
}

const counts = { rows: 3, recorded: 2, recordedBefore: 0, voided: 0, faulty: 1 };
const rowFaults = [{ place: "row 3", fault: "amount must be greater than 0" }];

export function checkedUpload(changes: Partial<CheckedUpload> = {}): CheckedUpload {
  const columns = [
    { title: "Name", member: "donatorName" as const },
    { title: "Tip", member: "amount" as const },
    { title: "Mood", member: null },
  ];
  return { preview: { columns, rows: [["Malee", "20", "happy"]] }, counts, faults: rowFaults, unreadable: null, ...changes };
}

export function importProgress(changes: Partial<ImportProgress> = {}): ImportProgress {
  return { state: "done", counts, faults: rowFaults, failure: null, ...changes };
}

export function importSummary(changes: Partial<ImportSummary> = {}): ImportSummary {
  return { id: "i1", name: "tips.csv", startedAt: Date.parse("2026-11-21T03:00:00Z"), undoneAt: null, donations: 2, ...changes };
}

/** Donations of a donator, received in November 2026. */
export function foundDonations(changes: Partial<DonatorFound> = {}): DonatorFound {
  return { donations: 12, firstAt: Date.parse("2026-11-01T03:00:00Z"), lastAt: Date.parse("2026-11-20T05:30:00Z"), ...changes };
}

export function erasure(changes: Partial<Erasure> = {}): Erasure {
  const beganAt = Date.parse("2026-11-21T03:00:00Z");
  return { id: erasureId, beganAt, finishedAt: beganAt + 1_000, donations: 12, ...changes };
}

export const erasureId = "01a20563-1334-7e4a-ba39-894b3f967f71";

export function fault(pointer: string, code: Fault["code"] = "out_of_range", message = "must be at most 100"): Fault {
  return { pointer, code, message };
}
