import { expect, test } from "vitest";
import { streamerPages } from "../ui/streamer-pages.ts";
import { fakeAccounts, openStudio } from "./testing.ts";

const pages = streamerPages.filter((page) => page.startsWith("/studio"));
const forms = [
  "/studio/control",
  "/studio/replay",
  "/studio/test",
  "/studio/overlay",
  "/studio/settings",
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
  "/studio/privacy/check",
  "/studio/privacy/erase",
  "/studio/privacy/retention",
];

test.each(pages)("the page %s sends a visitor who is not logged in to log in, and back to the page", async (path) => {
  const studio = openStudio({ accounts: fakeAccounts(null) });
  expect(await studio.get(path)).toMatchObject({ status: 303, location: `/oauth/login?to=${path}`, html: "" });
});

test("the live parts are not shown to a visitor who is not logged in", async () => {
  expect(await openStudio({ accounts: fakeAccounts(null) }).get("/studio/queue")).toMatchObject({ status: 303, html: "" });
});

test.each(forms)("POST %s without the form token, or without a login, does nothing (CSRF)", async (path) => {
  const fields = { control: "skip", donation: "d1", name: "n", "scope read:donations": "on", key: "k1" };
  const studio = openStudio();
  expect((await studio.post(path, { ...fields, formToken: "made up" })).status).toBe(400);
  const stranger = openStudio({ accounts: fakeAccounts(null) });
  expect((await stranger.post(path, fields)).location).toMatch(/^\/oauth\/login/);
  expect([...studio.calls, ...stranger.calls]).toEqual([]);
});

test.each([...pages, "/studio/webhooks/endpoint?id=w1"])(
  "every form of %s has the form token, every field a label and every section a heading",
  async (path) => {
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
  },
);
