import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { makeSite } from "../http/base-url.ts";
import { streamerPages } from "../ui/navigation.ts";
import { fakeAccounts, openStudio } from "./testing.ts";

const pages = streamerPages.filter((page) => page.startsWith("/studio"));
const forms = [
  "/studio/home/steps",
  "/studio/donator/note",
  "/studio/donator/block",
  "/studio/control",
  "/studio/replay",
  "/studio/test",
  "/studio/overlay",
  "/studio/overlay/widget",
  "/studio/overlay/widget/settings",
  "/studio/designer/variation",
  "/studio/designer/preview",
  "/studio/designer/move",
  "/studio/designer/test",
  "/studio/designer/upload",
  "/studio/designer/delete-file",
  "/studio/designer/attach",
  "/studio/timer/control",
  "/studio/timer/start",
  "/studio/timer/adjust",
  "/studio/timer/rules",
  "/studio/settings",
  "/studio/goals",
  "/studio/goals/move",
  "/studio/keys",
  "/studio/keys/revoke",
  "/studio/webhooks",
  "/studio/webhooks/change",
  "/studio/webhooks/enable",
  "/studio/webhooks/rotate",
  "/studio/webhooks/delete",
  "/studio/webhooks/test",
  "/studio/webhooks/redeliver",
  "/studio/webhooks/recover",
  "/studio/apps",
  "/studio/apps/change",
  "/studio/apps/rotate",
  "/studio/apps/delete",
  "/studio/privacy/check",
  "/studio/privacy/erase",
  "/studio/privacy/retention",
  "/studio/account/password",
  "/studio/account/preferences",
  "/studio/account/sessions",
];

test.each(pages)("the page %s sends a visitor who is not logged in to log in, and back to the page", async (path) => {
  const studio = openStudio({ accounts: fakeAccounts(null) });
  expect(await studio.get(path)).toMatchObject({ status: 303, location: `/oauth/login?to=${path}`, html: "" });
});

test.each([
  ["/studio/donator", "/studio/history"],
  ["/studio/overlay/widget", "/studio/overlay"],
])("%s, to which no login leads, sends a visitor who is not logged in to log in, and back to %s", async (path, to) => {
  expect((await openStudio({ accounts: fakeAccounts(null) }).get(path)).location).toBe(`/oauth/login?to=${to}`);
});

const ownAddresses = [
  "/studio/overlay/widget?kind=recent&count=10&theme=mint",
  "/studio/designer/variation?theme=paper",
  "/studio/webhooks/endpoint?id=w1",
  "/studio/apps/app?id=c1",
  "/studio/donator?name=Malee",
];
test.each(ownAddresses)("%s keeps its address when its script runs, for a reload and a bookmark", async (address) => {
  expect((await openStudio().get(address)).html).toContain(`data-here="${address.replaceAll("&", "&amp;")}"`);
});

test.each(["/studio", "/studio/keys", "/studio/webhooks", "/studio/apps"])(
  "%s leads to a guide that there is, at a heading that it has",
  async (path) => {
    const links = [...(await openStudio().get(path)).html.matchAll(/href="\/docs\/([^"#]+)#?([^"]*)"/g)];
    expect(links).toHaveLength(1);
    for (const [, guide, anchor = ""] of links) {
      const headings = readFileSync(new URL(`../docs/guides/${guide}.md`, import.meta.url), "utf8").match(/^##+ .*$/gm) ?? [];
      const anchors = headings.map((heading) => heading.replace(/^#+ /, "").toLowerCase().replaceAll(" ", "-"));
      if (anchor !== "") expect(anchors).toContain(anchor);
    }
  },
);

test("the live parts are not shown to a visitor who is not logged in", async () => {
  expect(await openStudio({ accounts: fakeAccounts(null) }).get("/studio/queue")).toMatchObject({ status: 303, html: "" });
});

test.each(forms)("POST %s without the form token, or without a login, does nothing (CSRF)", async (path) => {
  const fields = { control: "pause", decision: "skip d1", donation: "d1", name: "n", "scope read:donations": "on", key: "k1" };
  const studio = openStudio();
  expect((await studio.post(path, { ...fields, formToken: "made up" })).status).toBe(400);
  const stranger = openStudio({ accounts: fakeAccounts(null) });
  expect((await stranger.post(path, fields)).location).toMatch(/^\/oauth\/login/);
  expect([...studio.calls, ...stranger.calls]).toEqual([]);
});

test.each([
  ...pages,
  "/studio/webhooks/endpoint?id=w1",
  "/studio/apps/app?id=c1",
  "/studio/designer/variation",
  "/studio/donator?name=Malee",
])("every form of %s has the form token, every field a label and every section a heading", async (path) => {
  const { html } = await openStudio().get(path);
  expect(html.match(/<h1>/g)).toHaveLength(1);
  for (const [form] of html.matchAll(/<form[^>]*method="post"[^>]*>\s*<[^>]*>/g))
    expect(form).toMatch(/name="formToken" value="sealed-(page|logout)"/);
  for (const [field] of html.matchAll(/<(?:input|textarea|select) [^>]*>/g)) {
    const [, id] = / id="([^"]+)"/.exec(field) ?? [];
    if (!field.includes('type="hidden"')) expect(html, field).toContain(`<label for="${id}">`);
  }
  for (const [, id] of html.matchAll(/aria-(?:labelledby|describedby)="([^"]+)"/g))
    for (const one of id?.split(" ") ?? []) expect(html, id).toContain(`id="${one}"`);
  expect(html.match(/aria-current="page"/g)).toHaveLength(1);
});

test("the kit is a page of a server at this machine's own address, and of no other", async () => {
  const local = openStudio({ accounts: { ...fakeAccounts(), site: makeSite({ brand: "namjai", baseUrl: "http://127.0.0.1:3000" }) } });
  const { html } = await local.get("/studio/kit");
  for (const theme of ["light", "dark"]) expect(html).toContain(`data-theme="${theme}"`);
  await expect(openStudio().get("/studio/kit")).rejects.toThrow("there is no");
});
