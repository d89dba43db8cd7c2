import { expect, test } from "vitest";
import { readConfig } from "./config.ts";

test.each([
  ["create=1200/60/120", { create: { quota: 1200, window: 60, burst: 120 } }],
  [
    "create=1200/60,failed-client=5/300",
    { create: { quota: 1200, window: 60, burst: 1200 }, "failed-client": { quota: 5, window: 300, burst: 5 } },
  ],
  ["on", {}],
  ["off", {}],
  ["", {}],
])("RATE_LIMITS=%s", (text, limitOverrides) => {
  expect(readConfig({ RATE_LIMITS: text })).toMatchObject({ limitOverrides, rateLimits: text !== "off" });
});

test.each(["none", "create", "create=0/60", "create=1/0", "create=1", "create=1/60/0", "create=1/60;read=1/1", "ON"])(
  "RATE_LIMITS=%s is refused by name and rule",
  (text) => {
    expect(() => readConfig({ RATE_LIMITS: text })).toThrow(/RATE_LIMITS must be on, off, or a list such as create=1200\/60\/120/);
  },
);
