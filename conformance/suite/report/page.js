// Adds copy buttons, the filter and the theme switch to report.html. The report is readable without this script.

for (const button of document.querySelectorAll(".copy"))
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.nextElementSibling.textContent);
    button.textContent = "copied";
    setTimeout(() => (button.textContent = "copy"), 1500);
  });

const root = document.documentElement;
document.querySelector("#theme").addEventListener("click", () => {
  const dark = root.classList.contains("dark") || (!root.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
  root.classList.toggle("dark", !dark);
  root.classList.toggle("light", dark);
});

const open = () => {
  const at = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (at instanceof HTMLDetailsElement) at.open = true;
};
addEventListener("hashchange", open);
open();

document.querySelector("#filter")?.addEventListener("input", ({ target }) => {
  const wanted = target.value.trim().toLowerCase();
  for (const family of document.querySelectorAll(".rules")) {
    const name = family.id.toLowerCase();
    let found = 0;
    for (const rule of family.querySelectorAll("li")) {
      rule.hidden = wanted !== "" && !name.includes(wanted) && !rule.textContent.toLowerCase().includes(wanted);
      if (!rule.hidden) found += 1;
    }
    family.hidden = found === 0;
    family.open = wanted !== "" && found > 0;
  }
});
