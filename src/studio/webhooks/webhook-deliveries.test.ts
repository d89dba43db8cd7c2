import { expect, test } from "vitest";
import { problemOf, refusal } from "../../http/problem.ts";
import { openStudio } from "../testing.ts";
import type { OwnWebhooks } from "./own-webhooks.ts";
import { attempt, deliveries, delivery, webhook, webhookApplication } from "./testing-webhooks.ts";

const withWebhooks = (webhooks: Partial<OwnWebhooks>) => openStudio({ webhooks });
const page = "/studio/webhooks/endpoint?id=w1";

const failed = attempt({ status: 503, milliseconds: 1207, answer: "<b>down</b>", error: "Answered 503." });
const silent = attempt({ status: null, answer: null, error: "The connection was refused." });

test("deliveries show their attempts with time, status, milliseconds, error and the beginning of the answer", async () => {
  const data = [
    delivery({ status: "retrying", attempts: [silent, failed], nextAttemptAt: "2026-11-21T03:05:00.000Z" }),
    delivery({ id: "e2", type: "goal.reached", attempts: [attempt({ answer: "x".repeat(1024) })] }),
    delivery({ id: "e3", attempts: [], status: "retrying" }),
  ];
  const { html } = await withWebhooks({ deliveries: async () => deliveries(data) }).get(page);
  const words = ["Answered 503", "1207 ms", "&lt;b&gt;down", "No answer", "The connection was refused.", "2 attempts", "1 attempt<"];
  for (const text of [...words, "21 Nov, 10:00:01", "21 Nov, 10:05:00", "Not sent yet", "goal.reached", "x".repeat(300)])
    expect(html).toContain(text);
  expect(html).not.toContain("x".repeat(301));
});

test("deliveries are filtered by status and read page by page", async () => {
  const asked: unknown[] = [];
  const studio = withWebhooks({
    deliveries: async (...call) => {
      asked.push(call);
      return deliveries([delivery({ status: "failed" })], "next page");
    },
  });
  const { html } = await studio.get(`${page}&status=failed&cursor=this`);
  expect(asked).toEqual([["somchai's id", "w1", { limit: 20, cursor: "this", status: ["failed"] }]]);
  expect(html).toContain(`href="${page}&amp;status=failed&amp;cursor=next+page"`);
  expect(html).toContain(`data-here="${page}&amp;status=failed&amp;cursor=this"`);
  expect(html).toMatch(/status=failed" aria-current="true"/);
  await studio.get(`${page}&status=toString`);
  expect(asked.at(-1)).toEqual(["somchai's id", "w1", { limit: 20 }]);
});

test("a delivery is sent again by its button, which a disabled webhook does not have", async () => {
  const studio = withWebhooks({ deliveries: async () => deliveries([delivery()]) });
  expect((await studio.get(page)).html).toContain('name="delivery" value="e1"');
  const sent = await studio.post("/studio/webhooks/redeliver", { webhook: "w1", delivery: "e1", status: "failed" });
  expect([sent.location, studio.calls]).toEqual([`${page}&status=failed&note=redelivered`, [["redeliver", "somchai's id", "w1", "e1"]]]);
  const off = webhook({ enabled: false, disabledReason: "requested" });
  const disabled = withWebhooks({
    deliveries: async () => deliveries([delivery()]),
    find: async () => ({ application: webhookApplication(), webhook: off }),
  });
  expect((await disabled.get(page)).html).not.toContain('name="delivery"');
});

test("events that did not arrive are sent again since a time that is chosen, which a disabled webhook does not offer", async () => {
  const studio = openStudio();
  const { html } = await studio.get(page);
  expect([...html.matchAll(/name="hours" value="(\d+)"/g)].map(([, hours]) => hours)).toEqual(["1", "24", "168", "720"]);
  expect(html).toContain("Send missed events");
  const sent = await studio.post("/studio/webhooks/recover", { webhook: "w1", hours: "24" });
  expect(sent.location).toBe(`${page}&note=recovering`);
  const [what, streamer, id, since] = studio.calls[0] ?? [];
  expect([what, streamer, id]).toEqual(["recover", "somchai's id", "w1"]);
  expect(Math.abs(Date.now() - 24 * 3_600_000 - Date.parse(String(since)))).toBeLessThan(60_000);
  const off = webhook({ enabled: false, disabledReason: "requested" });
  const disabled = withWebhooks({ find: async () => ({ application: webhookApplication(), webhook: off }) });
  expect((await disabled.get(page)).html).not.toContain('name="hours"');
});

test.each([
  ["24", 0, "nothing-missed"],
  ["23", 3, "no-span"],
  ["constructor", 3, "no-span"],
])("sending missed events of %s hours, of which there are %i, shows the notice %s", async (hours, count, note) => {
  const { location } = await withWebhooks({ recover: async () => count }).post("/studio/webhooks/recover", { webhook: "w1", hours });
  expect(location).toBe(`${page}&note=${note}`);
});

test.each([
  ["delivery_not_found", "no-delivery"],
  ["webhook_disabled", "is-disabled"],
] as const)("sending again that is refused with %s shows the notice %s", async (refused, note) => {
  const redeliver = async () => {
    throw problemOf(refusal(refused, "no"));
  };
  expect((await withWebhooks({ redeliver }).post("/studio/webhooks/redeliver", { webhook: "w1" })).location).toBe(`${page}&note=${note}`);
});

test("a test event answers with how the endpoint answered", async () => {
  const good = await openStudio().post("/studio/webhooks/test", { webhook: "w1" });
  expect(good.html).toMatch(/class="right" role="status".*The endpoint answered 200 within 41 ms.*<code>ok<\/code>/s);
  const tested = { id: "t1", type: "donation.created", delivered: false, attempt: silent } as const;
  const bad = await withWebhooks({ test: async () => tested }).post("/studio/webhooks/test", { webhook: "w1" });
  expect(bad.html).toMatch(/class="wrong" role="status".*The connection was refused\./s);
  const inThai = await withWebhooks({ test: async () => tested }).post("/studio/webhooks/test", { webhook: "w1" }, "th");
  expect(inThai.html).toContain("ms: The connection was refused.");
});
