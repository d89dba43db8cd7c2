// Widget: the progress towards the goal.

import { summedIn } from "../../http/summed-currency.ts";
import { formatMoney, formatPercent } from "../core/money.ts";
import { cleanText } from "../core/text.ts";
import { countingText } from "./counting.ts";
import { part } from "./dom.ts";
import { openWidget } from "./widget.ts";

openWidget(({ words }) => {
  const [card, title, percent, bar, current, target] = ["card", "title", "percent", "bar", "current", "target"].map(part) as Parts;
  const showCurrent = countingText(current, (amount) => formatMoney(amount, summedIn));

  return ({ goal }, first) => {
    card.hidden = goal === null;
    if (!goal) return;
    const reached = goal.current >= goal.target;
    title.textContent = cleanText(goal.title);
    percent.textContent = reached ? words.reached : formatPercent(goal.current, goal.target);
    target.textContent = formatMoney(goal.target, summedIn);
    card.classList.toggle("reached", reached);
    bar.style.setProperty("--part", String(Math.min(1, Math.max(0, goal.current / goal.target))));
    showCurrent(goal.current, first);
  };
});

type Parts = [HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement];
