// Widget: the time that is left of the timer. It counts down by itself from what the server said last.

import { maxTitle } from "../../ui/widget-options.ts";
import type { Widgets } from "../core/api.ts";
import { formatTimeLeft, leftAfter, untilNextSecond } from "../core/timer.ts";
import { part } from "./dom.ts";
import { openWidget } from "./widget.ts";

type Shown = Readonly<{ timer: NonNullable<Widgets["timer"]>; at: number }>;

const [card, state, left, gain] = [part("card"), part("state"), part("left"), part("gain")];
let shown: Shown | null = null;
let nextTick: ReturnType<typeof setTimeout> | undefined;

/** A timer of a browser may fire a little early. */
const marginMs = 5;

openWidget(({ parameters, words }) => {
  part("title").textContent = parameters.text("title", maxTitle) ?? words.timer;
  const states = { off: "", running: "", paused: words.timerPaused, ended: words.timerEnded };

  return ({ timer }, first) => {
    const before = shown;
    shown = timer && { timer, at: performance.now() };
    card.hidden = timer === null;
    if (!timer) return;
    state.textContent = states[timer.status];
    card.dataset.status = timer.status;
    if (before && before.timer.status !== "ended" && !first) showGain(timer.remainingMs - leftNow(before));
    tick();
  };
});

// Browsers delay the timers of a hidden page.
document.addEventListener("visibilitychange", tick);

function leftNow({ timer, at }: Shown): number {
  return leftAfter(timer, performance.now() - at);
}

function tick(): void {
  clearTimeout(nextTick);
  if (!shown) return;
  const ms = leftNow(shown);
  left.textContent = formatTimeLeft(ms);
  if (shown.timer.status === "running" && ms > 0) nextTick = setTimeout(tick, untilNextSecond(ms) + marginMs);
}

/** Shows what was added for a moment. The clocks of server and page may differ by less than a second. */
function showGain(ms: number): void {
  if (ms < 1_000) return;
  gain.textContent = `+${formatTimeLeft(Math.round(ms / 1_000) * 1_000)}`;
  for (const animation of gain.getAnimations()) animation.cancel();
  gain.animate([{ opacity: 1 }, { opacity: 1, offset: 0.7 }, { opacity: 0 }], { duration: 3_000, fill: "both" });
}
