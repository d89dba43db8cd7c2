import { Webhook as Verifier } from "standardwebhooks";
import { expect, test } from "vitest";

import { create as donate, expectProblem, recorded } from "../../suite/client/api.ts";
import {
  call,
  cleanUp,
  created,
  dataOf,
  idsOfNothing,
  openReceiver,
  ownStreamer,
  type WebhookWithSecret,
} from "../../suite/client/events/webhooks.ts";
import { donation } from "../../suite/values/donations.ts";

const streamer = ownStreamer();
cleanUp(streamer);

test("after a rotation both secrets verify a delivery, and the end of the previous one is a day away", async (context) => {
  let secret = "";
  const receiver = await openReceiver(() => secret);
  const before = await created(streamer(context), { url: receiver.url, types: ["donation.created"] });
  const after = dataOf<WebhookWithSecret>(await call(streamer(context), ["POST", `/${before.id}/rotate-secret`]));
  ({ secret } = after);
  expect(after.secret).not.toBe(before.secret);
  const left = Date.parse(after.previousSecretUntil ?? "") - Date.now();
  expect(left).toBeGreaterThan(23.9 * 3_600_000);
  expect(left).toBeLessThan(24.1 * 3_600_000);
  recorded(await donate(donation(), { key: streamer(context) }));
  const [first] = await receiver.have(1);
  expect(String(first?.headers["webhook-signature"]).split(" ")).toHaveLength(2);
  expect(new Verifier(before.secret).verify(first?.body ?? "", first?.headers as Record<string, string>)).toEqual(first?.event);
});

test("after each further rotation the two newest secrets verify a delivery, and no older one does", async (context) => {
  let secret = "";
  const receiver = await openReceiver(() => secret);
  const webhook = await created(streamer(context), { url: receiver.url, types: ["donation.created"] });
  const secrets = [webhook.secret];
  for (let rotation = 0; rotation < 3; rotation += 1)
    secrets.unshift(dataOf<WebhookWithSecret>(await call(streamer(context), ["POST", `/${webhook.id}/rotate-secret`])).secret);
  [secret = ""] = secrets;
  recorded(await donate(donation(), { key: streamer(context) }));
  const [first] = await receiver.have(1);
  const verifies = (one: string): boolean => {
    try {
      new Verifier(one).verify(first?.body ?? "", first?.headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };
  expect(secrets.map(verifies)).toEqual([true, true, false, false]);
});

test.for(idsOfNothing)("rotateWebhookSecret refuses the id %s, which names no webhook, with webhook_not_found", async (id, context) =>
  expectProblem(await call(streamer(context), ["POST", `/${id}/rotate-secret`]), 404, "webhook_not_found"),
);
