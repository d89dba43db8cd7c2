// What a program does with the package namjai-donations. It prints what became of each step.

import { ApiError, connect, verifyWebhook } from "namjai-donations";

const { API_URL: url, API_KEY: key, RUNTIME: donatorName } = globalThis.settings ?? globalThis.process.env;
const client = connect({ url, key });

const expect = (isSo, otherwise) => {
  if (!isSo) throw new Error(otherwise);
};

const steps = {
  record: async () => {
    const donation = { donatorName, amount: 50, idempotencyKey: crypto.randomUUID() };
    const [{ id }, again] = [await client.record(donation), await client.record(donation)];
    expect(again.id === id, "recorded twice");
  },
  iterate: async () => {
    const donators = [];
    for await (const one of client.items("/api/v1/donations", { limit: 1 })) donators.push(one.donatorName);
    expect(donators.includes(donatorName), donators.join());
  },
  "error class": async () => {
    const error = await client.record({ donatorName, amount: 0 }).catch((reason) => reason);
    expect(error instanceof ApiError.of("validation_failed") && !(error instanceof ApiError.of("rate_limited")), String(error));
  },
  events: async () => {
    for await (const { type, data } of client.events({ after: undefined, types: ["donation.created"] })) {
      expect(type === "donation.created" && data.donatorName === `${donatorName} again`, type);
      break;
    }
  },
  webhook: async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    const base64 = (some) => btoa(String.fromCharCode(...new Uint8Array(some)));
    const sign = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    const [timestamp, body] = [String(Math.floor(Date.now() / 1_000)), '{"type":"donation.created"}'];
    const signature = base64(await crypto.subtle.sign("HMAC", sign, new TextEncoder().encode(`m1.${timestamp}.${body}`)));
    const headers = new Headers({ "webhook-id": "m1", "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` });
    const secret = `whsec_${base64(bytes)}`;
    expect((await verifyWebhook(secret, headers, body)).type === "donation.created", "another event");
    const forged = await verifyWebhook(secret, headers, `${body} `).catch(({ message }) => message);
    expect(forged === "no signature is right", String(forged));
  },
};

const outcomes = {};
for (const [step, take] of Object.entries(steps)) {
  const meanwhile = step === "events" && setInterval(() => client.record({ donatorName: `${donatorName} again`, amount: 1 }), 300);
  outcomes[step] = await take().then(
    () => "ok",
    (error) => error.message || String(error),
  );
  clearInterval(meanwhile);
}
console.log(JSON.stringify(outcomes));
