// The pages of the documentation. Each is rendered when it is first asked for in a language.

import type { Site } from "../http/base-url.ts";
import type { StaticFile } from "../http/files.ts";
import { html, htmlFor } from "../ui/html.ts";
import { bilingual } from "../ui/layout.ts";
import { currentReader, type Language, writeFor } from "../ui/reader.ts";
import type { Guide, Guides } from "./guides.ts";
import { type DocsPage, type NavigationEntry, renderDocsPage } from "./layout.ts";
import { headingsOf, plainText, renderMarkdown } from "./markdown.ts";
import { pageFile, referencePolicy, scalarName } from "./static-files.ts";

/** Finds a page by its name below /docs/, "" for the overview, in the language of the current reader. */
type FindPage = (name: string) => StaticFile | undefined;

type Pages = Readonly<{
  find: FindPage;
  /** The page for an unknown path. */
  missing: () => StaticFile;
  /** Renders a page that is made for one request. */
  render: RenderPage;
}>;

export type RenderPage = (page: PageContent, name: string, query?: string) => string;
type PageContent = Omit<DocsPage, "brand" | "navigation">;

export const root = "/docs/";

export function openPages(site: Site, guides: Guides): Pages {
  const { brand } = site;
  const navigation = { en: navigationOf(guides.en), th: navigationOf(guides.th) };
  const render: RenderPage = (page, name, query = "") =>
    withSwitch(site, name + query, () => renderDocsPage({ ...page, brand, navigation: navigation[currentReader().language] }));
  const renderers = new Map<string, (language: Language) => StaticFile>([
    ["reference", () => pageFile(render(referencePage, "reference"), referencePolicy)],
    ...guides.en.map(({ slug }, place): [string, (language: Language) => StaticFile] => [
      slug === "index" ? "" : slug,
      (language) => pageFile(render(pageOf(guides[language][place] as Guide), slug === "index" ? "" : slug)),
    ]),
  ]);
  const find = oncePerLanguage((name, language) => renderers.get(name)?.(language));
  const missing = oncePerLanguage(() => ({ ...pageFile(render(missingPage(site.path(root)), "")), status: 404 }) as const);
  return { find, missing: () => missing("") as StaticFile, render };
}

/** Writes the page with the switch of the language, which leads back to it. */
function withSwitch(site: Site, name: string, write: () => string): string {
  return writeFor({ switches: { path: site.path, back: site.path(root + name) } }, write);
}

function oncePerLanguage(render: (name: string, language: Language) => StaticFile | undefined): FindPage {
  const files = new Map<string, StaticFile | undefined>();
  return (name) => {
    const { language } = currentReader();
    const key = `${language} ${name}`;
    const file = files.get(key) ?? render(name, language);
    if (file) files.set(key, file);
    return file;
  };
}

function navigationOf(guides: readonly Guide[]): NavigationEntry[] {
  const entries = guides.map((guide): NavigationEntry => {
    if (guide.slug === "index") return { href: ".", title: { th: "ภาพรวม", en: "Overview" } };
    return { href: guide.slug, title: guide.title, language: guide.language };
  });
  const changelog = entries.findIndex(({ href }) => href === "changelog");
  return entries.toSpliced(changelog, 0, { href: "reference", title: { th: "เอกสารอ้างอิง API", en: referencePage.title } });
}

/** The overview, to which `/` leads, shows streamers the way to the studio first. */
function pageOf(guide: Guide): PageContent {
  const page = guidePage(guide);
  return guide.slug === "index" ? { ...page, content: html`${toStudio}\n${page.content}` } : page;
}

const toStudio = htmlFor(
  ({ language }) =>
    html`<p lang="${language}">${bilingual({
      th: html`เป็นสตรีมเมอร์ใช่ไหม? <a href="../studio">เปิดสตูดิโอ</a> เพื่อตั้งค่าแจ้งเตือน ดูยอดเงิน และเอาลิงก์ไปใส่ใน OBS ด้านล่างนี้เป็นเอกสารสำหรับผู้พัฒนา`,
      en: html`Streamer? <a href="../studio">Open the studio</a>: set up your alerts, see your money, and get the links for OBS. Below is what developers need.`,
    })}</p>`,
);

function guidePage(guide: Guide): PageContent {
  const { slug, language, markdown, original, title, description } = guide;
  const ids = original && headingsOf(original.markdown).map(({ id }) => id);
  return {
    ...writeFor({ language }, () => renderMarkdown(markdown, ids)),
    title,
    description: plainText(description),
    language,
    href: slug === "index" ? "." : slug,
    markdown: markdownName(guide),
  };
}

/** The file of a guide as Markdown: `quickstart.md`, in Thai `quickstart.th.md`. */
export function markdownName({ slug, language }: Guide): string {
  return language === "en" ? `${slug}.md` : `${slug}.${language}.md`;
}

/** Scalar over /docs/openapi.json, in our frame. */
const referencePage = {
  title: "API reference",
  description: "Every operation with its parameters, bodies, answers and scopes.",
  language: "en",
  href: "reference",
  wide: true,
  program: scalarName,
  scripts: ["reference.js"],
  styles: ["reference.css"],
  content: html`<div id="reference" data-document="openapi.json"></div>
<noscript><p class="note">The reference is drawn by a script. Without one, read the <a href="openapi.json">OpenAPI document</a>.</p></noscript>`,
} as const satisfies PageContent;

/** `root`: the public path of /docs/, because an unknown path may be of any depth. */
function missingPage(root: string): PageContent {
  const title = { th: "ไม่พบหน้านี้", en: "Page not found" };
  const { language } = currentReader();
  const content = html`<h1>${bilingual(title)}</h1>
<p>${bilingual({
    th: html`หน้านี้อาจย้ายไปแล้ว ดูหน้าทั้งหมดได้จาก<a href="${root}.">ภาพรวม</a>และเมนู ทุกคำสั่งของ API อยู่ใน<a href="${root}reference">เอกสารอ้างอิง API</a>`,
    en: html`The page may have moved. The <a href="${root}.">overview</a> and the menu lead to all pages; every operation is described in the
<a href="${root}reference">API reference</a>.`,
  })}</p>`;
  return { root, content, language, title: title[language], description: title[language], href: null };
}
