// What stands in the documentation: links, all of which have a target, and code samples in several languages.

import { expect, test } from "vitest";
import { desktop, focused, openDocs, openDocsPage, phone, type Tab } from "../../../conformance/meta/browser/chromium.ts";
import { violationsOf } from "../../../conformance/meta/browser/page-checks.ts";
import { target } from "../../../conformance/suite/values/target.ts";

/** The links of a page as written, and the ids that a fragment can name. */
type Document = { url: string; status: number; links: string[]; places: Set<string> };

/** The language in which pages are requested, while a rule follows their links. */
let language = "en";

const documents = new Map<string, Promise<Document>>();

/** Requests each address once. */
function documentAt(url: string): Promise<Document> {
  const key = `${language} ${url}`;
  const known = documents.get(key) ?? load(url);
  documents.set(key, known);
  return known;
}

async function load(url: string): Promise<Document> {
  const answer = await fetch(url, { redirect: "manual", headers: { "Accept-Language": language } });
  const type = answer.headers.get("content-type")?.split(";")[0] ?? "";
  const text = await answer.text();
  return { url, status: answer.status, links: linksOf(type, text), places: placesOf(type, text) };
}

function linksOf(type: string, text: string): string[] {
  if (type === "text/html")
    return [...text.matchAll(/<(?:a|link|script)\b[^>]* (?:href|src)="([^"]*)"/g)].map(([, link]) => unescaped(link ?? ""));
  if (type !== "text/markdown" && type !== "text/plain") return [];
  const prose = text.replaceAll(/^```.*?^```$/gms, "").replaceAll(/`[^`\n]*`/g, "code");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link ?? "");
}

/** Returns the ids of a page; for Markdown, the ids that GitHub gives its headings. */
function placesOf(type: string, text: string): Set<string> {
  if (type === "text/html") return new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => unescaped(id ?? "")));
  const headings = [...text.replaceAll(/^```.*?^```$/gms, "").matchAll(/^#+ (.+)$/gm)];
  return new Set(
    headings.map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{M}\p{N}_ -]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

function unescaped(text: string): string {
  return text.replaceAll("&amp;", "&").replaceAll("&quot;", '"').replaceAll("&#39;", "'");
}

const drawnByScript = /\/docs\/reference$/;

/** Returns why a link is broken; null when it works. */
async function faultOf(link: URL): Promise<string | null> {
  const { status, places } = await documentAt(link.href.split("#")[0] as string);
  const fragment = decodeURIComponent(link.hash.slice(1));
  if (status >= 400) return `answers ${status}`;
  return fragment === "" || places.has(fragment) || drawnByScript.test(link.pathname) ? null : "has no element with this id";
}

test.for(["en", "th"])(
  "every link in the documentation pages, their Markdown and llms.txt has a target: %s",
  async (readers, { annotate }) => {
    language = readers;
    const { origin } = new URL(target().url);
    const overview = await documentAt(`${target().url}/docs/`);
    const { links: listed } = await documentAt(`${target().url}/llms.txt`);
    const inside = (link: URL) => link.origin === origin;
    const resolved = ({ url, links }: Document) => links.filter((link) => !link.startsWith("data:")).map((link) => new URL(link, url));
    const starts = [overview.url, ...resolved(overview).map(({ href }) => href), `${target().url}/llms.txt`, ...listed].filter(
      (url) => new URL(url).origin === origin && !url.includes("#"),
    );
    const faults: string[] = [];
    const foreign = new Set<string>();
    for (const document of await Promise.all([...new Set(starts)].map(documentAt)))
      for (const link of resolved(document)) {
        if (!inside(link)) foreign.add(link.href);
        const fault = inside(link) && (await faultOf(link));
        if (fault) faults.push(`${document.url} → ${link.href} ${fault}`);
      }
    expect(starts.length).toBeGreaterThan(20);
    expect(faults).toEqual([]);
    for (const href of foreign) expect(href, "a foreign link").toMatch(/^https:\/\/[\w.-]+\.[a-z]+(\/|$)/);
    await annotate(`links to other sites, not followed: ${[...foreign].sort().join(" ")}`);
  },
);

const groups = ({ page }: Tab) => page.locator(".samples");

const shownLanguages = ({ page }: Tab) =>
  page
    .locator(".samples .code:visible")
    .evaluateAll((blocks) => blocks.map((block) => (block as unknown as { dataset: { language: string } }).dataset.language));

const tabNamed = (tab: Tab, name: string) => groups(tab).first().getByRole("tab", { name });

test("one sample of each group is shown, and a tab for each language", async () => {
  const tab = await openDocs();
  await openDocsPage(tab, "quickstart");
  await expect.poll(() => shownLanguages(tab)).toEqual(["sh", "sh"]);
  await expect.poll(() => groups(tab).first().getByRole("tab").allTextContents()).toEqual(["curl", "Node.js", "Python"]);
  const panel = groups(tab).first().getByRole("tabpanel", { name: "curl" });
  await expect.poll(() => panel.textContent()).toContain("curl -i");
  expect(tab.complaints).toEqual([]);
  await tab.context.close();
});

test("a chosen language is shown in every sample of the page that has it, on other pages, and after a reload", async () => {
  const tab = await openDocs(phone);
  await openDocsPage(tab, "quickstart");
  await tabNamed(tab, "Python").tap();
  await expect.poll(() => shownLanguages(tab)).toEqual(["python", "python"]);
  await openDocsPage(tab, "idempotency");
  await expect.poll(() => shownLanguages(tab)).toEqual(["python"]);
  await tab.page.reload();
  await expect.poll(() => shownLanguages(tab)).toEqual(["python"]);
  await expect.poll(() => tabNamed(tab, "Python").getAttribute("aria-selected")).toBe("true");
  await tab.context.close();
});

test("a sample that lacks the chosen language shows another one", async () => {
  const tab = await openDocs();
  await openDocsPage(tab, "quickstart");
  await tabNamed(tab, "curl").click();
  await tabNamed(tab, "Node.js").click();
  await tabNamed(tab, "curl").click();
  await openDocsPage(tab, "rate-limits");
  await expect.poll(() => shownLanguages(tab)).toEqual(["js"]);
  await tab.context.close();
});

test("the tab that was clicked stays where it is when samples above it change their height", async () => {
  const tab = await openDocs();
  await openDocsPage(tab, "quickstart");
  const python = groups(tab).last().getByRole("tab", { name: "Python" });
  await python.scrollIntoViewIfNeeded();
  const before = await python.boundingBox();
  await python.click();
  await expect.poll(() => shownLanguages(tab)).toEqual(["python", "python"]);
  expect(Math.abs(((await python.boundingBox())?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(2);
  await tab.context.close();
});

test("arrow keys, Home and End choose a tab, and Tab leads from it into the sample", async () => {
  const tab = await openDocs();
  const { keyboard } = tab.page;
  await openDocsPage(tab, "quickstart");
  await tabNamed(tab, "curl").focus();
  const press = async (key: string) => {
    await keyboard.press(key);
    return [await focused(tab), ...(await shownLanguages(tab))];
  };
  const nameOf = async (name: string) => tabNamed(tab, name).getAttribute("id");
  expect(await press("ArrowRight")).toEqual([await nameOf("Node.js"), "js", "js"]);
  expect(await press("End")).toEqual([await nameOf("Python"), "python", "python"]);
  expect(await press("ArrowRight")).toEqual([await nameOf("curl"), "sh", "sh"]);
  expect(await press("ArrowLeft")).toEqual([await nameOf("Python"), "python", "python"]);
  expect(await press("Home")).toEqual([await nameOf("curl"), "sh", "sh"]);
  await keyboard.press("Tab");
  await expect.poll(() => tab.page.evaluate("document.activeElement.closest('[role=tabpanel]').dataset.language")).toBe("sh");
  expect(await violationsOf(tab)).toEqual([]);
  await tab.context.close();
});

test("without JavaScript the samples stand one below the other, each with the name of its language", async () => {
  const tab = await openDocs({ ...desktop, javaScriptEnabled: false });
  await openDocsPage(tab, "quickstart");
  await expect.poll(() => shownLanguages(tab)).toEqual(["sh", "js", "python", "sh", "js", "python"]);
  const name = await tab.page.locator(".code[data-language=python]").first().ariaSnapshot();
  expect(name).toContain('group "Code: Python"');
  await tab.context.close();
});

test("a browser that keeps nothing for the site shows tabs and changes themes all the same", async () => {
  const tab = await openDocs();
  await tab.page.addInitScript("Object.defineProperty(window, 'localStorage', { get() { throw new Error('denied'); } })");
  await openDocsPage(tab, "quickstart");
  await tabNamed(tab, "Python").click();
  await tab.page.locator(".theme").click();
  await expect.poll(() => shownLanguages(tab)).toEqual(["python", "python"]);
  await expect.poll(() => tab.page.locator("html").getAttribute("data-theme")).toBe("light");
  expect(tab.complaints).toEqual([]);
  await tab.context.close();
});
