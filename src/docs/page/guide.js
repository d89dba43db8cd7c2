// What scripts add to the code of a guide: copy buttons, and tabs.

// A copy button for each block of code. Browsers without a clipboard (no https, no localhost) show none.

const { lang } = document.documentElement;
const words = lang === "th" ? { copy: "คัดลอก", copied: "คัดลอกแล้ว" } : { copy: "Copy", copied: "Copied" };

if (navigator.clipboard) for (const block of document.querySelectorAll(".code")) block.append(copyButton(block));

function copyButton(block) {
  const button = document.createElement("button");
  button.type = "button";
  button.lang = lang;
  say(words.copy);
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("code").textContent);
    say(words.copied);
    setTimeout(() => say(words.copy), 2000);
  });
  return button;

  function say(text) {
    button.textContent = text;
  }
}

// Samples in several languages become tabs (ARIA Authoring Practices: tabs with automatic activation). The language that a reader chooses
// is shown in all samples that have it, and is kept in this browser.

const key = "docs-language";
const groups = [...document.querySelectorAll(".samples")].map(makeTabs);

showEverywhere(kept());
addEventListener("storage", (event) => event.key === key && showEverywhere(event.newValue));

function makeTabs(group, place) {
  const panels = [...group.querySelectorAll(".code")];
  const languages = panels.map(({ dataset }) => dataset.language);
  const tabs = panels.map((panel, i) => makeTab(panel, `${place}-${i}`));
  for (const [i, tab] of tabs.entries()) tab.addEventListener("click", () => choose(tab, languages[i]));
  const list = makeList(group.dataset.label, tabs);
  list.addEventListener("keydown", (event) => {
    const to = placeAfter(event.key, tabs.indexOf(event.target), tabs.length);
    if (to === null) return;
    event.preventDefault();
    choose(tabs[to], languages[to]);
    tabs[to].focus();
  });
  group.prepend(list);
  group.classList.add("tabbed");
  select(tabs, panels, 0);
  return { languages, show: (chosen) => select(tabs, panels, chosen) };
}

function makeTab(panel, name) {
  const tab = document.createElement("button");
  tab.type = "button";
  tab.id = `tab-${name}`;
  panel.id = `sample-${name}`;
  tab.textContent = panel.dataset.name;
  tab.setAttribute("role", "tab");
  tab.setAttribute("aria-controls", panel.id);
  panel.setAttribute("role", "tabpanel");
  panel.setAttribute("aria-labelledby", tab.id);
  return tab;
}

function makeList(label, tabs) {
  const list = document.createElement("div");
  list.className = "tabs";
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", label);
  list.append(...tabs);
  return list;
}

function select(tabs, panels, chosen) {
  tabs.forEach((tab, i) => {
    tab.setAttribute("aria-selected", i === chosen);
    tab.tabIndex = i === chosen ? 0 : -1;
    panels[i].hidden = i !== chosen;
  });
}

function placeAfter(pressed, place, count) {
  if (pressed === "ArrowRight") return (place + 1) % count;
  if (pressed === "ArrowLeft") return (place + count - 1) % count;
  if (pressed === "Home") return 0;
  return pressed === "End" ? count - 1 : null;
}

/** Samples above may change their height: the tab stays where it is on the screen. */
function choose(tab, language) {
  const { top } = tab.getBoundingClientRect();
  showEverywhere(language);
  scrollBy({ top: tab.getBoundingClientRect().top - top, behavior: "instant" });
  try {
    localStorage.setItem(key, language);
  } catch {
    // It is kept for this page only.
  }
}

function showEverywhere(language) {
  for (const { languages, show } of groups) if (languages.includes(language)) show(languages.indexOf(language));
}

function kept() {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
