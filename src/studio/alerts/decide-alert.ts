// Decisions of the alerts page about single alerts, held and waiting ones.

import { Problem } from "../../http/problem.ts";
import type { PageHandler } from "../../ui/serve-pages.ts";
import { backTo, type NoticeName, orBack, type WaysBack } from "../notices.ts";
import { paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { type Decision, decisions } from "./held-alerts.ts";

const notices: Record<Decision, NoticeName> = {
  ...{ approve: "approved", mask: "masked", deny: "denied" },
  ...{ skip: "skipped-one", next: "put-next" },
};

/** POST /studio/decide: a button's value is the decision and the donation. */
export const decideAlert = ({ accounts, client }: StudioDeps): PageHandler =>
  accounts.form(paths.alerts, async ({ account, form }) => {
    const [name = "", donationId = ""] = (form.get("decision") ?? "").split(" ");
    if (!isDecision(name)) throw new Problem("validation_failed", `A decision is one of ${Object.keys(decisions).join(", ")}.`);
    return orBack(accounts.site, waysBack(name), async () => {
      await client.call(account.streamer.id, decisions[name], { path: { donationId } });
      return backTo(accounts.site, paths.alerts, notices[name]);
    });
  });

function isDecision(name: string): name is Decision {
  return Object.hasOwn(decisions, name);
}

function waysBack(decision: Decision): WaysBack {
  const isAboutWaiting = decision === "skip" || decision === "next";
  return {
    alert_not_found: [paths.alerts, "no-donation"],
    alert_state_conflict: [paths.alerts, isAboutWaiting ? "waits-no-more" : "decided-already"],
  };
}
