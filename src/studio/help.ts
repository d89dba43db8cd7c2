// The guide for streamers, in the studio's frame. The documentation has it as well, beside what developers need.

import { readFileSync } from "node:fs";
import { fillIn } from "../docs/guides.ts";
import { headingsOf, renderMarkdown } from "../docs/markdown.ts";
import { html } from "../ui/html.ts";
import { currentReader } from "../ui/reader.ts";
import type { PageHandler } from "../ui/serve-pages.ts";
import { studioPage } from "./components/frame.ts";
import { paths } from "./paths.ts";
import type { StudioDeps } from "./studio-deps.ts";

/** Without its title, which the page has. */
const read = (name: string) => readFileSync(new URL(`../docs/guides/${name}.md`, import.meta.url), "utf8").replace(/^# .+\n/, "");
const guides = { th: read("studio.th"), en: read("studio") };
/** The headings have the same ids in both languages. */
const ids = headingsOf(guides.en).map(({ id }) => id);

/** GET /studio/help */
export const showHelp = ({ accounts }: StudioDeps): PageHandler =>
  accounts.page(paths.help, async ({ account }) => {
    const { site } = accounts;
    const toDocs = (_: string, guide: string) => `](${site.path(`/docs/${guide}`)})`;
    const guide = fillIn("studio", guides[currentReader().language], { "base-url": () => site.baseUrl });
    const { content } = renderMarkdown(guide.replaceAll(/\]\(([a-z-]+(?:#[^)\s]*)?)\)/g, toDocs), ids);
    const title = { th: "คู่มือสตูดิโอ", en: "Help" };
    return studioPage({ site, account, here: paths.help, title, content: html`<div class="card guide">${content}</div>` });
  });
