// A page of the overlay as a frame over a picture of a game.

import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import type { Site } from "../../http/base-url.ts";
import { type Html, html } from "../../ui/html.ts";
import type { PageHandler } from "../../ui/serve-pages.ts";
import { paths } from "../paths.ts";

/** `isWhole`: the frame has the size of a source in OBS, 1920 × 1080, and is scaled; else that of the picture. */
export function stage(site: Site, frame: Html, isWhole = false): Html {
  return html`<div class="stage${isWhole && " whole"}"><img src="${site.path(paths.scene)}" alt="">${frame}</div>`;
}

const scene = readFileSync(new URL("scene.svg", import.meta.url));

/** GET /studio/scene.svg: drawn for this project, and the same for everybody. */
export const showScene: PageHandler = async () => {
  const headers = { "Content-Length": String(scene.length), "Cache-Control": "max-age=86400" };
  return { status: 200, file: { type: "image/svg+xml", headers, body: Readable.from([scene]) } };
};
