// Numbers that run up to their new value instead of jumping.

const duration = 900;
const quiet = matchMedia("(prefers-reduced-motion: reduce)");

/** Returns what shows the next value; `at once` without running. */
export function countingText(element: HTMLElement, format: (value: number) => string): (value: number, atOnce: boolean) => void {
  let shown = 0;
  let run = 0;
  const show = (value: number) => {
    shown = value;
    element.textContent = format(value);
  };
  return (value, atOnce) => {
    const mine = ++run;
    if (atOnce || quiet.matches || document.hidden) return show(value);
    const [from, begin] = [shown, performance.now()];
    const step = (now: number) => {
      if (mine !== run) return;
      const done = Math.min(1, Math.max(0, (now - begin) / duration));
      if (done === 1) return show(value);
      show(Math.round(from + (value - from) * (1 - (1 - done) ** 3)));
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  };
}
