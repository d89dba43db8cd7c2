// Widget: the donators with the largest sums, of all time or ?period=day, week or month. ?count=1 to 10 sets how many.

import { summedIn } from "../../base/summed-currency.ts";
import { cleanText } from "../../base/text.ts";
import { maxTitle, rowCounts, widgetPeriods } from "../../ui/widget-options.ts";
import { formatMoney } from "../core/text.ts";
import { element, fitToPage, part, showRows, userTextCell } from "./dom.ts";
import { openWidget } from "./widget.ts";

const card = part("card");
addEventListener("resize", () => fitToPage(card));

openWidget(({ parameters, words }) => {
  const count = parameters.whole("count", rowCounts);
  const period = parameters.choice("period", widgetPeriods);
  part("title").textContent = parameters.text("title", maxTitle) ?? words.top[period];

  return (widgets, first) => {
    const top = period === "all" ? widgets.top : widgets.topOf[period];
    card.hidden = top.length === 0;
    const seen: string[] = [];
    const rows = top.slice(0, count).map(({ rank, donatorName, amount }) => {
      const name = cleanText(donatorName) || words.someone;
      const id = `${name} ${seen.filter((other) => other === name).length}`; // two donators may have one name
      seen.push(name);
      const place = element("span", `rank rank-${rank}`, String(rank));
      return { id, parts: [place, userTextCell("span", "name", name), element("b", "amount", formatMoney(amount, summedIn))] };
    });
    showRows(part("rows"), rows, first);
    fitToPage(card);
  };
});
