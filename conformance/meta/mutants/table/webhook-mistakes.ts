// Mistakes about webhooks that are easily made: who may get what, what is repeated and when, what counts as arrived.

import type { Edit, Mutants } from "../mutant.ts";

const inWebhooks = (file: string, from: string, to: string): Edit => ({ file: `src/events/webhooks/${file}.ts`, from, to });

export const webhookMistakes: Mutants = {
  "webhook-types-unasked": {
    broken: "a webhook may ask for types that the scopes of its credential do not allow",
    edit: inWebhooks(
      "endpoints/handlers",
      "const types = readableTypes(eventTypes, principal, body.types);",
      "const types = body.types ?? readableTypes(eventTypes, principal);",
    ),
    killedBy: [["events/create-webhook", /no type that the scopes of its credential do not allow/]],
  },
  "webhook-types-of-all": {
    broken: "a webhook gets every type by default, whatever its credential may read",
    edit: inWebhooks(
      "endpoints/handlers",
      "const types = readableTypes(eventTypes, principal, body.types);",
      "const types = body.types ? readableTypes(eventTypes, principal, body.types) : [...eventTypes];",
    ),
    killedBy: [["events/create-webhook", /by default it gets those they allow/]],
  },
  "webhook-types-widened": {
    broken: "a webhook is changed to types that the scopes of the credential do not allow",
    edit: inWebhooks("endpoints/handlers", "if (body.types) readableTypes(eventTypes, principal, body.types);", ""),
    killedBy: [["events/update-webhook", /types that the scopes do not allow/]],
  },
  "webhook-types-outlive-key": {
    broken: "a webhook gets donations although its application has no key any more that may read them",
    edit: inWebhooks("worker/worker-store", "types: types.filter((type) => scopes?.includes(scopeOfType(type))),", "types,"),
    killedBy: [["events/webhook-deliveries", /no credential of its application may read/]],
  },
  "webhooks-of-a-streamer": {
    broken: "webhooks of all applications of a streamer count together",
    edit: inWebhooks(
      "endpoints/endpoints",
      "(select count(*) from webhook_endpoints where ${owned}) < ?",
      "(select count(*) from webhook_endpoints where streamer_id = ? and ?::text is not null and deleted_at is null) < ?",
    ),
    killedBy: [["events/create-webhook", /those of others and deleted ones do not count/]],
  },
  "webhooks-deleted-count": {
    broken: "deleted webhooks count towards the ten",
    edit: inWebhooks(
      "endpoints/endpoints",
      "(select count(*) from webhook_endpoints where ${owned}) < ?",
      "(select count(*) from webhook_endpoints where streamer_id = ? and application_id = ?) < ?",
    ),
    killedBy: [["events/create-webhook", /those of others and deleted ones do not count/]],
  },
  "webhook-url-cached": {
    broken: "events go to the address that a webhook had first",
    edit: inWebhooks("worker/worker", "if (runner.connection?.url !== url) {", "if (!runner.connection) {"),
    killedBy: [["events/update-webhook", /go to the new url/]],
  },
  "webhook-200-alone": {
    broken: "an answer with another status than 200 is a failed attempt",
    edit: inWebhooks("request/send", "if (status >= 200 && status < 300) return null;", "if (status === 200) return null;"),
    killedBy: [["events/send-test-event", /with the status 204/]],
  },
  "webhook-304-arrived": {
    broken: "an event that is answered with a redirect counts as arrived",
    edit: inWebhooks("request/send", "if (status >= 200 && status < 300) return null;", "if (status >= 200 && status < 400) return null;"),
    killedBy: [["events/send-test-event", /with the status 304/]],
  },
  "webhook-disabled-by-404": {
    broken: "an endpoint that answers 404 is disabled",
    edit: inWebhooks(
      "worker/retry-policy",
      "const isGone = outcomes.some(({ attempt }) => attempt.status === gone);",
      "const isGone = outcomes.some(({ attempt }) => attempt.status === gone || attempt.status === 404);",
    ),
    killedBy: [["events/webhook-retries", /answers 404 stays enabled/]],
  },
  "webhook-every-five-seconds": {
    broken: "a delivery is repeated every 5 seconds for ever",
    edit: inWebhooks("worker/retry-policy", "retryDelaysMs[failures];", "retryDelaysMs[0 * failures];"),
    killedBy: [["events/webhook-retries", /failed twice is repeated after about 5 minutes/]],
  },
  "webhook-retry-date-ignored": {
    broken: "Retry-After of an endpoint is read only when it is a number",
    edit: inWebhooks("request/send", "Date.parse(text) - now", "0 * now"),
    killedBy: [["events/webhook-retries", /Retry-After: a date/]],
  },
  "webhook-failing-for-ever": {
    broken: "failingSince stays when a delivery succeeds, and the endpoint is disabled five days later",
    edit: inWebhooks("worker/retry-policy", 'failing: lastSuccess === -1 ? "kept" : "reset",', 'failing: "kept",'),
    killedBy: [["events/webhook-retries", /is repeated after about 5 seconds/]],
  },
  "webhook-test-of-enabled": {
    broken: "a disabled webhook can't be tested",
    edit: inWebhooks(
      "endpoints/delivery-handlers",
      "    const type = body.type ??",
      "    if (endpoint.disabledReason !== null) return disabled() as never;\n    const type = body.type ??",
    ),
    killedBy: [["events/send-test-event", /a disabled webhook is tested/]],
  },
  "webhook-test-of-donation": {
    broken: "a test of no type is a donation, whatever the webhook gets",
    edit: inWebhooks("endpoints/delivery-handlers", "(endpoint.types[0] as EventType)", '"donation.created"'),
    killedBy: [["events/send-test-event", /is of the first type that the webhook gets/]],
  },
  "webhook-recovers-all": {
    broken: "what has arrived is recovered, too",
    edit: inWebhooks("endpoints/deliveries", "\n  where known.status <> 'succeeded'`", "`"),
    killedBy: [["events/recover-webhook", /what has arrived is not sent again/]],
  },
  "webhook-cursor-of-any": {
    broken: "a cursor of the deliveries of one webhook is taken for another",
    edit: inWebhooks(
      "endpoints/delivery-handlers",
      "`listWebhookDeliveries ${endpoint.id}`",
      "`listWebhookDeliveries ${principal.streamerId}`",
    ),
    killedBy: [["events/list-webhook-deliveries", /good for its webhook and its filter alone/]],
  },
  "webhook-cursor-of-any-filter": {
    broken: "a cursor of deliveries is taken with another filter than its own",
    edit: inWebhooks(
      "endpoints/delivery-handlers",
      "if (asked && asked.join() !== position.statuses.join())",
      "if (asked && position.statuses.length === 0)",
    ),
    killedBy: [["events/list-webhook-deliveries", /good for its webhook and its filter alone/]],
  },
  "webhook-id-of-its-own": {
    broken: "webhook-id is another id than that of the event in the list",
    edit: inWebhooks(
      "worker/batches",
      "connection.send({ id: logged.id,",
      'connection.send({ id: logged.id.replace(/^./, (first) => (first === "0" ? "1" : "0")),',
    ),
    killedBy: [["events/create-webhook", /the id of the event as webhook-id/]],
  },
};
