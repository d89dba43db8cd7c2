// Replays an alert: at once, or after a question where the alert was kept off the stream.

import { Problem } from "../../http/problem.ts";
import { type PageHandler, type PageReply, seeOther } from "../../ui/serve-pages.ts";
import { backTo } from "../notices.ts";
import { backAddress, paths, replayAddress } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { replayPage } from "./replay-page.ts";
import { type ReplayPlace, whyKeptOff } from "./replay-question.ts";

/** GET /studio/replay: the question. */
export const showReplay = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.alerts, ({ account, query }) =>
    orBack(deps, placeOf(query), async (place) => {
      const { accounts, alerts } = deps;
      const donation = await alerts.donation(account.streamer.id, place.donation);
      if (donation.voided) return backTo(accounts.site, backAddress(place.back, donation.id), "voided-already");
      const reason = whyKeptOff(donation);
      // An alert that nobody keeps off the stream any more is replayed by the button of its page.
      if (reason === null) return seeOther(accounts.site.path(backAddress(place.back, donation.id)));
      return { status: 200, html: replayPage({ site: accounts.site, account, donation, reason, back: place.back }), scripted: true };
    }),
  );

/**
 * POST /studio/replay. `despite`: the reason that the question named. Asked here rather than by the page alone, because a moderator may have
 * denied the alert since the page was loaded.
 */
export const replayAlert = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.alerts, ({ account, form }) =>
    orBack(deps, placeOf(form), async (place) => {
      const { accounts, alerts } = deps;
      const reason = whyKeptOff(await alerts.donation(account.streamer.id, place.donation));
      if (reason !== null && form.get("despite") !== reason) return seeOther(accounts.site.path(replayAddress(place.donation, place.back)));
      await alerts.replay(account.streamer.id, place.donation);
      return backTo(accounts.site, backAddress(place.back, place.donation), "replayed");
    }),
  );

function placeOf(sent: URLSearchParams): ReplayPlace {
  return { donation: sent.get("donation") ?? "", back: sent.get("back") ?? "" };
}

/** Runs `act`; redirects with a notice when there is no such donation, or when its alert waits or plays. */
async function orBack(
  { accounts: { site } }: StudioDeps,
  place: ReplayPlace,
  act: (place: ReplayPlace) => Promise<PageReply>,
): Promise<PageReply> {
  try {
    return await act(place);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === "donation_not_found" || error.code === "alert_not_found") return backTo(site, paths.alerts, "no-donation");
    if (error.code === "alert_state_conflict") return backTo(site, backAddress(place.back, place.donation), "in-queue");
    throw error;
  }
}
