// The page of erasure and retention: whom to erase, what that would erase, what became of it, and for how long donations are kept.

import type { Counted } from "../../corrections/eraser.ts";
import { isLockConflict } from "../../db/failures.ts";
import { newId } from "../../db/ids.ts";
import { Problem } from "../../http/problem.ts";
import { type PageHandler, type PageReply, seeOther } from "../../ui/serve-pages.ts";
import type { Account } from "../../ui/streamer-pages.ts";
import { readTyped, toMembers } from "../components/described-form.ts";
import { validationFaults } from "../components/fields.ts";
import { backTo, type Notice, noticeOf } from "../notices.ts";
import { addressOf, paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { erasurePage, erasureReviewPage, type Obstacle, retentionReviewPage } from "./erasure-page.ts";
import {
  type DonatorForm,
  donatorFaults,
  donatorOf,
  initialDonatorForm,
  isSame,
  type PrivacyForms,
  privacyPage,
  readDecided,
  readDonatorForm,
  retentionForm,
} from "./privacy-page.ts";

const refreshSeconds = 2;

/** GET /studio/privacy */
export const showPrivacy = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.privacy, ({ account, query }) => renderPrivacy(deps, account, { notice: noticeOf(query) }));

/** POST /studio/privacy/check: shows what an erasure would erase. Erases nothing. */
export const checkErasure = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.privacy, ({ account, form }) =>
    orFaults(deps, account, readDonatorForm(form), async (donator) =>
      renderReview(deps, account, { donator, found: await deps.privacy.check(account.streamer.id, donatorOf(donator)) }),
    ),
  );

/** POST /studio/privacy/erase: erases what the page of the check showed. When that has changed, shows it anew instead. */
export const eraseDonator = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.privacy, ({ account, form }) => {
    const { accounts, privacy } = deps;
    const { id: streamerId } = account.streamer;
    const { id, found: shown } = readDecided(form);
    const result = seeOther(accounts.site.path(addressOf(paths.erasure, { id, of: String(shown.donations) })));
    return orFaults(deps, account, readDonatorForm(form), async (donator) => {
      if (await privacy.find(streamerId, id)) return result; // the form was sent twice
      const found = await privacy.check(streamerId, donatorOf(donator));
      if (found.donations === 0 || !isSame(found, shown)) return renderReview(deps, account, { donator, found, obstacle: "changed" });
      try {
        await privacy.erase(streamerId, donatorOf(donator), id);
      } catch (error) {
        const mayWait = isLockConflict(error) || (error instanceof Problem && error.code === "unavailable");
        if (!mayWait || !(await privacy.find(streamerId, id))) throw error;
        const left = await privacy.check(streamerId, donatorOf(donator));
        return renderReview(deps, account, { donator, found: left, obstacle: "locked" });
      }
      return result;
    });
  });

/** GET /studio/privacy/erasure: how far an erasure is, loaded again until it is finished. */
export const showErasure = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.privacy, async ({ account, query }) => {
    const { accounts, privacy } = deps;
    const found = await privacy.find(account.streamer.id, query.get("id") ?? "");
    if (!found) return backTo(accounts.site, paths.privacy, "no-erasure");
    const expected = /^\d{1,9}$/.test(query.get("of") ?? "") ? Number(query.get("of")) : null;
    const page = erasurePage({ site: accounts.site, account, found, expected });
    return { ...page, ...(found.finishedAt === null && { refresh: refreshSeconds }) };
  });

/** POST /studio/privacy/retention. `from`: the setting that a confirmation was asked with; without it, one is asked for. */
export const changeRetention = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.privacy, async ({ account, form }) => {
    const { accounts, privacy } = deps;
    const { site } = accounts;
    const { id } = account.streamer;
    const typed = readTyped(retentionForm, form);
    const { days } = toMembers(retentionForm, typed) as { days: number | null }; // what is no number is refused
    const present = await privacy.retention(id);
    const isMore = typeof days === "number" && days < (present ?? Number.POSITIVE_INFINITY);
    try {
      if (isMore && form.get("from") !== String(present)) {
        const aged = await privacy.countAged(id, days);
        const hasChanged = form.has("from");
        return retentionReviewPage({ site, account, status: hasChanged ? 409 : 200, days, present, aged, hasChanged });
      }
      await privacy.setRetention(id, days);
    } catch (error) {
      const faults = validationFaults(error);
      if (!faults) throw error;
      return renderPrivacy(deps, account, { typedDays: typed.days, faults });
    }
    if (days === null) return backTo(site, paths.privacy, "retention-off");
    return backTo(site, paths.privacy, isMore || days === present ? "retention-on" : "retention-longer");
  });

/** The page with both forms, as they were typed when they are at fault. */
async function renderPrivacy(
  { accounts, privacy }: StudioDeps,
  account: Account,
  { notice = null, ...forms }: Partial<PrivacyForms> & { notice?: Notice | null },
): Promise<PageReply> {
  const { id } = account.streamer;
  const [days, erasures] = await Promise.all([privacy.retention(id), privacy.list(id)]);
  return privacyPage({
    ...{ site: accounts.site, account, notice, status: forms.faults ? 400 : 200, erasures, days },
    ...{ donator: initialDonatorForm, typedDays: days === null ? "" : String(days), faults: {}, ...forms },
  });
}

type Review = Readonly<{ donator: DonatorForm; found: Counted; obstacle?: Obstacle }>;

const statuses: Readonly<Record<Obstacle, number>> = { changed: 409, locked: 503 };

function renderReview({ accounts: { site } }: StudioDeps, account: Account, review: Review): PageReply {
  const status = review.obstacle ? statuses[review.obstacle] : 200;
  return erasureReviewPage({ site, account, status, id: newId(), ...review });
}

/** Runs `act`. Shows the first page again, with what was typed and its faults, when the contract refuses the donator. */
async function orFaults(
  deps: StudioDeps,
  account: Account,
  donator: DonatorForm,
  act: (donator: DonatorForm) => Promise<PageReply>,
): Promise<PageReply> {
  try {
    return await act(donator);
  } catch (error) {
    const faults = validationFaults(error);
    if (!faults) throw error;
    return renderPrivacy(deps, account, { donator, faults: donatorFaults(faults) });
  }
}
