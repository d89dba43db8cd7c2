// The page of one donation.

import { Problem } from "../../http/problem.ts";
import type { PageHandler } from "../../ui/serve-pages.ts";
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
      const notes = donation.voided ? await alerts.voidNotes(account.streamer.id, [id]) : null;
      return {
        status: 200,
        html: donationPage({ site: accounts.site, account, notice: noticeOf(query), donation, note: notes?.get(id) ?? null }),
        scripted: true,
      };
    } catch (error) {
      if (error instanceof Problem && error.code === "donation_not_found") return backTo(accounts.site, paths.alerts, "no-donation");
      throw error;
    }
  });
