// Mutants of webhooks.

import type { Edit, Mutants } from "../mutant.ts";

const inWebhooks = (file: string, from: string, to: string): Edit => ({ file: `src/events/webhooks/${file}.ts`, from, to });

const signed = "const signed = `${id}.${timestamp}.${body}`;";

export const webhooks: Mutants = {
  "signature-other-bytes": {
    broken: "the signature is that of the body in another form than it is sent",
    edit: inWebhooks("request/secret", signed, "const signed = `${id}.${timestamp}.${JSON.stringify(JSON.parse(body), null, 1)}`;"),
    killedBy: [["events/webhook-deliveries", /signature covers/]],
  },
  "timestamp-not-signed": {
    broken: "the signature does not cover webhook-timestamp",
    edit: inWebhooks("request/secret", signed, "const signed = `${id}.${timestamp * 0}.${body}`;"),
    killedBy: [["events/webhook-deliveries", /signature covers/]],
  },
  "id-not-signed": {
    broken: "the signature does not cover webhook-id",
    edit: inWebhooks("request/secret", signed, "const signed = `${id && 0}.${timestamp}.${body}`;"),
    killedBy: [["events/webhook-deliveries", /signature covers/]],
  },
  "delivery-with-id": {
    broken: "the body of a delivery has a member that the contract does not describe",
    edit: inWebhooks(
      "endpoints/records",
      "export function bodyOf({ type, timestamp, data }: Event): string {\n  return JSON.stringify({ type,",
      "export function bodyOf({ id, type, timestamp, data }: Event): string {\n  return JSON.stringify({ id, type,",
    ),
    killedBy: [["events/webhook-deliveries", /no member more/]],
  },
  "retry-with-new-id": {
    broken: "a repeated delivery has another webhook-id",
    edit: inWebhooks(
      "worker/batches",
      "await send(connection, held, { logged, traces });\n    if (outcome === null) return;",
      'await send(connection, held, { logged: { ...logged, id: logged.id.replace(/..$/, "00") }, traces });\n    if (outcome === null) return;',
    ),
    killedBy: [
      ["events/webhook-retries", /is repeated after about 5 seconds/],
      ["events/redeliver-webhook", /same webhook-id/],
    ],
  },
  "order-lost-after-failure": {
    broken: "after a failed attempt the next events of a page are sent last to first",
    edit: inWebhooks(
      "worker/batches",
      "for (const logged of page.events) {",
      "for (const logged of held.failingSince === null ? page.events : page.events.toReversed()) {",
    ),
    killedBy: [["events/webhook-retries", /in the order in which they happened/]],
  },
  "gone-ignored": {
    broken: "an endpoint that answers 410 stays enabled",
    edit: inWebhooks("worker/retry-policy", 'isGone ? "gone" : isDead', "isGone && isDead ? null : isDead"),
    killedBy: [["events/webhook-retries", /answers 410 is disabled/]],
  },
  "webhook-retry-after-ignored": {
    broken: "Retry-After of an endpoint is ignored",
    edit: inWebhooks("request/send", "if (text === undefined) return null;", "if (text === undefined || text.length > 0) return null;"),
    killedBy: [["events/webhook-retries", /Retry-After: 60/]],
  },
  "redirect-followed": {
    broken: "a redirect of an endpoint is followed",
    edit: inWebhooks(
      "request/requests",
      "status = code;",
      'status = code;\n          const { location } = headers;\n          if (location) void fetch(String(location), { method: "POST", ...message });',
    ),
    killedBy: [["events/webhook-retries", /redirect is a failed attempt/]],
  },
  "private-address-accepted": {
    broken: "a webhook may have a private address",
    edit: inWebhooks("request/address", "return isPublicAddress(literal) ? null :", "return isPublicAddress(literal) || literal ? null :"),
    killedBy: [["events/create-webhook", /a private address is refused/]],
  },
  "any-port-accepted": {
    broken: "a webhook may have any port",
    edit: inWebhooks("request/address", "!ports.includes(Number(url.port || 443))", "ports.length === 0"),
    killedBy: [["events/create-webhook", /the port of SSH is refused/]],
  },
  "old-signature-missing": {
    broken: "after a rotation the previous secret does not sign any more",
    edit: inWebhooks(
      "worker/worker-store",
      "openSecrets(columns, sealer)",
      "openSecrets({ ...columns, previousSecret: columns.previousSecret && null }, sealer)",
    ),
    killedBy: [["events/rotate-webhook-secret", /both secrets verify/]],
  },
  "noted-before-sent": {
    broken: "the position moves on before the events are sent, so that a kill loses them",
    edit: inWebhooks(
      "worker/batches",
      "  for (const logged of page.events) {",
      "  await store.commit({ endpointId: held.id, position: page.position, written: [], health: noHealth });\n  for (const logged of page.events) {",
    ),
    killedBy: [["events/webhook-kills", /lose no event/]],
  },
};
