// The alerts page: what plays and waits now, the buttons that control it, decisions about single alerts, and the test alert.

import type { OperationId } from "../../http/operations.ts";
import { Problem } from "../../http/problem.ts";
import { asText } from "../../ui/html.ts";
import type { PageHandler, PageReply } from "../../ui/serve-pages.ts";
import type { Account } from "../../ui/streamer-pages.ts";
import { sources } from "../components/donation.ts";
import { faultsByField } from "../components/fields.ts";
import { backTo, type NoticeName, noticeOf, orBack, type WaysBack } from "../notices.ts";
import { paths, queuePage } from "../paths.ts";
import { readAlertSettings } from "../streamer-client.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { type AlertsPage, alertsPage, initialTestForm, readTestForm } from "./alerts-page.ts";
import { dockPage } from "./dock-page.ts";
import { type Decision, decisions, heldAmong } from "./held-alerts.ts";
import { type LiveAlerts, liveParts } from "./live-alerts.ts";
import { readPlayingTime } from "./playing-time.ts";

/** GET /studio */
export const showAlerts = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.alerts, async ({ account, query }) => {
    const test = { typed: initialTestForm, faults: {} };
    return renderAlerts(deps, account, { notice: noticeOf(query), test });
  });

/** GET /studio/queue: the live parts of the alerts page, which its script refreshes. */
export const showQueue = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.alerts, async ({ account }) => ({ status: 200, html: asText(liveParts(await loadAlerts(deps, account, ""))) }));

/** GET /studio/dock: the queue and its buttons in a narrow page, for a dock of OBS. */
export const showDock = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.dock, async ({ account, query }) => {
    const now = await loadAlerts(deps, account, "dock");
    return {
      status: 200,
      html: dockPage({ account, notice: noticeOf(query), test: initialTestForm, ...now }),
      scripted: true,
    };
  });

/** GET /studio/dock/queue: the live parts of the dock. */
export const showDockQueue = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.dock, async ({ account }) => ({
    status: 200,
    html: asText(liveParts(await loadAlerts(deps, account, "dock"))),
  }));

/** POST /studio/control */
export const controlAlerts = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.alerts, async ({ account, form }) => {
    const name = form.get("control") ?? "";
    const control = Object.hasOwn(controls, name) ? controls[name as keyof typeof controls] : null;
    if (!control) throw new Problem("validation_failed", `A control is one of ${Object.keys(controls).join(", ")}.`);
    const { accounts, client } = deps;
    const page = queuePage(form);
    await client.call(account.streamer.id, control.operation);
    return backTo(accounts.site, page, control.notice);
  });

/** POST /studio/decide: a button's value is the decision and the donation. */
export const decideAlert = ({ accounts, client }: StudioDeps): PageHandler =>
  accounts.form(paths.alerts, async ({ account, form }) => {
    const [name = "", donationId = ""] = (form.get("decision") ?? "").split(" ");
    if (!isDecision(name)) throw new Problem("validation_failed", `A decision is one of ${Object.keys(decisions).join(", ")}.`);
    const page = queuePage(form);
    return orBack(accounts.site, waysBack(name, page), async () => {
      await client.call(account.streamer.id, decisions[name], { path: { donationId } });
      return backTo(accounts.site, page, decisionNotices[name]);
    });
  });

/** POST /studio/test */
export const sendTestAlert = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.alerts, async ({ account, form }) => {
    const { typed, alert } = readTestForm(form);
    const faults = await faultsByField(() => deps.client.call(account.streamer.id, "sendTestAlert", { body: alert }));
    if (!faults) return backTo(deps.accounts.site, queuePage(form), (await deps.speech.state()) === "none" ? "silent-test" : "test");
    return renderAlerts(deps, account, { status: 400, test: { typed, faults } });
  });

/** What a button of the page does, and the notice of its success. */
const controls = {
  pause: { operation: "pauseAlerts", notice: "paused" },
  resume: { operation: "resumeAlerts", notice: "resumed" },
  clear: { operation: "clearAlerts", notice: "cleared" },
  hide: { operation: "hideAlerts", notice: "hidden" },
  unhide: { operation: "unhideAlerts", notice: "unhidden" },
} as const satisfies Record<string, { operation: OperationId; notice: NoticeName }>;

type State = Pick<AlertsPage, "status" | "notice" | "test">;

async function renderAlerts(deps: StudioDeps, account: Account, state: State): Promise<PageReply> {
  const [now, speech] = await Promise.all([loadAlerts(deps, account, ""), deps.speech.state()]);
  return alertsPage({ account, speech, ...now, ...state });
}

/** The five donations with the latest `createdAt`: an imported donation of long ago is not among them. */
const latestDonations = { sort: "-createdAt", source: sources, status: "all", limit: 5 };

async function loadAlerts(deps: StudioDeps, { streamer }: Account, back: LiveAlerts["back"]): Promise<LiveAlerts> {
  const { client, donations } = deps;
  const [{ body: queue }, settings, { body: latest }] = await Promise.all([
    client.call(streamer.id, "getAlertQueue"),
    readAlertSettings(client, streamer.id),
    client.call(streamer.id, "listDonations", { query: latestDonations }),
  ]);
  const voidIds = latest.data.filter(({ voided }) => voided).map(({ id }) => id);
  const [notes, held, time] = await Promise.all([
    voidIds.length > 0 ? donations.voidNotes(streamer.id, voidIds) : new Map<string, string>(),
    heldAmong(deps, streamer.id, latest.data),
    readPlayingTime(deps, streamer.id, { queue: queue.data, settings }),
  ]);
  const { onTimeout } = settings;
  return { site: deps.accounts.site, queue: queue.data, latest: latest.data, notes, held, onTimeout, time, back };
}

const decisionNotices: Record<Decision, NoticeName> = {
  ...{ approve: "approved", mask: "masked", deny: "denied" },
  ...{ skip: "skipped-one", next: "put-next" },
};

function isDecision(name: string): name is Decision {
  return Object.hasOwn(decisions, name);
}

function waysBack(decision: Decision, page: string): WaysBack {
  const late = { skip: "over-already", next: "waits-no-more" } as const satisfies Partial<Record<Decision, NoticeName>>;
  return {
    alert_not_found: [page, "no-donation"],
    alert_state_conflict: [page, decision === "skip" || decision === "next" ? late[decision] : "decided-already"],
  };
}
