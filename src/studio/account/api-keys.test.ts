import { expect, test } from "vitest";
import { openStudio } from "../testing.ts";
import { apiKey } from "../testing-examples.ts";

const typed = { name: "My bot", application: "bot", "scope write:donations": "on", "scope read:alerts": "on", expires: "" };

test("a new API key is shown once, in the answer that created it", async () => {
  const studio = openStudio();
  const made = await studio.post("/studio/keys", typed);
  expect(made).toMatchObject({ status: 200, location: "" });
  expect(made.html).toContain('value="namjai_v1_SECRET"');
  const key = { streamerId: "somchai's id", name: "My bot", application: "bot", scopes: ["write:donations", "read:alerts"] };
  expect(studio.calls).toEqual([["create", key]]);
  expect(made.html, "a link is for moderators").not.toContain("/moderate#");
  expect(made.html, "how to use it").toContain('href="/docs/quickstart"');
  expect((await studio.get("/studio/keys")).html).not.toContain("SECRET");
});

test("an API key works until the end of its last day in Bangkok, and without a named application it belongs to the default application", async () => {
  const studio = openStudio();
  await studio.post("/studio/keys", { ...typed, application: "", expires: "2026-11-21" });
  const expiresAt = new Date("2026-11-21T16:59:59.999Z");
  expect(studio.calls).toEqual([["create", expect.objectContaining({ application: "default", expiresAt })]]);
});

test.each([
  ["no name", { name: " " }, "name", "Is required."],
  ["a long name", { name: "😀".repeat(61) }, "name", "Must have at most 60 characters."],
  ["a long application", { application: "x".repeat(61) }, "application", "Must have at most 60 characters."],
  ["a day that there is not", { expires: "2027-02-29" }, "expires", "Must be a day"],
  ["no day", { expires: "tomorrow" }, "expires", "Must be a day"],
  ["yesterday", { expires: "2026-11-20" }, "expires", "Must not be in the past."],
])("a new API key with %s is refused beside its field, and no key is created", async (_title, change, field, words) => {
  const studio = openStudio();
  const { status, html } = await studio.post("/studio/keys", { ...typed, ...change });
  expect(status).toBe(400);
  expect(html).toContain(`id="field-${field}-fault"`);
  expect(html).toContain(words);
  expect(html).toMatch(/name="scope read:alerts" checked/);
  expect(studio.calls).toEqual([]);
});

test("an API key needs a scope, and an unknown scope does not count", async () => {
  const studio = openStudio();
  const { status, html } = await studio.post("/studio/keys", { name: "n", "scope admin": "on" });
  expect(status).toBe(400);
  expect(html).toContain('id="field-scopes-fault"');
  expect(studio.calls).toEqual([]);
});

test("API keys are listed newest first with their scopes, and only live ones have a button to revoke them", async () => {
  const keys = [
    apiKey({ id: "old", name: "Revoked", revokedAt: new Date("2026-11-02T00:00:00Z") }),
    apiKey({ id: "expired", name: "Expired", expiresAt: new Date("2026-11-20T00:00:00Z") }),
    apiKey({ id: "first", name: "<b>First</b>" }),
    apiKey({ id: "second", name: "", publicId: "ZyXw9876", lastUsedAt: new Date("2026-11-20T05:00:00Z") }),
  ];
  const { html } = await openStudio({ apiKeys: { list: async () => keys } }).get("/studio/keys");
  expect([...html.matchAll(/name="key" value="([^"]+)"/g)].map(([, id]) => id)).toEqual(["second", "first"]);
  for (const text of ["&lt;b&gt;First", "namjai_v1_ZyXw9876…", "Record new donations", "20 Nov 2026, 12:00", "Inactive keys (2)"])
    expect(html).toContain(text);
});

test("a streamer can revoke their own API keys only", async () => {
  const studio = openStudio();
  expect((await studio.post("/studio/keys/revoke", { key: "k1" })).location).toBe("/studio/keys?note=revoked");
  expect(studio.calls).toEqual([["revoke", "k1", "somchai's id"]]);
  const other = openStudio({ apiKeys: { revoke: async () => false } });
  expect((await other.post("/studio/keys/revoke", { key: "hers" })).location).toBe("/studio/keys?note=no-key");
});

test("a moderator's key is created by one button, with the scope moderate:alerts alone, and shown with the link of the moderators' page", async () => {
  const { html } = await openStudio().get("/studio/keys");
  const section = html.slice(html.indexOf('id="moderators"'));
  const fields = Object.fromEntries(
    [...section.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
  const studio = openStudio();
  const made = await studio.post("/studio/keys", fields);
  expect(made.status).toBe(200);
  expect(made.html, "the link").toContain('value="https://donations.example/moderate#namjai_v1_SECRET"');
  expect(studio.calls).toEqual([
    ["create", expect.objectContaining({ name: "Moderator", application: "moderators", scopes: ["moderate:alerts"] })],
  ]);
});
