// Optional script of the studio's pages: refreshes the live parts of the alerts page, sends forms only while the server can be reached,
// speaks samples, and adds copy buttons.

// Sets the page's own address, so that a reload does not send the form again or repeat the notice. What the page shows stays in it.
const here = document.querySelector("[data-here]")?.dataset.here ?? addressOf(document.querySelector("nav [aria-current=page]"));
if (here) history.replaceState(null, "", here);

function addressOf(link) {
  if (!link || new URL(link.href).pathname !== location.pathname) return link?.href;
  const address = new URL(location.href);
  address.searchParams.delete("note");
  return address.href;
}

// A page with live parts is refreshed often; of the others the frame, which says how alerts stand.
const live = document.querySelector("[data-source]");
const stale = document.getElementById("stale");
const source = live?.dataset.source ?? document.getElementById("live-overall")?.dataset.overall;
const refreshMs = Number(live?.dataset.every ?? (live ? 2_000 : 6_000));
if (source) setTimeout(refresh, refreshMs);

async function refresh() {
  const isFresh = document.visibilityState !== "visible" || (await update(source).catch(() => false));
  if (stale) stale.hidden = isFresh;
  setTimeout(refresh, refreshMs);
}

/** Replaces the live parts that have changed. Resolves to whether they could be loaded. */
async function update(source) {
  const answer = await fetch(source, { redirect: "manual", signal: AbortSignal.timeout(10_000) });
  // The session has ended. What is typed in and not sent yet stays: when it is sent, the login keeps it.
  if (answer.type === "opaqueredirect" && !hasUnsentChanges()) location.reload();
  if (!answer.ok) return false;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of fresh.querySelectorAll("[data-live]")) {
    const shown = document.getElementById(part.id);
    if (shown) swap(shown, part);
  }
  return true;
}

/** While a form is about to be sent all stays, because its button would be lost. */
function swap(shown, fresh) {
  if (!isChecking) replaceChanged(shown, fresh);
}

/** The form that was found to be sendable, with its button. */
let checked = null;
let isChecking = false;
/** For so long a form that was sent is not sent again by a double click; then its answer may have been lost. */
const answerMs = 5_000;
let sentAt = -answerMs;

for (const form of document.querySelectorAll("form[method=post]")) form.addEventListener("submit", sendIfReachable);

/** The form that is being sent: the page may be left with its changes. */
let leavesWith = null;

// Asks before changes are lost: in forms that are sent with data, what a person has typed, ticked or chosen since the page was made.
addEventListener("beforeunload", (event) => {
  const changed = hasUnsentChanges();
  leavesWith = null;
  if (changed) event.preventDefault();
});

function hasUnsentChanges() {
  return [...document.querySelectorAll("form[method=post]")].some((form) => form !== leavesWith && hasChanges(form));
}

function hasChanges(form) {
  return [...form.elements].some((field) => {
    if (field.type === "hidden" || field.readOnly || !field.name) return false;
    if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
    if (field.options) return [...field.options].some((one) => one.defaultSelected) && !field.selectedOptions[0]?.defaultSelected;
    return "defaultValue" in field && field.value !== field.defaultValue;
  });
}

/** The browser's own error page would lose what was typed in. */
async function sendIfReachable(event) {
  const { currentTarget: form, submitter } = event;
  if (checked === form) {
    checked = null;
    sentAt = performance.now();
    leavesWith = form;
    return;
  }
  event.preventDefault();
  if (isChecking || performance.now() - sentAt < answerMs) return;
  isChecking = true;
  const isReachable = await reach();
  isChecking = false;
  document.querySelector("main > .unreachable")?.remove();
  if (!isReachable) return tellUnreachable();
  checked = form;
  form.requestSubmit(submitter);
}

function reach() {
  const { src } = document.querySelector("script[src]");
  const asked = fetch(src, { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(10_000) });
  return asked.then(({ ok }) => ok).catch(() => false);
}

/** Shown at the top, where screen readers and eyes are led. */
function tellUnreachable() {
  const template = document.getElementById("unreachable");
  const words = template.content.firstElementChild.cloneNode(true);
  words.classList.add("unreachable");
  template.after(words);
  words.scrollIntoView({ block: "center" });
}

// A form that is refused comes back with what was typed: its first fault is where to go on.
document.querySelector("[aria-invalid=true]")?.focus();

for (const field of document.querySelectorAll("input[readonly]")) field.addEventListener("focus", () => field.select());

