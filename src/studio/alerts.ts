// What plays and waits now, and the buttons that change it.

import { Problem } from "../http/problem.ts";
import { asText } from "../ui/html.ts";
import type { PageHandler, PageReply } from "../ui/serve-pages.ts";
import { type FieldFaults, faultsByField } from "./faults.ts";
import { backTo, type NoticeName, noticeOf } from "./notices.ts";
import { alertsPage, liveParts } from "./pages/alerts.ts";
import { paths } from "./paths.ts";
import { type Account, type Control, controls, type StudioParts } from "./studio-deps.ts";
import { firstTest, readTest, type TestForm } from "./test-alert.ts";

/** GET /studio */
export const showAlerts = (parts: StudioParts): PageHandler =>
  parts.accounts.page(paths.alerts, async ({ account, query }) => {
    const test = { typed: firstTest(parts.bounds), faults: {} };
    return { status: 200, html: await page(parts, account, { query, test }), scripted: true };
  });

/** GET /studio/queue: the parts of that page that change by themselves, for its script. */
export const showQueue = (parts: StudioParts): PageHandler =>
  parts.accounts.page(paths.alerts, async ({ account }) => ({ status: 200, html: asText(liveParts(await now(parts, account))) }));

/** POST /studio/control */
export const controlAlerts = (parts: StudioParts): PageHandler =>
  parts.accounts.form(paths.alerts, async ({ account, form }) => {
    const control = controls.find((known) => known === form.get("control"));
    if (!control) throw new Problem("validation_failed", "There is no such control.");
    return conclude(parts, done[control], () => parts.alerts.control(account.streamer.id, control));
  });

/** POST /studio/replay */
export const replayAlert = (parts: StudioParts): PageHandler =>
  parts.accounts.form(paths.alerts, ({ account, form }) =>
    conclude(parts, "replayed", () => parts.alerts.replay(account.streamer.id, form.get("donation") ?? "")),
  );

/** POST /studio/test */
export const sendTestAlert = (parts: StudioParts): PageHandler =>
  parts.accounts.form(paths.alerts, async ({ account, form }) => {
    const { typed, alert } = readTest(form);
    const faults = await faultsByField(() => parts.alerts.sendTest(account.streamer.id, alert));
    if (!faults) return backTo(parts.accounts.site, paths.alerts, "test");
    return { status: 400, html: await page(parts, account, { query: new URLSearchParams(), test: { typed, faults } }), scripted: true };
  });

const done: Record<Control, NoticeName> = { pause: "paused", resume: "resumed", skip: "skipped", clear: "cleared" };

/** Does it, and says so, or says why it could not be done. */
async function conclude({ accounts: { site } }: StudioParts, notice: NoticeName, act: () => Promise<void>): Promise<PageReply> {
  try {
    await act();
    return backTo(site, paths.alerts, notice);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === "alert_not_found") return backTo(site, paths.alerts, "no-donation");
    if (error.code === "alert_state_conflict") return backTo(site, paths.alerts, notice === "replayed" ? "in-queue" : "nothing-plays");
    throw error;
  }
}

type Shown = { query: URLSearchParams; test: { typed: TestForm; faults: FieldFaults } };

async function page(parts: StudioParts, account: Account, { query, test }: Shown): Promise<string> {
  return alertsPage({ account, notice: noticeOf(query), test, bounds: parts.bounds, ...(await now(parts, account)) });
}

async function now({ accounts: { site }, alerts }: StudioParts, { streamer }: Account) {
  const [queue, latest] = await Promise.all([alerts.queue(streamer.id), alerts.latest(streamer.id)]);
  return { site, queue, latest };
}
