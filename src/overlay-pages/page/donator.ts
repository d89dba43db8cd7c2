// Widget: the donator of one donation: of the latest, or with ?show=largest of the largest, of all time or ?period=day, week or month.

import { cleanText } from "../../base/text.ts";
import { donatorKinds, maxTitle, widgetPeriods } from "../../ui/widget-options.ts";
import { formatMoney } from "../core/text.ts";
import { part } from "./dom.ts";
import { openWidget } from "./widget.ts";

openWidget(({ parameters, words }) => {
  const kind = parameters.choice("show", donatorKinds);
  const period = parameters.choice("period", widgetPeriods);
  const usualTitle = kind === "latest" ? words.latestDonator : words.largestOf[period];
  part("title").textContent = parameters.text("title", maxTitle) ?? usualTitle;

  return ({ recent, largest }) => {
    const donation = kind === "latest" ? recent[0] : largest[period];
    part("card").hidden = !donation;
    if (!donation) return;
    part("name").textContent = cleanText(donation.donatorName) || words.someone;
    part("amount").textContent = formatMoney(donation.amount, donation.currency);
  };
});
