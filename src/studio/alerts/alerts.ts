// The alerts page: what plays and waits now, the buttons that control it, and the test alert.

import { Problem } from "../../http/problem.ts";
import type { Account } from "../../ui/accounts.ts";
import { asText } from "../../ui/html.ts";
import type { PageHandler, PageReply } from "../../ui/serve-pages.ts";
import { type FieldFaults, faultsByField } from "../components/field-faults.ts";
import { backTo, type NoticeName, noticeOf } from "../notices.ts";
import { paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { type Control, controls } from "./alerts-deps.ts";
import { alertsPage, liveParts } from "./alerts-page.ts";
import { heldAmong } from "./held-alerts.ts";
import { initialTestForm, readTestForm, type TestForm } from "./test-alert.ts";

/** GET /studio */
export const showAlerts = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.alerts, async ({ account, query }) => {
    const test = { typed: initialTestForm(deps.bounds), faults: {} };
    return { status: 200, html: await renderAlerts(deps, account, { query, test }), scripted: true };
  });

/** GET /studio/queue: the live parts of the alerts page, which its script refreshes. */
export const showQueue = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.alerts, async ({ account }) => ({ status: 200, html: asText(liveParts(await loadAlerts(deps, account))) }));

/** POST /studio/control */
export const controlAlerts = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.alerts, async ({ account, form }) => {
    const control = controls.find((known) => known === form.get("control"));
    if (!control) throw new Problem("validation_failed", `A control is one of ${controls.join(", ")}.`);
    return redirectWithOutcome(deps, controlNotices[control], () => deps.alerts.control(account.streamer.id, control));
  });

/** POST /studio/test */
export const sendTestAlert = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.alerts, async ({ account, form }) => {
    const { typed, alert } = readTestForm(form);
    const faults = await faultsByField(() => deps.alerts.sendTest(account.streamer.id, alert));
    if (!faults) return backTo(deps.accounts.site, paths.alerts, (await deps.speech.state()) === "none" ? "silent-test" : "test");
    return {
      status: 400,
      html: await renderAlerts(deps, account, { query: new URLSearchParams(), test: { typed, faults } }),
      scripted: true,
    };
  });

const controlNotices: Record<Control, NoticeName> = {
  ...{ pause: "paused", resume: "resumed", skip: "skipped", clear: "cleared" },
  ...{ hide: "hidden", unhide: "unhidden" },
};

/** Runs `act` and redirects to the page with a notice of success, or of the conflict that prevented it. */
async function redirectWithOutcome({ accounts: { site } }: StudioDeps, notice: NoticeName, act: () => Promise<void>): Promise<PageReply> {
  try {
    await act();
    return backTo(site, paths.alerts, notice);
  } catch (error) {
    if (error instanceof Problem && error.code === "alert_state_conflict") return backTo(site, paths.alerts, "nothing-plays");
    throw error;
  }
}

type FormState = { query: URLSearchParams; test: { typed: TestForm; faults: FieldFaults } };

async function renderAlerts(deps: StudioDeps, account: Account, { query, test }: FormState): Promise<string> {
  const [now, speech] = await Promise.all([loadAlerts(deps, account), deps.speech.state()]);
  return alertsPage({ account, notice: noticeOf(query), test, bounds: deps.bounds, speech, ...now });
}

async function loadAlerts({ accounts: { site }, alerts }: StudioDeps, { streamer }: Account) {
  const [queue, latest] = await Promise.all([alerts.queue(streamer.id), alerts.latest(streamer.id)]);
  const voidIds = latest.filter(({ voided }) => voided).map(({ id }) => id);
  const [notes, held] = await Promise.all([
    voidIds.length > 0 ? alerts.voidNotes(streamer.id, voidIds) : new Map<string, string>(),
    heldAmong(alerts, streamer.id, latest),
  ]);
  return { site, queue, latest, notes, held };
}
