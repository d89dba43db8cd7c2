// Widget: the newest donations. ?count=1 to 10 of them.

import { formatMoney } from "../core/money.ts";
import { tidy } from "../core/text.ts";
import { element, part } from "./dom.ts";
import { foreign, rowCount, showRows } from "./rows.ts";
import { openWidget } from "./widget.ts";

openWidget(({ query, words }) => {
  const count = rowCount(query);
  part("title").textContent = words.recent;

  return ({ recent }, first) => {
    part("card").hidden = recent.length === 0;
    const rows = recent.slice(0, count).map(({ donationId, donatorName, amount, currency, message }) => {
      const said = tidy(message ?? "");
      const cells = [foreign("span", "name", tidy(donatorName) || words.someone), element("b", "amount", formatMoney(amount, currency))];
      return { id: donationId, parts: said ? [...cells, foreign("p", "message", said)] : cells };
    });
    showRows(part("rows"), rows, first);
  };
});
