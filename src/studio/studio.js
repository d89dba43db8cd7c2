// Optional script of the studio's pages: refreshes the live parts of the alerts page, and adds copy buttons.

const refreshMs = 2_000;

// Sets the page's own address, so that a reload does not send the form again or repeat the notice. What the page shows stays in it.
const here = document.querySelector("[data-here]")?.dataset.here ?? addressOf(document.querySelector("nav [aria-current=page]"));
if (here) history.replaceState(null, "", here);

function addressOf(link) {
  if (!link || new URL(link.href).pathname !== location.pathname) return link?.href;
  const address = new URL(location.href);
  address.searchParams.delete("note");
  return address.href;
}

const live = document.querySelector("[data-source]");
const stale = document.getElementById("stale");
if (live) setTimeout(refresh, refreshMs);

async function refresh() {
  if (document.visibilityState === "visible") stale.hidden = await update(live.dataset.source).catch(() => false);
  setTimeout(refresh, refreshMs);
}

/** Replaces the live parts that have changed. Resolves to whether they could be loaded. */
async function update(source) {
  const answer = await fetch(source, { redirect: "manual", signal: AbortSignal.timeout(10_000) });
  if (answer.type === "opaqueredirect") location.reload(); // the session has ended
  if (!answer.ok) return false;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of fresh.querySelectorAll("[data-live]")) swap(document.getElementById(part.id), part);
  return true;
}

/** Leaves unchanged parts alone, because screen readers would read them again. Keeps the focus. */
function swap(shown, fresh) {
  if (shown.innerHTML === fresh.innerHTML) return;
  const focused = shown.contains(document.activeElement) ? document.activeElement.id : null;
  shown.replaceChildren(...fresh.childNodes);
  if (focused !== null) (document.getElementById(focused) ?? shown).focus();
}

for (const field of document.querySelectorAll("input[readonly]")) field.addEventListener("focus", () => field.select());

// Browsers allow access to the clipboard on https and localhost only.
for (const button of navigator.clipboard ? document.querySelectorAll("[data-copy]") : []) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).value);
    button.textContent = button.dataset.copied;
  });
}
