// Wrong answers of the times that an owner of webhooks is told.

import { at, type Mutants, wrong } from "../mutant.ts";

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
};
