// OBS puts the "Custom CSS" of a browser source into a <style> element, which our Content-Security-Policy refuses. Because it is the
// streamer's own, it is adopted as a constructed style sheet. The policy still decides what it may load.

export function adoptCustomCss(): void {
  const adopt = (nodes: Iterable<Node>) => {
    for (const node of nodes) if (node instanceof HTMLStyleElement) add(node.textContent ?? "");
  };
  adopt(document.querySelectorAll("style"));
  new MutationObserver((records) => {
    for (const { addedNodes } of records) adopt(addedNodes);
  }).observe(document.documentElement, { childList: true, subtree: true });
}

function add(css: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
