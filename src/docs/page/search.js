// Results while somebody types: below the field in the bar, or in the search page. The index and the program that searches it are loaded
// when the field gets the focus. Without them, Enter asks the server for the search page.

const form = document.querySelector("form.search");
const field = form.querySelector("input");
const { lang } = document.documentElement;
const isPage = document.querySelector("ul.found") !== null;
const maxShown = isPage ? 40 : 8;
const words = {
  th: { results: (n) => `${n} ผลลัพธ์`, none: "ไม่พบผลลัพธ์", all: "ดูผลลัพธ์ทั้งหมด" },
  en: { results: (n) => (n === 1 ? "1 result" : `${n} results`), none: "Nothing found.", all: "All results" },
}[lang];

const { panel, list, status } = isPage ? partsOfPage() : makePanel();
let searching = null;

field.addEventListener("focus", load);
field.addEventListener("input", show);
form.addEventListener("keydown", move);
document.addEventListener("keydown", (event) => {
  // The reference has a search of its own under these keys.
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || document.querySelector("#reference")) return;
  event.preventDefault();
  field.focus();
  field.select();
});
form.addEventListener("focusout", ({ relatedTarget }) => form.contains(relatedTarget) || fold());
if (!isPage) field.addEventListener("focus", show);
// Somebody may have typed before this script came.
if (document.activeElement === field && field.value !== field.defaultValue) show();

/** Resolves to a function that searches; null when it could not be loaded. */
function load() {
  searching ??= Promise.all([import("./find.js"), fetch(new URL("assets/search.json", form.action)).then((answer) => answer.json())])
    .then(
      ([{ find }, places]) =>
        (query) =>
          find(places, query, lang),
    )
    .catch(() => (searching = null));
  return searching;
}

async function show() {
  const query = field.value.trim();
  const search = await load();
  if (!search || query !== field.value.trim()) return;
  const found = search(query);
  status.textContent = query === "" ? "" : found.length === 0 ? words.none : words.results(found.length);
  list.replaceChildren(...found.slice(0, maxShown).map(entry));
  if (isPage) history.replaceState(null, "", query === "" ? "search" : `search?q=${encodeURIComponent(query)}`);
  else {
    if (found.length > maxShown) list.append(allResults(query));
    panel.hidden = query === "" || !form.contains(document.activeElement);
  }
}

function entry({ href, title, within, excerpt, language }) {
  const link = element(
    "a",
    element("strong", ...title.map(piece)),
    " ",
    element("small", within),
    " ",
    element("span", ...excerpt.map(piece)),
  );
  link.href = new URL(href, form.action).href;
  if (language !== lang) link.lang = language;
  return element("li", link);
}

function allResults(query) {
  const link = element("a", element("strong", words.all));
  link.href = `${form.action}?q=${encodeURIComponent(query)}`;
  return element("li", link);
}

function piece({ text, isMatch }) {
  return isMatch ? element("mark", text) : text;
}

function element(name, ...content) {
  const made = document.createElement(name);
  made.append(...content);
  return made;
}

/** Arrow keys lead from the field through the results and back, Escape leaves them. */
function move(event) {
  if (event.key === "Escape" && !isPage && !panel.hidden) {
    event.preventDefault();
    field.focus();
    fold();
    return;
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || (panel.hidden && !isPage)) return;
  const stops = [field, ...list.querySelectorAll("a")];
  const next = stops[stops.indexOf(document.activeElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

function fold() {
  if (!isPage) panel.hidden = true;
}

function makePanel() {
  const panel = element("div");
  const list = element("ul");
  const status = element("p");
  panel.className = "results";
  panel.hidden = true;
  list.className = "found";
  status.className = "count";
  status.setAttribute("role", "status");
  panel.append(status, list);
  form.append(panel);
  return { panel, list, status };
}

function partsOfPage() {
  return { panel: null, list: document.querySelector("ul.found"), status: document.querySelector(".count") };
}
