// Help for the streamer's pages, which work without it: parts that change by themselves, copy buttons.

const refreshMs = 2_000;

// A reload shows the page, instead of sending its form again or repeating its notice.
const here = document.querySelector("nav [aria-current=page]");
if (here) history.replaceState(null, "", here.href);

const live = document.querySelector("[data-source]");
const stale = document.getElementById("stale");
if (live) setTimeout(refresh, refreshMs);

async function refresh() {
  if (document.visibilityState === "visible") stale.hidden = await update(live.dataset.source).catch(() => false);
  setTimeout(refresh, refreshMs);
}

/** Puts fresh parts in the place of those that changed. Answers whether they could be read. */
async function update(source) {
  const answer = await fetch(source, { redirect: "manual", signal: AbortSignal.timeout(10_000) });
  if (answer.type === "opaqueredirect") location.reload(); // logged out elsewhere
  if (!answer.ok) return false;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of fresh.querySelectorAll("[data-live]")) swap(document.getElementById(part.id), part);
  return true;
}

/** What has not changed stays: screen readers would read it again. The focus stays where it was. */
function swap(shown, fresh) {
  if (shown.innerHTML === fresh.innerHTML) return;
  const focused = shown.contains(document.activeElement) ? document.activeElement.id : null;
  shown.replaceChildren(...fresh.childNodes);
  if (focused !== null) (document.getElementById(focused) ?? shown).focus();
}

for (const field of document.querySelectorAll("input[readonly]")) field.addEventListener("focus", () => field.select());

// Browsers give the clipboard to https and localhost only.
for (const button of navigator.clipboard ? document.querySelectorAll("[data-copy]") : []) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).value);
    button.textContent = button.dataset.copied;
  });
}
