// The page of one donation.

import { Problem } from "../../http/problem.ts";
import type { PageHandler } from "../../ui/serve-pages.ts";
import { heldAmong } from "../alerts/held-alerts.ts";
import { backTo, noticeOf } from "../notices.ts";
import { paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { donationPage } from "./donation-page.ts";

/** GET /studio/donation */
export const showDonation = ({ accounts, alerts }: StudioDeps): PageHandler =>
  accounts.page(paths.history, async ({ account, query }) => {
    const id = query.get("id") ?? "";
    try {
      const donation = await alerts.donation(account.streamer.id, id);
      const { id: streamerId } = account.streamer;
      const [story, held, notes] = await Promise.all([
        alerts.story(streamerId, id),
        heldAmong(alerts, streamerId, [donation]),
        donation.voided ? alerts.voidNotes(streamerId, [id]) : null,
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
