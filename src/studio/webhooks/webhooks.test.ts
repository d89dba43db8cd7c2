import { expect, test } from "vitest";
import { Problem, problemOf, refusal } from "../../http/problem.ts";
import { openStudio } from "../testing.ts";
import { fault } from "../testing-examples.ts";
import type { OwnWebhooks } from "./own-webhooks.ts";
import { webhook, webhookApplication } from "./testing-webhooks.ts";

const withWebhooks = (webhooks: Partial<OwnWebhooks>) => openStudio({ webhooks });
const refusing = (refused: "webhook_not_found" | "webhook_disabled" | "delivery_not_found") => async () => {
  throw problemOf(refusal(refused, "no"));
};
const page = "/studio/webhooks/endpoint?id=w1";
const typed = { url: "https://hooks.test/in", description: "Lights", "type donation.created": "on", application: "a1" };

test("webhooks of all applications are listed, those of others without a link to change them", async () => {
  const others = { application: webhookApplication({ id: "a2", name: "Lamp & Co", isOwn: false }), webhooks: [webhook({ id: "w2" })] };
  const own = { application: webhookApplication(), webhooks: [webhook({ description: "<b>Mine</b>" })] };
  const { html } = await withWebhooks({ list: async () => [own, others] }).get("/studio/webhooks");
  for (const text of ["&lt;b&gt;Mine", "Lamp &amp; Co", "hooks.test", "A donation was recorded"]) expect(html).toContain(text);
  expect([...html.matchAll(/href="([^"]*endpoint[^"]*)"/g)].map(([, href]) => href)).toEqual([page]);
});

test("an address is shown only in the form that changes it, because its path may be a secret", async () => {
  expect((await openStudio().get("/studio/webhooks")).html).not.toContain("secret-part");
  const { html } = await openStudio().get(page);
  expect(html.match(/secret-part/g)).toHaveLength(1);
  expect(html).toMatch(/<details>\s*<summary>Edit.*secret-part.*<\/details>/s);
});

test.each([
  [{}, "Enabled"],
  [{ failingSince: "2026-11-20T05:00:00.000Z" }, "Every attempt has failed since 20 Nov 2026, 12:00"],
  [{ enabled: false, disabledReason: "requested" }, "Disabled by request"],
  [{ enabled: false, disabledReason: "gone" }, "answered 410"],
  [{ enabled: false, disabledReason: "failing" }, "every attempt of five days failed"],
  [{ enabled: false, disabledReason: "disconnected" }, "no credential any more"],
] as const)("the state of a webhook with %j is said in words on both pages", async (changes, words) => {
  const shown = webhook(changes);
  const studio = withWebhooks({
    list: async () => [{ application: webhookApplication(), webhooks: [shown] }],
    find: async () => ({ application: webhookApplication(), webhook: shown }),
  });
  expect((await studio.get("/studio/webhooks")).html).toContain(words);
  expect((await studio.get(page)).html).toContain(words);
});

test("a new webhook is created for the chosen application, and its secret is shown once", async () => {
  const studio = openStudio();
  const made = await studio.post("/studio/webhooks", typed);
  expect(made).toMatchObject({ status: 200, location: "" });
  expect(made.html).toContain('value="whsec_SECRET"');
  const body = { url: "https://hooks.test/in", description: "Lights", types: ["donation.created"], withImported: false };
  expect(studio.calls).toEqual([["createWebhook", "somchai's id", "a1", body]]);
  for (const path of ["/studio/webhooks", page]) expect((await studio.get(path)).html).not.toContain("whsec_");
});

test("without an own application that has a key, the page leads to the keys instead of offering a new webhook", async () => {
  const found = [
    { application: webhookApplication({ isOwn: false }), webhooks: [webhook()] },
    { application: webhookApplication({ scopes: [] }), webhooks: [webhook()] },
  ];
  const { html } = await withWebhooks({ list: async () => found }).get("/studio/webhooks");
  expect(html).not.toContain('name="url"');
  expect(html).toContain("Create a key first");
});

const refusals = [
  [problemOf(refusal("webhook_url_refused", "The host of the url must be public.")), "url", "The host of the url must be public."],
  [problemOf(refusal("too_many_webhooks", "no")), "application", "Delete one first."],
  [new Problem("insufficient_scope", "no"), "types", "lack the scope"],
  [new Problem("validation_failed", "no", { errors: [fault("/types", "required", "is required")] }), "types", "Choose at least one."],
  [new Problem("validation_failed", "no", { errors: [fault("/url", "invalid_format", "must match")] }), "url", "Must be an https address."],
] as const;

