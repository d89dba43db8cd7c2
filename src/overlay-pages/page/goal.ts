// Widget: the progress towards the first goal, or towards the one that ?goal= names by its id.

import { summedIn } from "../../base/summed-currency.ts";
import { cleanText } from "../../base/text.ts";
import type { Widgets } from "../core/api.ts";
import type { Parameters } from "../core/parameters.ts";
import { formatDay, formatMoney, formatPercent } from "../core/text.ts";
import { countingText, part } from "./dom.ts";
import type { Words } from "./texts.ts";
import { openWidget } from "./widget.ts";

type Parts = [HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement];
const [card, title, percent, bar, current, target] = ["card", "title", "percent", "bar", "current", "target"].map(part) as Parts;
const showCurrent = countingText(current, (amount) => formatMoney(amount, summedIn));

openWidget(({ parameters, words }) => (widgets, first) => {
  const goal = chooseGoal(widgets, parameters);
  card.hidden = goal === null;
  if (!goal) return;
  const reached = goal.current >= goal.target;
  title.textContent = cleanText(goal.title);
  percent.textContent = reached ? words.reached : formatPercent(goal.current, goal.target);
  target.textContent = [formatMoney(goal.target, summedIn), endOf(goal, words)].filter(Boolean).join(" · ");
  card.classList.toggle("reached", reached);
  bar.style.setProperty("--part", String(Math.min(1, Math.max(0, goal.current / goal.target))));
  showCurrent(goal.current, first);
});

function chooseGoal({ goal, goals }: Widgets, parameters: Parameters): Widgets["goal"] {
  if (!parameters.has("goal")) return goal;
  const ids = goals.map(({ id }) => id);
  const named = parameters.checked("goal", (id) => ids.includes(id), ids.join(", ") || "–");
  return goals.find(({ id }) => id === named) ?? null;
}

/** The last day of the goal in words; empty without one. */
function endOf({ to, ended }: NonNullable<Widgets["goal"]>, words: Words): string {
  if (!to) return "";
  return ended ? words.ended : `${words.until} ${formatDay(to, document.documentElement.lang)}`;
}
