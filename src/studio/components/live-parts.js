// Begins the scripts of the studio and of the moderators' page: parts that are replaced when they have changed, and what counts down in them.

/** Leaves an unchanged part alone, because screen readers would read it again. Keeps the focus. */
// biome-ignore lint/correctness/noUnusedVariables: the scripts that follow it call it.
function replaceChanged(shown, fresh) {
  const { innerHTML } = fresh;
  if ((shown.wasFresh ?? shown.innerHTML) === innerHTML) return; // countdowns and buttons have changed what is shown
  shown.wasFresh = innerHTML;
  const focused = shown.contains(document.activeElement) ? document.activeElement.id : null;
  shown.replaceChildren(...fresh.childNodes);
  countDown();
  if (focused !== null) (document.getElementById(focused) ?? shown).focus();
}

// Counts down what is left of a timer until the page is refreshed again, and to the instants when held alerts time out; and fills the line of
// what plays.
setInterval(countDown, 250);
countDown();

function countDown() {
  for (const left of document.querySelectorAll("[data-left]")) {
    left.shownAt ??= performance.now();
    const seconds = Math.ceil(Math.max(0, left.dataset.left - (performance.now() - left.shownAt)) / 1_000);
    write(left, `${Math.floor(seconds / 3_600)}:${twoDigits(Math.floor(seconds / 60) % 60)}:${twoDigits(seconds % 60)}`);
  }
  for (const until of document.querySelectorAll("[data-until]")) {
    const seconds = Math.max(0, Math.ceil((Date.parse(until.dataset.until) - Date.now()) / 1_000));
    write(until, `${until.dataset.in} ${minutes(seconds)}`);
  }
  for (const line of document.querySelectorAll("[data-from]")) {
    const [from, to] = [line.dataset.from, line.dataset.to].map(Date.parse);
    const passed = Math.min(to - from, Math.max(0, Date.now() - from));
    line.style.setProperty("--passed", passed / (to - from));
    write(line, `${minutes(Math.floor(passed / 1_000))} / ${minutes(Math.round((to - from) / 1_000))}`);
  }
}

function write(part, text) {
  if (part.textContent !== text) part.textContent = text;
}

function minutes(seconds) {
  return `${Math.floor(seconds / 60)}:${twoDigits(seconds % 60)}`;
}

function twoDigits(number) {
  return String(number).padStart(2, "0");
}
