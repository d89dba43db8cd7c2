// The page of one donation.

import { Problem } from "../../http/problem.ts";
import type { PageHandler } from "../../ui/serve-pages.ts";
import { heldAmong } from "../alerts/held-alerts.ts";
import { backTo, noticeOf } from "../notices.ts";
import { paths } from "../paths.ts";
import { findDonation } from "../streamer-client.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { donationPage } from "./donation-page.ts";

/** GET /studio/donation */
export const showDonation = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.history, async ({ account, query }) => {
    const { accounts, client, donations } = deps;
    const id = query.get("id") ?? "";
    try {
      const donation = await findDonation(client, account.streamer.id, id);
      const { id: streamerId } = account.streamer;
      const [story, held, notes] = await Promise.all([
        donations.story(streamerId, id),
        heldAmong(deps, streamerId, [donation]),
        donation.voided ? donations.voidNotes(streamerId, [id]) : null,
      ]);
      const context = { site: accounts.site, account, notice: noticeOf(query) };
      return {
        status: 200,
        html: donationPage({ ...context, donation, isHeld: held.has(id), story, note: notes?.get(id) ?? null }),
        scripted: true,
      };
    } catch (error) {
      if (error instanceof Problem && error.code === "donation_not_found") return backTo(accounts.site, paths.alerts, "no-donation");
      throw error;
    }
  });
