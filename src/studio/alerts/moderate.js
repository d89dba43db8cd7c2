// The moderators' page: takes the key from the address, shows the alert queue, and calls the API's operations with it.

const refreshMs = 2_000;
const timeoutMs = 10_000;
/** Longer than between the taps of a double tap. */
const settleMs = 700;
const stored = "moderator key";

const queue = document.getElementById("queue");
const notice = document.getElementById("notice");
const channel = document.getElementById("channel");

let key = takeKey();
/** Counts requests that change something, keys, and ends: what was asked before one of them is out of date. */
let changes = 0;
let timer;

addEventListener("hashchange", () => {
  key = takeKey();
  channel.textContent = "";
  changes += 1;
  refresh();
});
document.addEventListener("click", ({ target }) => {
  const button = target.closest("button[data-act]");
  if (button && (button.id === "hide" || !("settling" in queue.dataset))) act(button);
});
/** A key that is held down would decide about one alert after the other. */
document.addEventListener("keydown", (event) => {
  if (event.repeat && event.key === "Enter" && event.target.closest("button[data-act]")) event.preventDefault();
});
refresh();

/**
 * Takes the key out of the address, because moderators' screens are seen by others too; a reload finds it in this tab's own storage. The
 * fragment is never sent to the server.
 */
function takeKey() {
  const given = location.hash.slice(1);
  if (given !== "") {
    sessionStorage.setItem(stored, given);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return sessionStorage.getItem(stored) ?? "";
}

/** Asks for the queue, and again later, unless the key is refused. */
async function refresh() {
  clearTimeout(timer);
  if (key === "") return end("noKey");
  const before = changes;
  const isUsable = document.visibilityState === "hidden" || (await send("", "GET", before));
  clearTimeout(timer);
  if (isUsable && key !== "") timer = setTimeout(refresh, refreshMs);
}

/** Names the streamer, because a moderator may have links of several. */
async function nameChannel() {
  const asked = key;
  const answer = await ask("", "GET", queue.dataset.me);
  if (answer?.status === 200 && asked === key) channel.textContent = answer.body.data.streamer.handle;
}

async function act(button) {
  const { act, donation } = button.dataset;
  const [place, list] = [buttonsOf(act).indexOf(button), button.closest("[tabindex]")];
  button.disabled = true;
  changes += 1;
  await send(donation ? `/${donation}/${act}` : `/${act}`, "POST", changes);
  button.disabled = false;
  refreshControls();
  // A button that is disabled, hidden or removed loses the focus: the next one of its kind gets it, or else the list.
  const next = [buttonsOf(act)[place], buttonsOf(act).at(-1), ...buttonsOf(opposite[act]), list];
  if (document.activeElement === document.body) next.find((one) => one?.checkVisibility() && !one.disabled)?.focus();
  settle();
}

const opposite = { hide: "unhide", unhide: "hide" };

function buttonsOf(act) {
  return [...queue.querySelectorAll(`button[data-act=${act}]`)];
}

let settled;

/** No button acts for a moment but the one that hides everything: a second tap would hit what has come below the finger meanwhile. */
function settle() {
  queue.dataset.settling = "";
  clearTimeout(settled);
  settled = setTimeout(() => delete queue.dataset.settling, settleMs);
}

/** Where each button of the lists stands. */
function places() {
  return new Map([...queue.querySelectorAll("li button")].map((button) => [button.id, button.getBoundingClientRect().top]));
}

/** Sends a request and shows its answer. Resolves to whether the key is good for further ones. */
async function send(path, method, turn) {
  const answer = await ask(path, method);
  if (turn !== changes) return true;
  if (answer === null) return tell("stale");
  const { status, body } = answer;
  if (status === 200) show(body.data);
  if (status === 401) return end("refused");
  if (status === 403) return end("forbidden");
  if (status === 404 || status === 409) return tell("decided");
  if (status !== 200) return tell(status === 429 ? "tooMany" : "stale");
  // What became of a button stays in sight until the next one is pressed.
  if (method === "POST" || notice.dataset.name !== "decided") tell(null);
  return true;
}

/** Null when the server can't be reached. A key that is no header value is refused here, as the server would. */
async function ask(path, method, api = queue.dataset.api) {
  if (!/^[\x21-\x7e]+$/.test(key)) return { status: 401 };
  const init = { method, headers: { Authorization: `Bearer ${key}` }, credentials: "omit", cache: "no-store" };
  try {
    const answer = await fetch(api + path, { ...init, signal: AbortSignal.timeout(timeoutMs) });
    return { status: answer.status, body: await answer.json() };
  } catch {
    return null;
  }
}

/** Shows a notice; null: none. */
function tell(name) {
  if ((notice.dataset.name ?? null) === name) return true;
  notice.replaceChildren(...(name === null ? [] : [copyOf(name)]));
  if (name === null) delete notice.dataset.name;
  else notice.dataset.name = name;
  return true;
}

/** Ends with a notice instead of the queue, until the address has another key. */
function end(name) {
  clearTimeout(timer);
  changes += 1;
  sessionStorage.removeItem(stored);
  key = "";
  queue.hidden = true;
  tell(name);
  return false;
}

let shown = null;

function show(data) {
  const before = places();
  const hasTurned = shown !== null && shown.hidden !== data.hidden;
  queue.hidden = false;
  if (channel.textContent === "") nameChannel();
  shown = data;
  swap("status", [stateOf(data)]);
  swap("playing", data.playing ? [playing(data.playing)] : []);
  swap("held", listOf(data.held, data.heldCount, heldEntry, "noneHeld"));
  swap("waiting", listOf(data.waiting, data.waitingCount, waitingEntry, "noneWaiting"));
  refreshControls();
  const after = places();
  if (hasTurned || [...before].some(([id, top]) => after.get(id) !== top)) settle();
}

function refreshControls() {
  if (shown === null) return;
  const skip = document.getElementById("skip");
  skip.disabled = !shown.playing;
  skip.dataset.donation = shown.playing?.donationId ?? ""; // two people who press it at the same time skip one alert
  document.getElementById("hide").hidden = shown.hidden;
  document.getElementById("unhide").hidden = !shown.hidden;
}

function swap(id, nodes) {
  const fresh = document.createElement("div");
  fresh.append(...nodes);
  replaceChanged(document.getElementById(id), fresh);
}

function stateOf({ hidden, paused, connected, playing }) {
  const name = hidden ? "hidden" : paused ? "paused" : !connected ? "away" : playing ? "shows" : "ready";
  const line = document.createElement("p");
  line.className = `state ${{ hidden: "away", paused: "paused", away: "away" }[name] ?? "good"}`;
  line.append(copyOf(name));
  return line;
}

function playing(playback) {
  const box = document.createElement("div");
  box.className = "playing now";
  box.append(entryOf(playback, [playback.status]));
  return box;
}

function listOf(entries, count, entry, none) {
  if (entries.length === 0) {
    const line = document.createElement("p");
    line.className = "note";
    line.append(copyOf(none));
    return [line];
  }
  const list = document.createElement("ol");
  list.className = "entries";
  list.append(...entries.map(entry));
  if (count === entries.length) return [list];
  const more = document.createElement("p");
  more.className = "note";
  more.append(copyOf("more"), ` ${count - entries.length}`);
  return [list, more];
}

function heldEntry(alert) {
  const until = copyOf("timesOut");
  until.querySelector("[data-until]").dataset.until = alert.decidesAt;
  return itemOf(entryOf(alert, [], until), "heldButtons", alert);
}

function waitingEntry(playback) {
  return itemOf(entryOf(playback, [playback.status !== "queued" && playback.status]), "waitingButtons", playback);
}

/** As the widgets show it: whole, or to the coin. An amount below the smallest coin is `< ฿0.01`. */
function amountOf(amount, currency) {
  const format = new Intl.NumberFormat("th-TH", { style: "currency", currency, trailingZeroDisplay: "stripIfInteger" });
  const smallest = 10 ** -format.resolvedOptions().maximumFractionDigits;
  return amount < smallest ? `< ${format.format(smallest)}` : format.format(amount);
}

/** What donators wrote becomes text, never HTML. */
function entryOf({ donatorName, amount, currency, message, source, replay, masked }, marks, ...others) {
  const entry = copyOf("entry");
  const part = (name) => entry.querySelector(`[data-part=${name}]`);
  part("name").textContent = shownName(donatorName);
  part("amount").textContent = amountOf(amount, currency);
  part("message").textContent = message;
  const names = [...marks, replay && "replay", masked && "masked", source === "test" && "test"].filter(Boolean);
  part("marks").append(...names.map(copyOf), ...others);
  return entry;
}

/** Who was erased is anonymous. */
function shownName(donatorName) {
  return donatorName === document.getElementById("queue").dataset.erased ? copyOf("anonymous").textContent : donatorName;
}

function itemOf(entry, buttons, { donationId, donatorName }) {
  const item = document.createElement("li");
  item.append(entry, copyOf(buttons));
  for (const button of item.querySelectorAll("button")) {
    button.id = `${button.dataset.act}-${donationId}`;
    button.dataset.donation = donationId;
    button.setAttribute("aria-label", `${button.textContent} ${shownName(donatorName)}`);
    button.title = button.textContent;
  }
  return item;
}

function copyOf(name) {
  return document.querySelector(`template[data-name=${name}]`).content.firstElementChild.cloneNode(true);
}
