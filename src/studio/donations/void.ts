// Takes a donation back: a page that asks for the reason, and thereby for a confirmation, and its form.

import { Problem } from "../../http/problem.ts";
import type { Account } from "../../ui/accounts.ts";
import type { PageHandler, PageReply } from "../../ui/serve-pages.ts";
import { type FieldFaults, validationFaults } from "../components/field-faults.ts";
import { backTo } from "../notices.ts";
import { backAddress, paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { type VoidForm, voidPage } from "./void-page.ts";

/** GET /studio/void */
export const showVoid = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.alerts, ({ account, query }) =>
    orBack(deps, () => renderVoid(deps, account, { typed: { ...placeOf(query), reason: "", note: "" }, faults: {} })),
  );

/** POST /studio/void */
export const voidDonation = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.alerts, ({ account, form }) =>
    orBack(deps, async () => {
      const typed = { ...placeOf(form), reason: form.get("reason") ?? "", note: form.get("note") ?? "" };
      const { reason, note } = typed;
      try {
        await deps.alerts.void(account.streamer.id, typed.donation, { ...(reason && { reason }), ...(note && { note }) });
      } catch (error) {
        const faults = validationFaults(error);
        if (!faults) throw error;
        return renderVoid(deps, account, { typed, faults });
      }
      return backTo(deps.accounts.site, backAddress(typed.back, typed.donation), "voided");
    }),
  );

function placeOf(sent: URLSearchParams): Pick<VoidForm, "donation" | "back"> {
  return { donation: sent.get("donation") ?? "", back: sent.get("back") ?? "" };
}

async function renderVoid(deps: StudioDeps, account: Account, form: { typed: VoidForm; faults: FieldFaults }): Promise<PageReply> {
  const { accounts, alerts, bounds } = deps;
  const donation = await alerts.donation(account.streamer.id, form.typed.donation);
  if (donation.voided) return backTo(accounts.site, backAddress(form.typed.back, donation.id), "voided-already");
  const status = Object.keys(form.faults).length > 0 ? 400 : 200;
  return { status, html: voidPage({ site: accounts.site, account, donation, form, bounds }), scripted: true };
}

/** Runs `act`; redirects to the alerts page when there is no such donation, or when it was voided for another reason meanwhile. */
async function orBack({ accounts: { site } }: StudioDeps, act: () => Promise<PageReply>): Promise<PageReply> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === "donation_not_found") return backTo(site, paths.alerts, "no-donation");
    if (error.code === "already_voided") return backTo(site, paths.alerts, "voided-already");
    throw error;
  }
}
