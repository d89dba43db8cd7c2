// The button that changes the theme: system, light, dark. The choice is kept in this browser.

const themes = ["system", "light", "dark"];
const { dataset } = document.documentElement;
const button = document.querySelector(".theme");

button.addEventListener("click", () => choose(themes[(themes.indexOf(chosen()) + 1) % themes.length]));
// Another tab of these pages has changed it.
addEventListener("storage", ({ key, newValue }) => key === "docs-theme" && show(newValue ?? "system"));
show(chosen());

function chosen() {
  return dataset.theme ?? "system";
}

function choose(theme) {
  show(theme);
  try {
    localStorage.setItem("docs-theme", theme);
  } catch {
    // It is kept for this page only.
  }
}

function show(theme) {
  if (theme === "light" || theme === "dark") dataset.theme = theme;
  else delete dataset.theme;
  button.setAttribute("aria-label", button.dataset[chosen()]);
  button.title = button.dataset[chosen()];
  document.dispatchEvent(new Event("themechange"));
}
