// Runs before the page is drawn, so that it is drawn once, in the theme that the reader has chosen.

{
  const { dataset } = document.documentElement;
  dataset.scripted = "";
  try {
    const theme = localStorage.getItem("docs-theme");
    if (theme === "light" || theme === "dark") dataset.theme = theme;
  } catch {
    // A browser that keeps nothing for this site: the system's theme.
  }
}
