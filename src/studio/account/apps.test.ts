import { expect, test } from "vitest";
import { TooManyKeys } from "../../auth/keys.ts";
import { Problem } from "../../http/problem.ts";
import { openStudio } from "../testing.ts";
import { fault, ownApp } from "../testing-examples.ts";

const typed = { name: "Lamp", redirectUris: "https://lamp.example/a\r\n\r\n https://lamp.example/b ", kind: "confidential" };
const refusal = async () => {
  const errors = [
    fault("/name", "invalid_format", "must not look like a name of this platform"),
    fault("/redirectUris/1", "invalid_format"),
  ];
  throw new Problem("validation_failed", "The application breaks a rule.", { errors });
};

test("a registered application's secret is shown once, in the answer that made it, beside its client_id", async () => {
  const studio = openStudio();
  const made = await studio.post("/studio/apps", { ...typed, "scope read:donations": "on" });
  expect(made).toMatchObject({ status: 200, location: "" });
  expect(made.html).toContain('value="APPSECRET"');
  expect(made.html).toContain(">c1</code>");
  const app = {
    name: "Lamp",
    public: false,
    scopes: ["read:donations"],
    redirectUris: ["https://lamp.example/a", "https://lamp.example/b"],
  };
  expect(studio.calls).toEqual([["registerApp", "somchai's id", app]]);
  expect((await studio.get("/studio/apps")).html).not.toContain("SECRET");
});

test("a public application has no secret to show: its own page says that it was registered", async () => {
  const studio = openStudio({ apps: { register: async () => ({ clientId: "c1", clientSecret: null }) } });
  const made = await studio.post("/studio/apps", { ...typed, kind: "public" });
  expect(made.location).toBe("/studio/apps/app?id=c1&note=app-registered");
  const { html } = await openStudio({ apps: { find: async () => ownApp({ public: true, secretSince: null }) } }).get(made.location);
  expect(html).not.toContain("Rotate secret");
});

test.each([
  ["/studio/apps", {}],
  ["/studio/apps/change", { app: "c1" }],
])("what %s refuses is named beside its field, and what was typed stays", async (path, fields) => {
  const studio = openStudio({ apps: { register: refusal, change: refusal } });
  const { status, html } = await studio.post(path, { ...typed, ...fields });
  expect(status).toBe(400);
  expect(html).toContain("Must not look like a name of this platform.");
  expect(html).toMatch(/id="field-redirectUris-fault"><p><bdi>“https:\/\/lamp\.example\/b”/);
  expect(html).toContain('value="Lamp"');
  expect(html).toContain("https://lamp.example/a\n");
});

test("one application too many is refused beside the name", async () => {
  const register = async () => {
    throw new TooManyKeys("a streamer can have at most 20 applications that work; delete one first");
  };
  const { status, html } = await openStudio({ apps: { register } }).post("/studio/apps", typed);
  expect(status).toBe(429);
  expect(html).toContain("A streamer can have at most 20 applications");
});

test("the page of an application changes its name and redirect URIs, and never its scopes or kind", async () => {
  const studio = openStudio();
  const fields = { app: "c1", name: "Lamp 2", redirectUris: "https://lamp.example/", kind: "public", "scope write:alerts": "on" };
  expect((await studio.post("/studio/apps/change", fields)).location).toBe("/studio/apps/app?id=c1&note=app-saved");
  expect(studio.calls).toEqual([["changeApp", "somchai's id", "c1", { name: "Lamp 2", redirectUris: ["https://lamp.example/"] }]]);
});

test("a new secret of an application is shown once, and a form that was sent before replaces none", async () => {
  const studio = openStudio();
  const { html } = await studio.get("/studio/apps/app?id=c1");
  const [, replaces = ""] = /name="replaces" value="([^"]*)"/.exec(html) ?? [];
  expect((await studio.post("/studio/apps/rotate", { app: "c1", replaces })).html).toContain('value="NEWSECRET"');
  const again = await studio.post("/studio/apps/rotate", { app: "c1", replaces: "2026-11-01T00:00:00.000Z" });
  expect(again.location).toBe("/studio/apps/app?id=c1&note=rotated-already");
  expect(studio.calls).toEqual([["rotateApp", "somchai's id", "c1", new Date(replaces)]]);
});

test("an application is deleted from its page", async () => {
  const studio = openStudio();
  expect((await studio.post("/studio/apps/delete", { app: "c1" })).location).toBe("/studio/apps?note=app-deleted");
  expect(studio.calls).toEqual([["removeApp", "somchai's id", "c1"]]);
});

test.each(["change", "rotate", "delete"])("a form to %s somebody else's application changes nothing", async (action) => {
  const studio = openStudio();
  expect((await studio.post(`/studio/apps/${action}`, { ...typed, app: "hers" })).location).toBe("/studio/apps?note=no-app");
  expect((await studio.get("/studio/apps/app?id=hers")).location).toBe("/studio/apps?note=no-app");
  expect(studio.calls).toEqual([]);
});
