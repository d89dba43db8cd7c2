// The colours of all pages, in light and dark. Every text colour has a contrast of at least 4.5 to its background (WCAG 1.4.3).

const light = `
    --paper: #fbf4f1; --card: #ffffff; --ink: #2a1f22; --soft: #6b595e; --line: #e6d8d4; --edge: #94807f;
    --accent: #b0234d; --on-accent: #ffffff; --tint: #fbeaef; --wrong: #a11212; --wrong-tint: #fdecec; --right: #17603a; --right-tint: #e4f4ea;`;
const dark = `
    --paper: #161113; --card: #221a1d; --ink: #f5ebed; --soft: #bcaaaf; --line: #3d3135; --edge: #8a777c;
    --accent: #ff8dab; --on-accent: #35060f; --tint: #3a1f28; --wrong: #ffb1a8; --wrong-tint: #40201d; --right: #9be0b8; --right-tint: #16331f;`;

export const palette = `
:root {
  color-scheme: light dark;${light}
}
@media (prefers-color-scheme: dark) {
  :root {${dark}
  }
}`;

/** For pages whose reader can choose a theme: the attribute `data-theme` of the document goes before the system's theme. */
export const chosenThemes = `
:root[data-theme="light"] {
  color-scheme: light;${light}
}
:root[data-theme="dark"] {
  color-scheme: dark;${dark}
}`;
