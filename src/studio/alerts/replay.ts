// Replays an alert: at once, or after a question where the alert was kept off the stream.

import { type PageHandler, seeOther } from "../../ui/serve-pages.ts";
import { findDonation } from "../donations/find-donation.ts";
import { backTo, orBack, type WaysBack } from "../notices.ts";
import { backAddress, type DonationPlace, paths, placeOf, replayAddress } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { replayPage } from "./replay-page.ts";
import { whyKeptOff } from "./replay-question.ts";

/** GET /studio/replay: the question. */
export const showReplay = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.alerts, ({ account, query }) => {
    const { accounts, client } = deps;
    const place = placeOf(query);
    return orBack(accounts.site, waysBack(place), async () => {
      const donation = await findDonation(client, account.streamer.id, place.donation);
      if (donation.voided) return backTo(accounts.site, backAddress(place.back, donation.id), "voided-already");
      const reason = whyKeptOff(donation);
      // An alert that nobody keeps off the stream any more is replayed by the button of its page.
      if (reason === null) return seeOther(accounts.site.path(backAddress(place.back, donation.id)));
      return { status: 200, html: replayPage({ site: accounts.site, account, donation, reason, back: place.back }), scripted: true };
    });
  });

/**
 * POST /studio/replay. `despite`: the reason that the question named. Asked here rather than by the page alone, because a moderator may have
 * denied the alert since the page was loaded.
 */
export const replayAlert = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.alerts, ({ account, form }) => {
    const { accounts, client } = deps;
    const place = placeOf(form);
    return orBack(accounts.site, waysBack(place), async () => {
      const reason = whyKeptOff(await findDonation(client, account.streamer.id, place.donation));
      if (reason !== null && form.get("despite") !== reason) return seeOther(accounts.site.path(replayAddress(place.donation, place.back)));
      await client.call(account.streamer.id, "replayAlert", { path: { donationId: place.donation } });
      return backTo(accounts.site, backAddress(place.back, place.donation), "replayed");
    });
  });

function waysBack({ donation, back }: DonationPlace): WaysBack {
  return {
    donation_not_found: [paths.alerts, "no-donation"],
    alert_not_found: [paths.alerts, "no-donation"],
    alert_state_conflict: [backAddress(back, donation), "in-queue"],
  };
}
