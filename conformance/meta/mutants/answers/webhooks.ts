// Wrong answers of the times that an owner of webhooks is told, of the address that deliveries go to, and of the events that they tell.

import { at, changeJson, jsonOf, type Mutants, wrong } from "../mutant.ts";

export const webhookAnswers: Mutants = {
  "failing-in-an-hour": wrong({
    broken: "a webhook is said to fail from an hour later on",
    on: "getWebhook",
    answer: at<string | null>("data.failingSince", (since) => since && new Date(Date.parse(since) + 3_600_000).toISOString()),
    killedBy: [["events/webhook-retries", /repeated after about 5 seconds/]],
  }),
  "tested-an-hour-ago": wrong({
    broken: "the attempt of a test is said to be of an hour ago",
    on: "sendTestEvent",
    answer: at<string>("data.attempt.at", (time) => new Date(Date.parse(time) - 3_600_000).toISOString()),
    killedBy: [["events/update-webhook", /an example of every type arrives/]],
  }),
  "tested-in-microseconds": wrong({
    broken: "the duration of a test's attempt is in microseconds",
    on: "sendTestEvent",
    answer: at<number>("data.attempt.milliseconds", (ms) => Math.max(1, ms) * 1_000),
    killedBy: [["events/update-webhook", /an example of every type arrives/]],
  }),
  "rotation-forgotten": wrong({
    broken: "a webhook that is read says that no previous secret signs",
    on: "getWebhook",
    answer: at("data.previousSecretUntil", () => null),
    killedBy: [["events/update-webhook", /after a rotation both secrets verify/]],
  }),
  "address-without-query": wrong({
    broken: "deliveries go to the address of a webhook without its query",
    on: "createWebhook",
    instead: async (request, send) => {
      const { url } = jsonOf(request) ?? {};
      const without = at<unknown>("url", (text) => (typeof text === "string" ? text.replace(/\?.*/, "") : text));
      const answer = await send({ ...request, body: changeJson(request.body, (body) => without(body, request)) });
      return { ...answer, body: changeJson(answer.body, (body) => at("data.url", () => url)(body, request)) };
    },
    killedBy: [["events/webhooks", /address as it was given, with its path and its query/]],
  }),
  "all-types-but-one": wrong({
    broken: "the types that a webhook gets by default lack one",
    on: "createWebhook",
    when: (_answer, request) => jsonOf(request)?.types === undefined,
    answer: at<string[]>("data.types", (types) => types.filter((type) => type !== "alert.held")),
    killedBy: [["events/webhooks", /gets every type of event by default/]],
  }),
  "sent-again-as-another": wrong({
    broken: "a delivery that is sent again is answered with another type",
    on: "redeliverWebhook",
    answer: at("data.type", () => "goal.reached"),
    killedBy: [["events/webhook-deliveries", /a delivery is sent again/]],
  }),
  "rotated-to-nowhere": wrong({
    broken: "a rotation of the secret answers the webhook with another address",
    on: "rotateWebhookSecret",
    answer: at<string>("data.url", (url) => `${url}/`),
    killedBy: [["events/update-webhook", /after a rotation both secrets verify/]],
  }),
  "deliveries-without-end": wrong({
    broken: "every page of deliveries says that there are more",
    on: "listWebhookDeliveries",
    answer: at("pagination.hasMore", () => true),
    killedBy: [["events/webhook-deliveries", /listed page by page/]],
  }),
};
