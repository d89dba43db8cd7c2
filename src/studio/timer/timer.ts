// The timer's page: the time that is left, the buttons that change it, its start and its rules.

import type { OperationId } from "../../http/operations.ts";
import { Problem } from "../../http/problem.ts";
import { asText, html } from "../../ui/html.ts";
import type { PageHandler, PageReply } from "../../ui/serve-pages.ts";
import type { Account } from "../../ui/streamer-pages.ts";
import { faultsByField } from "../components/fields.ts";
import { backTo, type NoticeName, noticeOf, orBack, type WaysBack } from "../notices.ts";
import { overallOf } from "../overall.ts";
import { paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { initialStart, inSeconds, readRulesForm, readStartForm, toRules, toRulesForm, toSeconds } from "./timer-form.ts";
import { liveTimer, type TimerPage, timerPage } from "./timer-page.ts";

/** GET /studio/timer */
export const showTimer = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.timer, ({ account, query }) => render(deps, account, { notice: noticeOf(query) }));

/** GET /studio/timer/now: the live part of the page, and of its frame, which its script refreshes. */
export const showTimerNow = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.timer, async ({ account }) => {
    const timer = await read(deps, account);
    return { status: 200, html: asText(html`${liveTimer(timer)}${overallOf(deps.accounts.site, account)}`) };
  });

const controls = {
  pause: { operation: "pauseTimer", notice: "timer-paused" },
  resume: { operation: "resumeTimer", notice: "timer-resumed" },
  end: { operation: "endTimer", notice: "timer-ended" },
} as const satisfies Record<string, { operation: OperationId; notice: NoticeName }>;

/** POST /studio/timer/control */
export const controlTimer = ({ accounts, client }: StudioDeps): PageHandler =>
  accounts.form(paths.timer, async ({ account, form }) => {
    const name = form.get("control") ?? "";
    const control = Object.hasOwn(controls, name) ? controls[name as keyof typeof controls] : null;
    if (!control) throw new Problem("validation_failed", `A control is one of ${Object.keys(controls).join(", ")}.`);
    return orBack(accounts.site, notOpen, async () => {
      await client.call(account.streamer.id, control.operation);
      return backTo(accounts.site, paths.timer, control.notice);
    });
  });

const notOpen: WaysBack = { timer_state_conflict: [paths.timer, "timer-not-open"] };

/** POST /studio/timer/start */
export const startTimer = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.timer, async ({ account, form }) => {
    const { accounts, client } = deps;
    const start = readStartForm(form);
    return orBack(accounts.site, { timer_state_conflict: [paths.timer, "timer-runs"] }, async () => {
      const faults = await faultsByField(() => client.call(account.streamer.id, "startTimer", { body: { seconds: toSeconds(start) } }));
      if (!faults) return backTo(accounts.site, paths.timer, "timer-started");
      return render(deps, account, { status: 400, start, faults });
    });
  });

/** POST /studio/timer/adjust: a button's value is the seconds, or the sign of the minutes that were typed. The form's key makes it once. */
export const adjustTimer = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.timer, async ({ account, form }) => {
    const { accounts, client } = deps;
    const by = form.get("by") ?? "";
    const minutes = (form.get("minutes") ?? "").trim();
    const typed = inSeconds(minutes, 60);
    const sign = by === "take" ? -1 : 1;
    const seconds = by === "add" || by === "take" ? (typeof typed === "number" ? sign * typed : typed) : inSeconds(by, 1);
    const idempotencyKey = form.get("key") || undefined;
    return orBack(accounts.site, { ...notOpen, idempotency_key_reused: [paths.timer, "timer-adjusted-before"] }, async () => {
      const faults = await faultsByField(() => client.call(account.streamer.id, "adjustTimer", { body: { seconds, idempotencyKey } }));
      if (!faults) return backTo(accounts.site, paths.timer, "timer-adjusted");
      return render(deps, account, { status: 400, minutes, adjustFaults: faults });
    });
  });

/** POST /studio/timer/rules */
export const changeTimerRules = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.timer, async ({ account, form }) => {
    const rules = readRulesForm(form);
    const faults = await faultsByField(() => deps.client.call(account.streamer.id, "updateTimerRules", { body: toRules(rules) }));
    if (!faults) return backTo(deps.accounts.site, paths.timer, "timer-rules");
    return render(deps, account, { status: 400, rules, faults });
  });

async function render(deps: StudioDeps, account: Account, state: Partial<TimerPage>): Promise<PageReply> {
  const timer = await read(deps, account);
  const forms = { start: initialStart, minutes: "", rules: toRulesForm(timer.rules), faults: {}, adjustFaults: {} };
  return timerPage({ site: deps.accounts.site, account, timer, ...forms, ...state });
}

async function read({ client }: StudioDeps, { streamer }: Account) {
  return (await client.call(streamer.id, "getTimer")).body.data;
}
