// The tokens of all pages: colours in light and dark, space, type, radius, shadow. Style sheets use nothing else.

const light = `
  --paper: #faf8f8; --card: #ffffff; --ink: #221a1d; --soft: #6a5b60; --line: #ece5e6; --edge: #93838a;
  --accent: #b0234d; --on-accent: #ffffff; --tint: #fbecf0; --wrong: #a11212; --wrong-tint: #fdecec; --right: #17603a; --right-tint: #e4f4ea;
  --shadow: 0 1px 2px #2a1f220d; --raised: 0 8px 28px #2a1f2229, 0 1px 3px #2a1f2224;`;
const dark = `
  --paper: #121011; --card: #1b1819; --ink: #f3eef0; --soft: #b1a5a9; --line: #302a2c; --edge: #877b80;
  --accent: #ff8dab; --on-accent: #35060f; --tint: #35202a; --wrong: #ffb1a8; --wrong-tint: #40201d; --right: #9be0b8; --right-tint: #16331f;
  --shadow: none; --raised: 0 8px 28px #000000a6, 0 0 0 1px #ffffff14;`;

/** `data-theme` of an element goes before the system's theme. */
export const tokens = `
:root {
  color-scheme: light dark; --space-1: .25rem; --space-2: .5rem; --space-3: .75rem; --space-4: 1rem; --space-6: 1.5rem;
  --small: .8125rem; --text: .9375rem; --large: 1.0625rem; --title: 1.5rem; --round: .75rem; --round-small: .5rem; --touch: 2.5rem;${light}
}
@media (prefers-color-scheme: dark) {
  :root {${dark}
  }
}
[data-theme="light"] { color-scheme: light;${light} }
[data-theme="dark"] { color-scheme: dark;${dark} }`;
