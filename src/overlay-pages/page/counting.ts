// Animates numbers: they count up to their new value instead of jumping.

const durationMs = 900;
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

/** Returns a function that shows the next value; with `atOnce`, without an animation. */
export function countingText(element: HTMLElement, format: (value: number) => string): (value: number, atOnce: boolean) => void {
  let shown = 0;
  let run = 0;
  const show = (value: number) => {
    shown = value;
    element.textContent = format(value);
  };
  return (value, atOnce) => {
    const ownRun = ++run;
    if (atOnce || reducedMotion.matches || document.hidden) return show(value);
    const [from, begin] = [shown, performance.now()];
    const step = (now: number) => {
      if (ownRun !== run) return;
      const done = Math.min(1, Math.max(0, (now - begin) / durationMs));
      if (done === 1) return show(value);
      show(Math.round(from + (value - from) * (1 - (1 - done) ** 3)));
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  };
}
