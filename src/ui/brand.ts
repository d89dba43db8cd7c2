// The logo and the name that every page shows.

import { type Html, html } from "./html.ts";

export function brandMark(brand: string): Html {
  return html`<div class="brand">${mark} <span>${displayName(brand)}</span></div>`;
}

export function displayName(brand: string): string {
  return brand.charAt(0).toUpperCase() + brand.slice(1);
}

const heart =
  "M12 21C5.5 16.2 2 12.6 2 8.4 2 5.4 4.3 3 7.2 3 9.1 3 10.9 4 12 5.6 13.1 4 14.9 3 16.8 3 19.7 3 22 5.4 22 8.4 22 12.6 18.5 16.2 12 21z";

const mark = html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${heart}"/></svg>`;

/** The icon as a data: URL. */
export const icon = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#d6336c" d="${heart}"/></svg>`)}`;
