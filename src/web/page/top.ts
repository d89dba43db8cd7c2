// Widget: the donators with the largest sums of all time. ?count=1 to 10 sets how many.

import { summedIn } from "../../http/summed-currency.ts";
import { formatMoney } from "../core/money.ts";
import { cleanText } from "../core/text.ts";
import { element, part } from "./dom.ts";
import { rowCount, showRows, userTextCell } from "./rows.ts";
import { openWidget } from "./widget.ts";

openWidget(({ query, words }) => {
  const count = rowCount(query);
  part("title").textContent = words.top;

  return ({ top }, first) => {
    part("card").hidden = top.length === 0;
    const seen: string[] = [];
    const rows = top.slice(0, count).map(({ rank, donatorName, amount }) => {
      const name = cleanText(donatorName) || words.someone;
      const id = `${name} ${seen.filter((other) => other === name).length}`; // two donators may have one name
      seen.push(name);
      const place = element("span", `rank rank-${rank}`, String(rank));
      return { id, parts: [place, userTextCell("span", "name", name), element("b", "amount", formatMoney(amount, summedIn))] };
    });
    showRows(part("rows"), rows, first);
  };
});
