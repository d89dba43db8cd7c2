// What a request may change on a server is read from the request alone.

import { expect, test } from "vitest";

import { effectOf, isHarmless } from "../../suite/contract/effects.ts";

const toolCall = (name: string, given: object): string =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } });

test.each([
  ["GET", "/api/v1/donations?limit=1", undefined, "nothing"],
  ["GET", "/api/v1/alerts/settings", undefined, "nothing"],
  ["POST", "/api/v1/donations", '{"amount":1,"skipAlert":true}', "donation"],
  ["POST", "/api/v1/donations", '{"amount":1}', "alert"],
  ["POST", "/api/v1/donations", '{"amount":1,"skipAlert":"true"}', "alert"],
  ["POST", "/api/v1/donations", "{", "alert"],
  ["POST", "/api/v1/donations/x/replay", undefined, "alert"],
  ["PATCH", "/api/v1/alerts/settings", "{}", "settings"],
  ["POST", "/studio/settings", "volume=80", "form"],
  ["POST", "/api/v1/alerts/clear", undefined, "queue"],
  ["POST", "/api/v1//alerts/%63lear", undefined, "queue"],
  ["DELETE", "/api/v1/Alerts", undefined, "queue"],
  ["GET", "/api/v1/overlay/stream?player=a", undefined, "nothing"],
  ["GET", "/api/v1/overlay/stream?player=a&plays=true", undefined, "queue"],
  ["GET", "/api/v1/overlay/stream?player=a&plays=1", undefined, "queue"],
  ["POST", "/api/v1/webhooks", "{}", "webhook"],
  ["GET", "/api/v1/webhooks", undefined, "nothing"],
  ["POST", "/api/v1/alert-files?name=a.wav", "RIFF", "object"],
  ["DELETE", "/api/v1/alert-files/x", undefined, "object"],
  ["POST", "/oauth/token", "grant_type=refresh_token", "credential"],
  ["POST", "/mcp", toolCall("get_alert_queue", {}), "nothing"],
  ["POST", "/mcp", toolCall("skip_alert", {}), "queue"],
  ["POST", "/mcp", toolCall("create_donation", { amount: 1 }), "alert"],
  ["POST", "/mcp", toolCall("create_donation", { amount: 1, skipAlert: true }), "donation"],
] as const)("%s %s %s changes: %s", (method, path, body, effect) =>
  expect(effectOf({ method, path, ...(body === undefined ? {} : { body }) })).toBe(effect),
);

test.each([
  ["GET", "/api/v1/donations", true],
  ["HEAD", "/api/v1/donations", true],
  ["GET", "/oauth/authorize?client_id=a", false],
  ["GET", "/api/v1/overlay/stream?player=a&plays=true", false],
  ["POST", "/mcp", false],
  ["DELETE", "/api/v1/donations", false],
  ["GETX", "/api/v1/donations", false],
] as const)("whether %s %s is harmless: %s", (method, path, harmless) => expect(isHarmless({ method, path })).toBe(harmless));
