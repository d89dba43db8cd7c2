// The form of retention: for how many days donations keep what their donators wrote. Erasing more than before asks for a confirmation.

import type { PageHandler, PageReply } from "../../ui/serve-pages.ts";
import { faultsByField, readNumber } from "../components/field-faults.ts";
import { backTo } from "../notices.ts";
import { paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { renderPrivacy } from "./privacy.ts";
import { retentionReviewPage } from "./retention-review-page.ts";

/** POST /studio/privacy/retention. `from`: the setting that a confirmation was asked with; without it, one is asked for. */
export const changeRetention = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.privacy, async ({ account, form }) => {
    const { accounts, privacy } = deps;
    const { site } = accounts;
    const { id } = account.streamer;
    const typedDays = form.get("days") ?? "";
    const days = typedDays.trim() === "" ? null : (readNumber(typedDays) as number); // deps refuse what is no number
    const present = await privacy.retention(id);
    const isMore = typeof days === "number" && days < (present ?? Number.POSITIVE_INFINITY);
    let question: PageReply | null = null;
    const faults = await faultsByField(async () => {
      if (!isMore || form.get("from") === String(present)) return privacy.setRetention(id, days);
      const aged = await privacy.countAged(id, days);
      const html = retentionReviewPage({ site, account, days, present, aged, hasChanged: form.has("from") });
      question = { status: form.has("from") ? 409 : 200, html, scripted: true };
    });
    if (faults) return renderPrivacy(deps, account, { typedDays, faults });
    if (question) return question;
    if (days === null) return backTo(site, paths.privacy, "retention-off");
    return backTo(site, paths.privacy, isMore || days === present ? "retention-on" : "retention-longer");
  });
