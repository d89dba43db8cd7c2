// Widget: the newest donations. ?count=1 to 10 sets how many.

import { cleanText } from "../../base/text.ts";
import { maxTitle, rowCounts } from "../../ui/widget-options.ts";
import { formatMoney } from "../core/text.ts";
import { element, fitToPage, part, showRows, userTextCell } from "./dom.ts";
import { openWidget } from "./widget.ts";

const card = part("card");
addEventListener("resize", () => fitToPage(card));

openWidget(({ parameters, words }) => {
  const count = parameters.whole("count", rowCounts);
  part("title").textContent = parameters.text("title", maxTitle) ?? words.recent;

  return ({ recent }, first) => {
    card.hidden = recent.length === 0;
    const rows = recent.slice(0, count).map(({ donationId, donatorName, amount, currency, message }) => {
      const tidyMessage = cleanText(message);
      const cells = [
        userTextCell("span", "name", cleanText(donatorName) || words.someone),
        element("b", "amount", formatMoney(amount, currency)),
      ];
      return { id: donationId, parts: tidyMessage ? [...cells, userTextCell("p", "message", tidyMessage)] : cells };
    });
    showRows(part("rows"), rows, first);
    fitToPage(card);
  };
});
