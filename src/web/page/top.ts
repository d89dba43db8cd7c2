// Widget: who has given most, of all time. ?count=1 to 10 of them.

import { summedIn } from "../../http/summed-currency.ts";
import { formatMoney } from "../core/money.ts";
import { tidy } from "../core/text.ts";
import { element, part } from "./dom.ts";
import { foreign, rowCount, showRows } from "./rows.ts";
import { openWidget } from "./widget.ts";

openWidget(({ query, words }) => {
  const count = rowCount(query);
  part("title").textContent = words.top;

  return ({ top }, first) => {
    part("card").hidden = top.length === 0;
    const seen: string[] = [];
    const rows = top.slice(0, count).map(({ rank, donatorName, amount }) => {
      const name = tidy(donatorName) || words.someone;
      const id = `${name} ${seen.filter((other) => other === name).length}`; // two donators may have one name
      seen.push(name);
      const place = element("span", `rank rank-${rank}`, String(rank));
      return { id, parts: [place, foreign("span", "name", name), element("b", "amount", formatMoney(amount, summedIn))] };
    });
    showRows(part("rows"), rows, first);
  };
});
