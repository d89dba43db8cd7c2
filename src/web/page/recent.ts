// Widget: the newest donations. ?count=1 to 10 sets how many.

import { formatMoney } from "../core/money.ts";
import { cleanText } from "../core/text.ts";
import { element, part } from "./dom.ts";
import { rowCount, showRows, userTextCell } from "./rows.ts";
import { openWidget } from "./widget.ts";

openWidget(({ query, words }) => {
  const count = rowCount(query);
  part("title").textContent = words.recent;

  return ({ recent }, first) => {
    part("card").hidden = recent.length === 0;
    const rows = recent.slice(0, count).map(({ donationId, donatorName, amount, currency, message }) => {
      const tidyMessage = cleanText(message);
      const cells = [
        userTextCell("span", "name", cleanText(donatorName) || words.someone),
        element("b", "amount", formatMoney(amount, currency)),
      ];
      return { id: donationId, parts: tidyMessage ? [...cells, userTextCell("p", "message", tidyMessage)] : cells };
    });
    showRows(part("rows"), rows, first);
  };
});
