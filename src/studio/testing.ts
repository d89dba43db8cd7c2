// A studio for tests of its pages: the real routes and the real checks of the contract, with answers that the test gives.

import { Readable } from "node:stream";
import type { QueueState } from "../alerts/queue/read-queue.ts";
import { makeSite } from "../http/base-url.ts";
import { loadContract } from "../http/contract/contract.ts";
import { checkCall } from "../http/invoke.ts";
import type { OperationId, OperationReply, Schemas } from "../http/operations.ts";
import { type Language, writeFor } from "../ui/reader.ts";
import type { PageHandler, PageRoutes } from "../ui/serve-pages.ts";
import type { Account, Accounts } from "../ui/streamer-pages.ts";
import { checkedUpload, importProgress, importSummary } from "./imports/testing-imports.ts";
import { withOverall } from "./overall.ts";
import { studioPages } from "./routes.ts";
import type { StreamerCall, StreamerClient } from "./streamer-client.ts";
import type { StudioDeps } from "./studio-deps.ts";
import { alertFile, donation, foundDonations, ownApp, queue, settings } from "./testing-examples.ts";
import { attempt, deliveries, webhook, webhookApplication } from "./webhooks/testing-webhooks.ts";

export const somchai: Account = {
  streamer: { id: "somchai's id", handle: "somchai" },
  sessionKey: "5e55",
  formToken: "sealed-page",
  logoutToken: "sealed-logout",
};

const contract = await loadContract();

/** The contract's example of a schema. */
export function exampleOf<Name extends keyof Schemas>(name: Name): Schemas[Name] {
  return (contract.schemas[name] as unknown as { examples: Schemas[Name][] }).examples[0]!;
}

/** What an operation answers, without its status, and with headers where a page reads them. */
type Answers = {
  [Id in OperationId]?: (
    call: StreamerCall,
    streamerId: string,
  ) => Promise<Omit<OperationReply<Id>, "status" | "transport" | "headers"> & { headers?: object }>;
};

export const answer =
  <Data>(data: Data) =>
  async () => ({ body: { data } });

/** A page of a list. */
export const answerPage =
  <Item>(data: readonly Item[], nextCursor: string | null = null) =>
  async () => ({ body: { data: [...data], pagination: { nextCursor, hasMore: nextCursor !== null, limit: 20 } } });

/** What the fakes were told to do. */
type Call = readonly [what: string, ...details: unknown[]];

/** What a noted call of an operation had as its body. */
export function bodyOf(call: Call | undefined): unknown {
  return (call?.[2] as StreamerCall | undefined)?.body;
}

type Changes = Partial<{ [Part in keyof StudioDeps]: Partial<StudioDeps[Part]> }>;
type Answering = { answers?: Answers; queueState?: () => Promise<QueueState> };

/** The studio on fakes: `changes` what they answer, and the operations by `answers`; look at what they were told in `calls`. */
export function openStudio({ answers = {}, queueState = async () => queue(), ...changes }: Changes & Answering = {}) {
  const calls: Call[] = [];
  const deps = { ...changed(fakeDeps(calls), changes), client: fakeClient(calls, answers) };
  const accounts = withOverall(deps.accounts, queueState);
  return { ...browse(studioPages({ ...deps, accounts })), calls };
}

/** Validates calls by the contract, and notes those of operations that have no answer of their own, but for those that read. */
function fakeClient(calls: Call[], answers: Answers): StreamerClient {
  const call = (async (streamerId: string, id: OperationId, sent: StreamerCall = {}) => {
    check(id, sent);
    const own = answers[id] ?? usualAnswers[id];
    if (own) return own(sent, streamerId);
    calls.push([id, streamerId, sent]);
    return { body: { data: {} } };
  }) as StreamerClient["call"];
  const check: StreamerClient["check"] = (id, sent) => checkCall(contract, id, sent);
  return { call, callWithinLimit: call, check, spend: async () => {} };
}

const usualAnswers: Answers = {
  getAlertQueue: async () => ({ body: { data: queue() } }),
  getAlertSettings: async () => ({ body: { data: settings } }),
  getTimer: async () => ({ body: { data: exampleOf("Timer") } }),
  getDonation: async () => ({ body: { data: donation() } }),
  listDonations: ({ query }) => answerPage(query?.["limit"] === 5 ? [] : [donation()])(), // the alerts page lists five
  searchDonations: answerPage([donation()]),
  exportDonations: async () => ({ type: "application/x", headers: {}, body: Readable.from([]) }) as never,
  getDonationStats: async () => ({ body: { data: exampleOf("DonationStats") } }),
  getAmountTrends: async () => ({ body: { data: exampleOf("AmountTrends") } }),
  listTopDonators: async () => ({ body: { data: exampleOf("TopDonators") } }),
  getChannelBreakdown: async () => ({ body: { data: exampleOf("ChannelBreakdown") } }),
};

function changed(deps: Omit<StudioDeps, "client">, changes: Changes): Omit<StudioDeps, "client"> {
  const parts = Object.entries(deps).map(([name, part]) => {
    const change = changes[name as keyof StudioDeps];
    return [name, typeof part === "object" && !Array.isArray(part) ? { ...part, ...change } : (change ?? part)];
  });
  return Object.fromEntries(parts) as unknown as Omit<StudioDeps, "client">; // entries lose their types
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

function fakeDeps(calls: Call[]): Omit<StudioDeps, "client"> {
  const noted: Noted =
    (what, answer) =>
    async (...details) => {
      calls.push([what, ...details]);
      return answer;
    };
  return {
    ...{ ...accountParts(noted), ...streamParts(noted), ...importParts(noted), ...applicationParts(noted) },
    catchUp: async () => {},
    firstSteps: { areOver: async () => false, end: noted("endFirstSteps", undefined) },
    activePlayback: async () => null,
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
    },
  };
}

function streamParts(noted: Noted): Pick<StudioDeps, "donations" | "overlayKeys" | "alertFiles" | "speech"> {
  return {
    donations: {
      sum: async () => ({ count: 3, total: 750, voided: null, next: null }),
      voidNotes: async () => new Map(),
      held: async () => new Set(),
      ofDonator: async () => ({ donations: [donation()], next: null }),
      standing: async () => ({ rank: 3, total: 750, count: 3, name: "Malee", identifier: null, firstAt: 0, lastAt: 1_000 }),
      note: async () => "",
      saveNote: noted("saveNote", undefined),
      story: async () => [],
    },
    overlayKeys: {
      list: async () => [],
      create: noted("createOverlayKey", "namjai_o1_KEY"),
      changeWidget: noted("changeWidget", true),
      changeSound: noted("changeSound", true),
      revoke: noted("revokeOverlayKey", true),
    },
    alertFiles: { list: async () => [], add: noted("addFile", alertFile()), remove: noted("removeFile", "removed" as const) },
    speech: {
      state: async () => "natural",
      voices: async () => [],
      sample: noted("sample", { mime: "audio/wav", bytes: Buffer.from("RIFF") }),
    },
  };
}

function importParts(noted: Noted): Pick<StudioDeps, "imports"> {
  return {
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