// Browsers allow access to the clipboard on https and localhost only.
for (const button of navigator.clipboard ? document.querySelectorAll("[data-copy]") : []) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const { value, textContent } = document.getElementById(button.dataset.copy);
    await navigator.clipboard.writeText(value ?? textContent);
    button.textContent = button.dataset.copied;
  });
}

// The browser's palette beside each colour. It is sent with no form: what it chooses is written into the field.
for (const field of document.querySelectorAll("input[data-colour]")) {
  const palette = document.createElement("input");
  palette.type = "color";
  palette.setAttribute("aria-label", field.labels[0].textContent);
  // A canvas knows every form of a colour, and keeps the one that it has when a text is none.
  const pen = document.createElement("canvas").getContext("2d");
  const follow = () => {
    const isUnset = field.value.trim() === "";
    both.classList.toggle("unset", isUnset);
    pen.fillStyle = "#808080";
    pen.fillStyle = isUnset ? colourOfTheme(field.dataset.colour) : field.value;
    const parts = /^rgba\((\d+), (\d+), (\d+),/.exec(pen.fillStyle)?.slice(1) ?? []; // with an opacity, which a palette has not
    const digits = parts.map((part) => Number(part).toString(16).padStart(2, "0")).join("");
    palette.value = /^#.{6}$/.exec(pen.fillStyle)?.[0] ?? `#${digits || "808080"}`;
  };
  palette.addEventListener("input", () => {
    field.value = palette.value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  field.addEventListener("input", follow);
  const both = document.createElement("div");
  both.className = "colour";
  field.replaceWith(both);
  both.append(field, palette);
  follow();
  document.querySelector("iframe[data-preview]")?.addEventListener("load", () => setTimeout(follow, 500));
}

/** What the preview has in place of a colour that is not chosen: of a gradient its first one. */
function colourOfTheme(name) {
  const shown = document.querySelector("iframe[data-preview]")?.contentDocument;
  const part = shown?.querySelector(".alert") ?? shown?.documentElement;
  return part ? (/#[0-9a-f]{3,8}\b|rgba?\([^)]*\)/i.exec(getComputedStyle(part).getPropertyValue(name))?.[0] ?? "") : "";
}

// A slider beside each number that has a range. It is sent with no form either.
for (const field of document.querySelectorAll("input[data-slides]")) {
  const [min, max, step] = field.dataset.slides.split(" ");
  const slider = Object.assign(document.createElement("input"), { type: "range", min, max, step });
  slider.setAttribute("aria-label", field.labels[0].textContent);
  const follow = () => {
    both.classList.toggle("unset", field.value.trim() === "");
    slider.value = field.value;
  };
  slider.addEventListener("input", () => {
    field.value = slider.value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  field.addEventListener("input", follow);
  const both = document.createElement("div");
  both.className = "slid";
  field.replaceWith(both);
  both.append(slider, field);
  follow();
}

// One button in place of each player: it plays from the beginning, and stops.
for (const audio of document.querySelectorAll("audio[controls]")) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "play" });
  button.setAttribute("aria-label", audio.getAttribute("aria-label"));
  audio.controls = false;
  audio.after(button);
  const follow = () => button.setAttribute("aria-pressed", String(!audio.paused));
  for (const event of ["play", "pause", "ended"]) audio.addEventListener(event, follow);
  button.addEventListener("click", () => {
    const { paused } = audio;
    for (const other of document.querySelectorAll("audio")) other.pause();
    audio.currentTime = 0;
    if (paused) audio.play().catch(follow);
  });
  follow();
}

// A file that is chosen is uploaded at once, so the button for it would only ask for another one.
for (const field of document.querySelectorAll("input[data-uploads]")) {
  const button = document.getElementById(field.dataset.uploads);
  button.hidden = true;
  field.addEventListener("change", () => field.files.length > 0 && field.form.requestSubmit(button));
}

for (const button of document.querySelectorAll("[data-listen]")) listenBy(button);

/** Speaks a sample as the overlay would, with what is typed, and stops at a second press. Nothing is asked for before the first one. */
function listenBy(button) {
  const { listen, speed, volume, inherits, stop, waits, limited, failed } = button.dataset;
  const state = document.getElementById(button.getAttribute("aria-describedby"));
  const label = button.textContent;
  const typed = (name) => button.form.elements[name]?.value.trim() ?? "";
  const numberOf = (text, otherwise) => Number(text !== "" && Number.isFinite(Number(text)) ? text : otherwise);
  const audio = new Audio();
  audio.preservesPitch = true;
  let turn = null;
  button.hidden = false;

  const address = () => {
    const query = new URLSearchParams({ sample: typed("sample") });
    if (typed("voice") !== "" || inherits === undefined) query.set("voice", typed("voice"));
    return `${listen}?${query}`;
  };
  const end = (words = "") => {
    turn?.abort();
    turn = null;
    audio.pause();
    URL.revokeObjectURL(audio.src);
    button.textContent = label;
    state.textContent = words;
  };
  const play = async (own) => {
    const signal = AbortSignal.any([own.signal, AbortSignal.timeout(30_000)]);
    const answer = await fetch(address(), { redirect: "manual", signal });
    if (!answer.ok) return end(answer.status === 429 ? limited : failed);
    const blob = await answer.blob();
    if (turn !== own) return;
    audio.volume = Math.min(1, Math.max(0, numberOf(typed("speechVolume") || typed("volume"), volume) / 100));
    audio.defaultPlaybackRate = numberOf(typed("speechSpeed"), speed); // a source that is set resets the rate to this one
    audio.src = URL.createObjectURL(blob);
    await audio.play();
    if (turn === own) state.textContent = "";
  };
  audio.addEventListener("ended", () => end());
  button.addEventListener("click", () => {
    if (turn) return end();
    const own = new AbortController();
    turn = own;
    button.textContent = stop;
    state.textContent = waits;
    play(own).catch(() => turn === own && end(failed));
  });
}

/** Half as many steps as the limit of pages allows, so that other pages can be opened meanwhile. */
const sumPauseMs = 400;
const sum = document.getElementById("sum");
if (sum?.querySelector("[data-sums]")) followSum().catch(() => uncover(sum));

/** Adds up step by step until the sum is complete. Only that is read out. The line keeps its height, so that nothing below it moves. */
async function followSum() {
  sum.style.minHeight = `${sum.offsetHeight}px`;
  sum.ariaBusy = "true";
  for (let link = sum.querySelector("[data-sums]"); link; link = sum.querySelector("[data-sums]")) {
    link.style.visibility = "hidden";
    await new Promise((resolve) => setTimeout(resolve, sumPauseMs));
    if (document.visibilityState !== "visible") continue;
    const answer = await fetch(link.dataset.sums, { redirect: "manual", signal: AbortSignal.timeout(30_000) });
    const waitS = Number(answer.headers.get("Retry-After"));
    if (waitS > 0) await new Promise((resolve) => setTimeout(resolve, waitS * 1_000));
    else if (answer.ok) swap(sum, new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("sum"));
    else throw new Error(`${answer.status}`);
  }
  sum.ariaBusy = "false";
}

/** Offers the link, as without a script. */
function uncover(line) {
  line.ariaBusy = "false";
  line.querySelector("[data-sums]").style.visibility = "";
}

const redraw = document.querySelector("button[data-redraws]");
if (redraw) followChoices(redraw.form);

/** The form is drawn anew when a choice changes, as if its button were pressed; one request at a time, and the last choice counts. */
function followChoices(form) {
  const button = () => form.querySelector("button[data-redraws]");
  let isAsking = false;
  let isChanged = false;
  const draw = async () => {
    isAsking = true;
    form.setAttribute("aria-busy", "true");
    while (isChanged) {
      isChanged = false;
      const answer = await fetch(form.action, {
        method: "POST",
        body: new FormData(form),
        redirect: "manual",
        signal: AbortSignal.timeout(30_000),
      });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById(form.id);
      if (isChanged) continue;
      const { scrollLeft } = form.querySelector(".rows") ?? form;
      swap(form, fresh); // there is none where the session has ended
      form.querySelector(".rows")?.scrollTo({ left: scrollLeft });
    }
    form.removeAttribute("aria-busy");
    isAsking = false;
  };
  form.addEventListener("change", () => {
    isChanged = true;
    const start = form.querySelector("button.main");
    if (start) start.disabled = true; // it says what the choice before would import
    if (!isAsking) draw().catch(() => form.requestSubmit(button())); // as without a script
  });
}

const preview = document.querySelector("iframe[data-preview]");
if (preview) followForm(document.querySelectorAll("button[data-previews]"));

/**
 * The preview follows what is typed, as if the first of its buttons were pressed. The server makes it, as without a script: of its page
 * only the frame's address and size are taken, the address that keeps what is typed, and the texts beside the frame.
 */
function followForm(buttons) {
  const [usual] = buttons;
  const { form } = usual;
  let turn = 0;
  let timer;
  let shown = preview.getAttribute("src");
  const show = async (button) => {
    clearTimeout(timer);
    const own = ++turn;
    const body = new URLSearchParams(new FormData(form));
    if (button.name) body.append(button.name, button.value);
    const answer = await fetch(preview.dataset.preview, { method: "POST", body, signal: AbortSignal.timeout(10_000) });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("iframe[data-preview]");
    if (fresh && own === turn) take(page, fresh); // there is none where the session has ended
  };
  const take = (page, fresh) => {
    for (const side of ["width", "height"]) if (fresh.hasAttribute(side)) preview.setAttribute(side, fresh.getAttribute(side));
    for (const text of page.querySelectorAll("[data-follows]")) swap(document.getElementById(text.id), text);
    history.replaceState(null, "", page.querySelector("[data-here]").dataset.here);
    const address = fresh.getAttribute("src");
    if (address !== shown) preview.contentWindow.location.replace(new URL(address, location.href));
    shown = address;
  };
  // On the document: fields beside the form belong to it as well.
  document.addEventListener("input", ({ target }) => {
    if (target.form !== form || target.type === "file") return;
    clearTimeout(timer);
    const isChosen = target.matches("select, [type=radio], [type=checkbox]"); // what is typed or dragged goes on
    timer = setTimeout(() => show(usual).catch(() => {}), isChosen ? 0 : 700);
  });
  for (const button of buttons)
    button.addEventListener("click", (event) => {
      event.preventDefault();
      show(button).catch(() => form.requestSubmit(button)); // as without a script
    });
}

// A tap on a bar of a chart shows its amount before another one leaves the page.
document.addEventListener("click", (event) => {
  const bar = event.target.closest(".bars a");
  if (!bar || event.pointerType !== "touch" || bar.classList.contains("shown")) return;
  event.preventDefault();
  for (const other of document.querySelectorAll(".bars a")) other.classList.toggle("shown", other === bar);
});

// In a chart the arrow keys go from bar to bar, in a list from row to row, as do j and k; from the search they go into the list.
const ways = [
  { among: ".bars", back: ["ArrowLeft"], on: ["ArrowRight"] },
  { among: ".list tbody", back: ["ArrowUp", "k"], on: ["ArrowDown", "j"] },
];
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "ArrowDown" && event.target.matches(".search input")) document.querySelector(".list tbody a[id]")?.focus();
  for (const { among, back, on } of ways) {
    const all = [...(event.target.closest(among)?.querySelectorAll("a[id]") ?? [])];
    const place = all.indexOf(event.target);
    if (place < 0) continue;
    const places = {
      Home: 0,
      End: all.length - 1,
      [back.find((key) => key === event.key)]: place - 1,
      [on.find((key) => key === event.key)]: place + 1,
    };
    if (!Object.hasOwn(places, event.key)) continue;
    event.preventDefault();
    all[places[event.key]]?.focus();
  }
});

// A menu closes when somebody presses Escape or something beside it; the focus stays with its name.
const menus = [...document.querySelectorAll("details:is(.account, .more)")];
document.addEventListener("click", ({ target }) => {
  for (const menu of menus) if (!menu.contains(target)) menu.open = false;
});
document.addEventListener("keydown", ({ key }) => {
  for (const menu of menus.filter((one) => key === "Escape" && one.open)) {
    if (menu.contains(document.activeElement)) menu.firstElementChild.focus();
    menu.open = false;
  }
});

// Screen readers tell what comes into a status, not what was there when the page was made. A toast goes when it can have been read: it takes
// no focus, and stays while the pointer is on it or the page is not seen.
const toast = document.querySelector("main.broad > .right[role=status]");
if (toast) {
  const words = toast.textContent;
  toast.textContent = "";
  setTimeout(() => {
    toast.textContent = words;
  }, 100);
  let leftMs = 6_000 + 100 * words.length;
  const stepMs = 500;
  const step = () => {
    if (document.visibilityState === "visible" && !toast.matches(":hover")) leftMs -= stepMs;
    if (leftMs > 0) setTimeout(step, stepMs);
    else toast.remove();
  };
  step();
}