test.each(refusals)("what the contract refuses with %s is explained beside the field %s, and the typed values are kept", async (...row) => {
  const [problem, field, words] = row;
  const refuse = async () => {
    throw problem;
  };
  const studio = withWebhooks({ create: refuse, change: refuse });
  for (const [path, fields] of [
    ["/studio/webhooks", typed],
    ["/studio/webhooks/change", { ...typed, webhook: "w1" }],
  ] as const) {
    if (field === "application" && path.endsWith("change")) continue;
    const { status, html } = await studio.post(path, fields);
    expect(status).toBe(400);
    expect(html).toContain(`id="field-${field}-fault"`);
    expect(html, "which field the words describe").toMatch(new RegExp(`aria-describedby="[^"]*field-${field}-fault"`));
    expect(html).toContain(words);
    expect(html).toContain('value="https://hooks.test/in"');
  }
});

test("a webhook is changed, enabled, disabled and deleted, and a notice confirms it", async () => {
  const studio = openStudio();
  const location = async (path: string, fields: Record<string, string>) => (await studio.post(path, { webhook: "w1", ...fields })).location;
  expect(await location("/studio/webhooks/change", typed)).toBe(`${page}&note=saved`);
  expect(await location("/studio/webhooks/enable", { enabled: "true" })).toBe(`${page}&note=enabled`);
  expect(await location("/studio/webhooks/enable", { enabled: "false" })).toBe(`${page}&note=disabled`);
  expect(await location("/studio/webhooks/delete", {})).toBe("/studio/webhooks?note=deleted");
  expect(studio.calls).toEqual([
    [
      "changeWebhook",
      "somchai's id",
      "w1",
      { url: "https://hooks.test/in", description: "Lights", types: ["donation.created"], withImported: false },
    ],
    ["changeWebhook", "somchai's id", "w1", { enabled: true }],
    ["changeWebhook", "somchai's id", "w1", { enabled: false }],
    ["removeWebhook", "somchai's id", "w1"],
  ]);
  expect((await studio.get(`${page}&note=saved`)).html).toMatch(/class="right" role="status"/);
});

test.each([
  [webhook(), webhookApplication(), "false"],
  [webhook({ enabled: false, disabledReason: "gone" }), webhookApplication(), "true"],
  [webhook({ enabled: false, disabledReason: "disconnected" }), webhookApplication({ scopes: [] }), undefined],
])("an enabled webhook can be disabled, a disabled one enabled while its application has a key", async (shown, application, enabled) => {
  const { html } = await withWebhooks({ find: async () => ({ application, webhook: shown }) }).get(page);
  expect(html.match(/name="enabled" value="(true|false)"/)?.[1]).toBe(enabled);
});

test("a rotated secret is shown once, and a form that was sent before replaces nothing", async () => {
  const studio = openStudio();
  expect((await studio.get(page)).html).toContain('name="replaces" value="none"');
  const rotated = await studio.post("/studio/webhooks/rotate", { webhook: "w1", replaces: "none" });
  expect(rotated).toMatchObject({ status: 200, html: expect.stringContaining('value="whsec_SECRET"') });
  expect(studio.calls).toEqual([["rotateSecret", "somchai's id", "w1", null]]);
  const until = "2026-11-22T03:00:00.000Z";
  const again = withWebhooks({
    find: async () => ({ application: webhookApplication(), webhook: webhook({ previousSecretUntil: until }) }),
  });
  const { location } = await again.post("/studio/webhooks/rotate", { webhook: "w1", replaces: "none" });
  expect([location, again.calls]).toEqual([`${page}&note=rotated-already`, []]);
});

test("a form that finds the secret replaced by another one at the same time shows no secret", async () => {
  const studio = withWebhooks({ rotate: async () => null });
  const { location } = await studio.post("/studio/webhooks/rotate", { webhook: "w1", replaces: "none" });
  expect(location).toBe(`${page}&note=rotated-already`);
});

test("a webhook that is not the streamer's own leads back to the list, and nothing happens", async () => {
  const not = refusing("webhook_not_found");
  const studio = withWebhooks({ find: not, change: not, remove: not, rotate: not, test: not, recover: not, redeliver: not });
  const back = "/studio/webhooks?note=no-webhook";
  expect((await studio.get("/studio/webhooks/endpoint?id=hers")).location).toBe(back);
  for (const form of ["change", "enable", "rotate", "delete", "test", "redeliver"])
    expect((await studio.post(`/studio/webhooks/${form}`, { ...typed, webhook: "hers" })).location, form).toBe(back);
});
