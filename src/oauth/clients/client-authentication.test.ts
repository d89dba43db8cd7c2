import { hash } from "node:crypto";
import { expect, onTestFinished, test, vi } from "vitest";
import { OAuthError, Problem } from "../../http/problem.ts";
import { failureLimit, memoryBuckets } from "../../http/rate-limits/token-bucket.ts";
import { type ClientMembers, clientAuthentication, type FailureThrottle, failureThrottle, noThrottle } from "./client-authentication.ts";
import type { OAuthClient } from "./clients.ts";

const secret = "Zx0vT9b2kQ7nR4mW1yP6cJ3hL8sD5fGa";
const registered = { confidential: false, app: true };
const maxFailures = 20;
const throttled = () =>
  failureThrottle(
    { buckets: memoryBuckets(), ofContract: (name) => failureLimit(name, { quota: maxFailures, window: 60 }) },
    "failed-client",
    "too many",
  );
const basic = (id: string, password: string) => `Basic ${btoa(`${id}:${password}`)}`;

test.each([
  ["body", undefined, { client_id: "confidential", client_secret: secret }, "confidential"],
  ["Basic", basic("confidential", secret), {}, "confidential"],
  ["Basic in lower case", basic("confidential", secret).replace("Basic", "basic"), {}, "confidential"],
  ["Basic, form-encoded", basic("%63onfidential", `%5A${secret.slice(1)}`), {}, "confidential"],
  ["Basic, and the same id in the body", basic("confidential", secret), { client_id: "confidential" }, "confidential"],
  ["a public client's id", undefined, { client_id: "app" }, "app"],
  ["a public client's id in Basic, with no secret", basic("app", ""), {}, "app"],
  ["body, whatever another scheme says", `Bearer ${secret}`, { client_id: "confidential", client_secret: secret }, "confidential"],
  ["body, behind an empty header", "", { client_id: "confidential", client_secret: secret }, "confidential"],
])("a client is authenticated by %s (RFC 6749 2.3.1)", async (_title, authorization, body, id) => {
  expect(await attempt(authorization, body)).toBe(id);
});

test.each([
  ["no client at all", undefined, {}],
  ["a secret without an id", undefined, { client_secret: secret }],
  ["an unknown client", undefined, { client_id: "nobody", client_secret: secret }],
  ["a wrong secret", undefined, { client_id: "confidential", client_secret: `${secret}x` }],
  ["a confidential client without its secret", undefined, { client_id: "confidential" }],
  ["a confidential client with an empty secret in Basic", basic("confidential", ""), {}],
  ["a public client with a secret", undefined, { client_id: "app", client_secret: secret }],
  ["a public client with a secret in Basic", basic("app", secret), {}],
  ["Basic without a colon", `Basic ${btoa("confidential")}`, {}],
  ["Basic without an id", basic("", secret), {}],
  ["Basic that is not base64", "Basic !!!", {}],
  ["Basic alone, whatever the body says", "Basic", { client_id: "confidential", client_secret: secret }],
  ["Basic with a malformed escape", basic("confidential", `${secret}%zz`), {}],
  ["Basic with a cut escape", basic("confidential", `${secret}%4`), {}],
  ["Basic with NUL", basic("confidential%00", secret), {}],
  ["Basic with bytes that are no UTF-8", basic("confidential%FF", secret), {}],
  ["another scheme and no client in the body", `Bearer ${secret}`, {}],
  ["an empty header and no client in the body", "", {}],
])("a request with %s is refused with invalid_client, 401 and a challenge (RFC 6749 5.2)", async (_title, authorization, body) => {
  const refusal = await attempt(authorization, body).catch((error) => error);
  expect(refusal).toMatchObject({
    code: "invalid_client",
    status: 401,
    headers: { "WWW-Authenticate": expect.stringMatching(/^Basic realm=/) },
  });
});

test.each([
  ["Basic and a secret in the body", basic("confidential", secret), { client_secret: secret }],
  ["Basic and all in the body", basic("confidential", secret), { client_id: "confidential", client_secret: secret }],
  ["Basic and another client in the body", basic("confidential", secret), { client_id: "app" }],
])("a request with %s is refused with invalid_request (RFC 6749 2.3)", async (_title, authorization, body) => {
  await expect(attempt(authorization, body)).rejects.toMatchObject({ code: "invalid_request", status: 400 });
});

