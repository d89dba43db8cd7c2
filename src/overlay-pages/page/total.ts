// Widget: the sum of donations today, this month, or of all time: ?span=today|month|all.

import { summedIn } from "../../base/summed-currency.ts";
import { maxTitle, totalSpans } from "../../ui/widget-options.ts";
import { formatCount, formatMoney } from "../core/text.ts";
import { countingText, part } from "./dom.ts";
import { openWidget } from "./widget.ts";

const showAmount = countingText(part("amount"), (amount) => formatMoney(amount, summedIn));

openWidget(({ parameters, words }) => {
  const span = parameters.choice("span", totalSpans);
  part("title").textContent = parameters.text("title", maxTitle) ?? words[span];

  return ({ totals }, first) => {
    const { amount, count } = totals[span];
    part("card").hidden = false;
    part("count").textContent = `${formatCount(count)} ${count === 1 ? words.once : words.times}`;
    showAmount(amount, first);
  };
});
