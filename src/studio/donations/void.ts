// Takes a donation back: a page that asks for the reason, and thereby for a confirmation, and its form.

import type { Account } from "../../ui/accounts.ts";
import type { PageHandler, PageReply } from "../../ui/serve-pages.ts";
import { type FieldFaults, validationFaults } from "../components/field-faults.ts";
import { backTo, orBack, type WaysBack } from "../notices.ts";
import { backAddress, paths, placeOf } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { findDonation } from "./find-donation.ts";
import { type VoidForm, voidPage } from "./void-page.ts";

/** GET /studio/void */
export const showVoid = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.alerts, ({ account, query }) =>
    orBack(deps.accounts.site, waysBack, () =>
      renderVoid(deps, account, { typed: { ...placeOf(query), reason: "", note: "" }, faults: {} }),
    ),
  );

/** POST /studio/void */
export const voidDonation = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.alerts, ({ account, form }) =>
    orBack(deps.accounts.site, waysBack, async () => {
      const typed = { ...placeOf(form), reason: form.get("reason") ?? "", note: form.get("note") ?? "" };
      const { reason, note } = typed;
      try {
        const body = { ...(reason && { reason }), ...(note && { note }) };
        await deps.client.call(account.streamer.id, "voidDonation", { path: { donationId: typed.donation }, body });
      } catch (error) {
        const faults = validationFaults(error);
        if (!faults) throw error;
        return renderVoid(deps, account, { typed, faults });
      }
      return backTo(deps.accounts.site, backAddress(typed.back, typed.donation), "voided");
    }),
  );

async function renderVoid(deps: StudioDeps, account: Account, form: { typed: VoidForm; faults: FieldFaults }): Promise<PageReply> {
  const { accounts, client, bounds } = deps;
  const donation = await findDonation(client, account.streamer.id, form.typed.donation);
  if (donation.voided) return backTo(accounts.site, backAddress(form.typed.back, donation.id), "voided-already");
  const status = Object.keys(form.faults).length > 0 ? 400 : 200;
  return { status, html: voidPage({ site: accounts.site, account, donation, form, bounds }), scripted: true };
}

/** There is no such donation, or it was voided for another reason meanwhile. */
const waysBack: WaysBack = {
  donation_not_found: [paths.alerts, "no-donation"],
  already_voided: [paths.alerts, "voided-already"],
};
