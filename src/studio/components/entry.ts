// A donation or an alert as an entry of a list.

import { type Html, html } from "../../ui/html.ts";
import { bilingual, isolated } from "../../ui/layout.ts";
import type { Donation, VoidReason } from "../donations/donations-deps.ts";
import { formatAmount, voidReasonLabels } from "./labels.ts";

/** `href`: of the donation's page, for the name to lead to. */
type Entry = Pick<Donation, "donatorName" | "amount" | "currency" | "message"> & { marks: readonly (Html | false)[]; href?: string };

export function renderEntry({ donatorName, amount, currency, message, marks, href }: Entry): Html {
  const name = isolated(donatorName);
  return html`<div class="entry">
<p><strong>${href === undefined ? name : html`<a href="${href}">${name}</a>`}</strong> <span class="amount">${formatAmount(amount, currency)}</span></p>
${message !== "" && html`<p class="said">${isolated(message)}</p>`}
<p class="marks">${marks}</p>
</div>`;
}

export function voidMark(reason: VoidReason): Html {
  return html`<span class="label skipped">${bilingual({ th: "โมฆะ", en: "Void" })}: ${bilingual(voidReasonLabels[reason])}</span>`;
}

export const testMark = html`<span class="label">${bilingual({ th: "ทดสอบ", en: "Test" })}</span>`;