test("when a client has failed to authenticate as often as the limit allows, every attempt from that network is rate_limited, even with the right secret", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const throttle = throttled();
  for (let i = 0; i < maxFailures; i += 1) expect(await guess(throttle)).toBe("invalid_client");
  expect(await guess(throttle)).toMatchObject({ code: "rate_limited", extras: { headers: { "Retry-After": "60" } } });
  await expect(attempt(undefined, { client_id: "confidential", client_secret: secret }, throttle)).rejects.toBeInstanceOf(Problem);
  vi.advanceTimersByTime(45_000);
  expect(await guess(throttle)).toMatchObject({ extras: { headers: { "Retry-After": "15" } } });
  vi.advanceTimersByTime(15_000);
  expect(await guess(throttle)).toBe("invalid_client");
});

test("failed client authentications that run at the same time are all counted", async () => {
  const throttle = throttled();
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => guess(throttle)));
  expect(outcomes.filter((outcome) => outcome === "invalid_client")).toHaveLength(maxFailures);
});

test("other clients, other networks and successful authentications do not count towards a client's limit", async () => {
  const throttle = throttled();
  const right = { client_id: "confidential", client_secret: secret };
  for (let i = 0; i < 30; i += 1) expect(await attempt(undefined, right, throttle)).toBe("confidential");
  for (let i = 0; i < 30; i += 1) await guess(throttle);
  await expect(attempt(undefined, right, throttle)).rejects.toMatchObject({ code: "rate_limited" });
  expect(await attempt(undefined, right, throttle, "192.0.2.2")).toBe("confidential");
  expect(await attempt(undefined, { client_id: "app" }, throttle)).toBe("app");
});

test("failures from IPv6 addresses of one network count together (RFC 6177: one customer, one network)", async () => {
  const throttle = throttled();
  const wrong = { client_id: "confidential", client_secret: "wrong" };
  const from = (address: string) => attempt(undefined, wrong, throttle, address).catch(({ code }) => code);
  for (let i = 0; i < maxFailures; i += 1) expect(await from(`2001:db8::${i}`)).toBe("invalid_client");
  expect(await from("2001:db8::99")).toBe("rate_limited");
  expect(await from("2001:db8:1::99")).toBe("invalid_client");
});

test("failures with made-up client ids from one network count together", async () => {
  const throttle = throttled();
  const from = (address: string, client_id: string) => attempt(undefined, { client_id }, throttle, address).catch(({ code }) => code);
  for (let i = 0; i < maxFailures; i += 1) expect(await from("192.0.2.1", `nobody-${i}`)).toBe("invalid_client");
  expect(await from("192.0.2.1", "nobody-else")).toBe("rate_limited");
  expect(await from("192.0.2.2", "nobody-else")).toBe("invalid_client");
  expect(await from("192.0.2.1", "app")).toBe("app");
});

test("failed client authentications are not counted when rate limits are off", async () => {
  for (let i = 0; i < 50; i += 1) expect(await guess(noThrottle)).toBe("invalid_client");
});

const secretHashesOf = (id: string) => (id === "confidential" ? [hash("sha256", secret, "buffer")] : []);

/** The id of the client that comes out. */
async function attempt(
  authorization: string | undefined,
  body: ClientMembers,
  throttle: FailureThrottle = noThrottle,
  address = "192.0.2.1",
) {
  const find = async (id: string) =>
    id in registered ? { client: clientOf(id as keyof typeof registered), secretHashes: secretHashesOf(id) } : null;
  const { client } = await clientAuthentication(throttle)({ authorization, address }, body, find);
  return client.id;
}

/** A wrong secret: the OAuth error's code, or what else was thrown. */
async function guess(throttle: FailureThrottle): Promise<unknown> {
  const wrong = { client_id: "confidential", client_secret: "wrong" };
  return attempt(undefined, wrong, throttle).catch((error) => (error instanceof OAuthError ? error.code : error));
}

function clientOf(id: keyof typeof registered): OAuthClient {
  return { id, applicationId: "", name: id, public: registered[id], redirectUris: [], scopes: [] };
}
