// Deliveries of webhooks: faults that no single wrong answer shows, as edits of the sources.

import type { Mutants } from "../mutant.ts";

export const webhooks: Mutants = {
  "timestamp-not-signed": {
    broken: "the signature does not cover webhook-timestamp",
    edit: {
      file: "src/events/webhooks/request/send.ts",
      from: "const signed = `${id}.${timestamp}.${body}`;",
      to: "const signed = `${id}.${timestamp * 0}.${body}`;",
    },
    killedBy: [["events/webhook-deliveries", /signature covers/]],
  },
  "delivered-by-put": {
    broken: "deliveries are requests with the method PUT",
    edit: { file: "src/events/webhooks/request/send.ts", from: '{ method: "POST", headers', to: '{ method: "PUT", headers' },
    killedBy: [["events/webhooks", /a recorded donation arrives/]],
  },
  "delivery-with-id": {
    broken: "the body of a delivery has a member that the contract does not describe",
    edit: {
      file: "src/events/webhooks/deliveries.ts",
      from: `export function bodyOf({ type, timestamp, data }: Event): string {
  return JSON.stringify({ type,`,
      to: `export function bodyOf({ id, type, timestamp, data }: Event): string {
  return JSON.stringify({ id, type,`,
    },
    killedBy: [["events/webhook-deliveries", /no member more/]],
  },
  "retry-with-new-id": {
    broken: "a repeated delivery has another webhook-id",
    edit: {
      file: "src/events/webhooks/worker/batches.ts",
      from: `await send(connection, held, logged);
    if (outcome === null) return;`,
      to: `await send(connection, held, { ...logged, id: logged.id.replace(/..$/, "00") });
    if (outcome === null) return;`,
    },
    killedBy: [
      ["events/webhook-retries", /is repeated after about 5 seconds/],
      ["events/webhook-deliveries", /same webhook-id/],
    ],
  },
  "order-lost-after-failure": {
    broken: "after a failed attempt the next events of a page are sent last to first",
    edit: {
      file: "src/events/webhooks/worker/batches.ts",
      from: "for (const logged of page.events) {",
      to: "for (const logged of held.failingSince === null ? page.events : page.events.toReversed()) {",
    },
    killedBy: [["events/webhook-retries", /in the order in which they happened/]],
  },
  "gone-ignored": {
    broken: "an endpoint that answers 410 stays enabled",
    edit: { file: "src/events/webhooks/worker/retry-policy.ts", from: 'isGone ? "gone" : isDead', to: "isGone && isDead ? null : isDead" },
    killedBy: [["events/webhook-retries", /answers 410 is disabled/]],
  },
  "webhook-retry-after-ignored": {
    broken: "Retry-After of an endpoint is ignored",
    edit: {
      file: "src/events/webhooks/request/send.ts",
      from: "if (text === undefined) return null;",
      to: "if (text === undefined || text.length > 0) return null;",
    },
    killedBy: [["events/webhook-retries", /Retry-After: 60/]],
  },
  "redirect-followed": {
    broken: "a redirect of an endpoint is followed",
    edit: {
      file: "src/http/hosts/connections.ts",
      from: "Object.assign(start, { status, retryAfter, contentType });",
      to: `Object.assign(start, { status, retryAfter, contentType });
          const { location } = headers;
          if (location) void fetch(String(location), { ...request });`,
    },
    killedBy: [["events/webhook-retries", /redirect is a failed attempt/]],
  },
  "old-signature-missing": {
    broken: "after a rotation the previous secret does not sign any more",
    edit: {
      file: "src/events/webhooks/worker/worker-store.ts",
      from: "openSecrets(columns, sealer)",
      to: "openSecrets({ ...columns, previousSecret: columns.previousSecret && null }, sealer)",
    },
    killedBy: [["events/update-webhook", /both secrets verify/]],
  },
  "noted-before-sent": {
    broken: "the position moves on before the events are sent, so that a kill loses them",
    edit: {
      file: "src/events/webhooks/worker/batches.ts",
      from: "  for (const logged of page.events) {",
      to: `  await store.commit({ endpointId: held.id, position: page.position, written: [], health: noHealth });
  for (const logged of page.events) {`,
    },
    killedBy: [["events/events-cuts", /lose no event/]],
  },
  "webhook-types-outlive-key": {
    broken: "a webhook gets donations although its application has no key any more that may read them",
    edit: {
      file: "src/events/webhooks/worker/worker-store.ts",
      from: "types: types.filter((type) => scopes?.includes(scopeOfType(type))),",
      to: "types,",
    },
    killedBy: [["events/webhook-deliveries", /no credential of its application may read/]],
  },
  "webhook-url-cached": {
    broken: "events go to the address that a webhook had first",
    edit: { file: "src/events/webhooks/worker/worker.ts", from: "if (runner.connection?.url !== url) {", to: "if (!runner.connection) {" },
    killedBy: [["events/update-webhook", /go to the new url/]],
  },
  "webhook-200-alone": {
    broken: "an answer with another status than 200 is a failed attempt",
    edit: {
      file: "src/events/webhooks/request/send.ts",
      from: "if (status >= 200 && status < 300) return null;",
      to: "if (status === 200) return null;",
    },
    killedBy: [["events/update-webhook", /with the status 204/]],
  },
  "webhook-disabled-by-404": {
    broken: "an endpoint that answers 404 is disabled",
    edit: {
      file: "src/events/webhooks/worker/retry-policy.ts",
      from: "const isGone = outcomes.some(({ attempt }) => attempt.status === gone);",
      to: "const isGone = outcomes.some(({ attempt }) => attempt.status === gone || attempt.status === 404);",
    },
    killedBy: [["events/webhook-retries", /answers 404, 400 or 503 stays enabled/]],
  },
  "webhook-every-five-seconds": {
    broken: "a delivery is repeated every 5 seconds for ever",
    edit: { file: "src/events/webhooks/worker/retry-policy.ts", from: "retryDelaysMs[failures];", to: "retryDelaysMs[0 * failures];" },
    killedBy: [["events/webhook-retries", /failed twice is repeated after about 5 minutes/]],
  },
  "webhook-recovers-all": {
    broken: "what has arrived is recovered, too",
    edit: {
      file: "src/events/webhooks/deliveries.ts",
      from: `
  where known.status <> 'succeeded'\``,
      to: "`",
    },
    killedBy: [["events/webhook-deliveries", /what has arrived is not sent again/]],
  },
  "webhook-id-of-its-own": {
    broken: "webhook-id is another id than that of the event in the list",
    edit: {
      file: "src/events/webhooks/worker/batches.ts",
      from: "connection.send({ id: logged.id,",
      to: 'connection.send({ id: logged.id.replace(/^./, (first) => (first === "0" ? "1" : "0")),',
    },
    killedBy: [["events/webhooks", /the id of the event as webhook-id/]],
  },
  "first-secret-kept": {
    broken: "a second rotation keeps the first secret beside the newest one",
    edit: {
      file: "src/events/webhooks/endpoints.ts",
      from: "set previous_secret = secret, previous_secret_until",
      to: "set previous_secret = coalesce(previous_secret, secret), previous_secret_until",
    },
    killedBy: [["events/update-webhook", /after each further rotation the two newest secrets/]],
  },
  "time-of-the-event": {
    broken: "webhook-timestamp is the time of the event, not of the attempt, so that receivers refuse a late one as a replay",
    edit: {
      file: "src/events/webhooks/request/send.ts",
      from: "headersOf(message, userAgent, Math.floor(at / 1000))",
      to: "headersOf(message, userAgent, Math.floor(Date.parse(JSON.parse(message.body).timestamp) / 1000))",
    },
    killedBy: [["events/webhook-retries", /with the same webhook-id and body, and a new timestamp/]],
  },
  "webhooks-of-every-streamer": {
    broken: "a client finds the webhooks that it has created for other streamers",
    edit: {
      file: "src/events/webhooks/endpoints.ts",
      from: 'const owned = "streamer_id = ? and application_id = ?',
      to: 'const owned = "coalesce(?::uuid, streamer_id) is not null and application_id = ?',
    },
    killedBy: [["events/webhooks", /a client of two streamers/]],
  },
  "webhook-recovers-later": {
    broken: "a recovery leaves out what happened at its very instant, but for recorded donations",
    edit: {
      file: "src/events/webhooks/deliveries.ts",
      from: "v.occurred_at >= from_millis(:from)",
      to: "v.occurred_at > from_millis(:from)",
    },
    killedBy: [["events/webhook-deliveries", /each type of event from the instant on/]],
  },
  "webhook-body-of-another-application": {
    broken: "of webhooks that read an event together all get the body for the first one's application, unless it is a recorded donation",
    edit: {
      file: "src/events/webhooks/worker/batches.ts",
      from: "if (known?.applicationId === applicationId) return known.body;",
      to: 'if (known && (known.applicationId === applicationId || logged.type !== "donation.created")) return known.body;',
    },
    killedBy: [["events/webhooks", /arrives without its idempotency key/]],
  },
};
