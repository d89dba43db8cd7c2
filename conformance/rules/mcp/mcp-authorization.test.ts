import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { expectProblem, type Me, me, problemOf } from "../../suite/client/api.ts";
import {
  call,
  challengeIn,
  connect,
  dataOf,
  generations,
  postMcp,
  resultOf,
  rpc,
  toolProblem,
  toolScopes,
} from "../../suite/client/mcp.ts";
import { clientOf, exchange, issuer, needsClients, newCode, newGrant, revoke, tokensOf } from "../../suite/client/oauth/oauth-client.ts";
import { operations } from "../../suite/contract/contract.ts";
import { type Reply, toolName } from "../../suite/contract/http-request.ts";
import { needsOwnProcess, type Process, startProcess } from "../../suite/servers/start-server.ts";
import { freshKey } from "../../suite/values/donations.ts";
import { remember } from "../../suite/values/redact.ts";
import { endAsNotRun } from "../../suite/values/running.ts";
import { keyOf, target } from "../../suite/values/target.ts";

const metadataUrl = async (): Promise<string> => `${await issuer()}/.well-known/oauth-protected-resource/mcp`;
const mcp = (): string => `${target().url}/mcp`;
const given = (): object => ({ donatorName: "A", amount: 1, idempotencyKey: freshKey(), skipAlert: true });

describe("without a good credential", () => {
  test("a message without a credential is refused with 401 that says where to get one (RFC 9728 5.1)", async () => {
    const reply = await rpc("initialize", {}, { key: null });
    expectProblem(reply, 401, "missing_credentials");
    expect(challengeIn(reply)).toMatchObject({ resource_metadata: await metadataUrl() });
    expect(challengeIn(reply).error).toBeUndefined();
    expect(challengeIn(reply).scope?.split(" ").sort()).toEqual(toolScopes);
  });

  test("a message with a made-up key is refused with invalid_token", async () => {
    remember("namjai_v1_made_up_for_mcp");
    const reply = await rpc("tools/list", {}, { key: "namjai_v1_made_up_for_mcp" });
    expectProblem(reply, 401, "invalid_token");
    expect(challengeIn(reply)).toMatchObject({ resource_metadata: await metadataUrl(), error: "invalid_token" });
  });

  test("a message with an overlay key is refused with invalid_token", async (context) =>
    expectProblem(await rpc("tools/list", {}, { key: keyOf(context, "overlay") }), 401, "invalid_token"));

  test("the credential is checked before the message is read", async () =>
    expectProblem(await postMcp("{nonsense", { key: null }), 401, "missing_credentials"));

  test("a credential in the URL is not accepted", async () => {
    const reply = await fetch(`${mcp()}?access_token=${target().keys.main}`, { method: "POST", body: "{}" });
    expect(reply.status).toBe(401);
  });
});

describe("scopes", () => {
  test("a tool call without its scopes is 403 with the scopes to ask for, those that the credential has among them", async (context) => {
    const reply = await call("create_donation", given(), { key: keyOf(context, "readOnly") });
    expectProblem(reply, 403, "insufficient_scope");
    expect(problemOf(reply).requiredScopes).toEqual(["write:donations"]);
    const { error, scope, resource_metadata } = challengeIn(reply);
    expect([error, resource_metadata]).toEqual(["insufficient_scope", await metadataUrl()]);
    expect(scope?.split(" ").sort()).toEqual(["read:donations", "write:donations"]);
  });

  test("a tool call without its scopes is 403 whatever its arguments are", async (context) =>
    expectProblem(await call("create_donation", { amount: "x" }, { key: keyOf(context, "readOnly") }), 403, "insufficient_scope"));

  test("a credential is listed the tools that it may call, and none that others are not", async (context) => {
    const names = async (key: string): Promise<string[]> => {
      const { tools } = resultOf(await rpc("tools/list", {}, { key })) as unknown as { tools: { name: string }[] };
      return tools.map(({ name }) => name);
    };
    const allowed = async (key: string): Promise<string[]> => {
      const granted: readonly string[] = ((await me({ key })).body as { data: Me }).data.scopes;
      const those = operations.filter(({ isTool, scopes }) => isTool && scopes?.every((scope) => granted.includes(scope)));
      return those.map(({ id }) => toolName(id));
    };
    const [readOnly, main] = [keyOf(context, "readOnly"), keyOf(context, "main")];
    const [some, all] = [await names(readOnly), await names(main)];
    expect(some).toEqual(expect.arrayContaining(await allowed(readOnly)));
    expect(all).toEqual(expect.arrayContaining([...(await allowed(main)), ...some]));
  });

  test("a tool that needs no scope can be called with any credential", async (context) => {
    for (const holder of ["readOnly", "writeOnly"] as const)
      expect(dataOf(resultOf(await call("get_me", {}, { key: keyOf(context, holder) }))), holder).toBeDefined();
  });
});

describe("access tokens", () => {
  beforeEach(needsClients);

  test("access tokens for /mcp and for the base URL are accepted at /mcp", async () => {
    for (const resource of [mcp(), undefined]) {
      const { access_token } = await newGrant(clientOf("confidential"), { resource });
      expect(dataOf(resultOf(await call("get_me", {}, { key: access_token })))).toMatchObject({ credential: "access_token" });
    }
  });

  test("access tokens for /mcp are refused by the API, so that a stolen one cannot be used there", async () => {
    const { access_token } = await newGrant(clientOf("confidential"), { resource: mcp() });
    expectProblem(await me({ key: access_token }), 401, "invalid_token");
  });

  test("access tokens at /mcp have their own scopes only", async () => {
    const { access_token } = await newGrant(clientOf("public"), { scopes: "read:donations", resource: mcp() });
    expect((await call("list_donations", {}, { key: access_token })).status).toBe(200);
    expectProblem(await call("create_donation", given(), { key: access_token }), 403, "insufficient_scope");
  });

  test("access tokens at /mcp see their own streamer only", async () => {
    const tokens = await Promise.all(
      (["main", "other"] as const).map((handle) => newGrant(clientOf("confidential"), { handle, resource: mcp() })),
    );
    const [mine, theirs] = tokens.map(({ access_token }) => access_token);
    const donation = dataOf(resultOf(await call("create_donation", given(), { key: theirs }))) as { id: string };
    expect(toolProblem(resultOf(await call("get_donation", { donationId: donation.id }, { key: mine }))).code).toBe("donation_not_found");
  });

  test("access tokens are refused at /mcp once their grant is revoked", async () => {
    const client = clientOf("confidential");
    const tokens = tokensOf(await exchange(client, await newCode(client, { resource: mcp() })));
    expect((await rpc("ping", {}, { key: tokens.access_token })).status).toBe(200);
    await revoke(client, tokens.refresh_token);
    const reply = await rpc("ping", {}, { key: tokens.access_token });
    expectProblem(reply, 401, "token_revoked");
    expect(challengeIn(reply)).toMatchObject({ error: "invalid_token", resource_metadata: await metadataUrl() });
  });
});

describe("Origin", () => {
  test.each(["https://evil.example", "null", "http://127.0.0.1.evil.example", "chrome-extension://x"])(
    "Origin %s is refused, even with a valid key",
    async (Origin) => {
      const reply = await rpc("tools/list", {}, { headers: { Origin } });
      expect([reply.status, reply.headers["access-control-allow-origin"]]).toEqual([403, undefined]);
    },
  );

  test("an Origin that differs from ours in its scheme, host or port alone, or has ours within it, is refused", async () => {
    const { origin: ours, protocol, hostname, port } = new URL(target().url);
    const otherScheme = protocol === "http:" ? "https:" : "http:";
    const others = [
      ...[`${otherScheme}//${ours.slice(protocol.length + 2)}`, `${protocol}//${hostname}:${port === "81" ? 82 : 81}`, `${ours}0`],
      ...[
        `${ours}.evil.example`,
        `${protocol}//evil.example#${ours}`,
        `${protocol}//x.${ours.slice(protocol.length + 2)}`,
        `${ours}, ${ours}`,
      ],
    ];
    const statuses = await Promise.all(others.map(async (Origin) => (await rpc("tools/list", {}, { headers: { Origin } })).status));
    expect(statuses).toEqual(others.map(() => 403));
  });

  test("a page whose host name was bound to this address is refused (DNS rebinding)", async (context) => {
    const hasTls = target().url.startsWith("https:");
    if (hasTls) context.skip("not applicable: the server's certificate does not name the page's host, so that no browser connects");
    const reply = await rpc("tools/list", {}, { headers: { Origin: "http://evil.example", Host: "evil.example" } });
    const isOfProxy = target().foreign && reply.headers["x-request-id"] === undefined;
    if (isOfProxy) endAsNotRun("a reverse proxy in front of the server answers requests for another host itself");
    expect(reply.status).toBe(403);
  });

  test("a request from our own Origin is accepted", async () =>
    expect((await rpc("tools/list", {}, { headers: { Origin: new URL(await issuer()).origin } })).status).toBe(200));
});

describe("rate limits", () => {
  let limited: Process | null = null;
  beforeAll(async () => {
    const { operator } = target();
    limited = operator && (await startProcess(operator, "mcp-limits", { RATE_LIMITS: "create=60/60/2,read=60/60/5,failed=60/60/3" }));
  });
  afterAll(() => limited?.stop());
  beforeEach(needsOwnProcess);

  const there = () => ({ server: limited?.url ?? "" });

  test("a tool call above the rate limit is a result that says how long to wait; headers say what is left", async () => {
    const replies: Reply[] = [];
    for (let index = 0; index < 4; index += 1) replies.push(await call("create_donation", given(), there()));
    const last = replies.at(-1) as Reply;
    expect(replies[0]?.headers).toMatchObject({ ratelimit: expect.stringMatching(/^"create";r=1;/) });
    expect(toolProblem(resultOf(last))).toMatchObject({ code: "rate_limited", retryAfter: Number(last.headers["retry-after"]) });
    expect(last.headers).toMatchObject({
      ratelimit: expect.stringMatching(/^"create";r=0;/),
      "retry-after": expect.stringMatching(/^\d+$/),
    });
  });

  test("a message above the rate limit that calls no tool is 429", async (context) => {
    const sent = { ...there(), key: keyOf(context, "other") };
    for (let index = 0; index < 6; index += 1) await rpc("ping", {}, sent);
    expectProblem(await rpc("ping", {}, sent), 429, "rate_limited");
  });

  test("the API and /mcp count a credential's requests together", async (context) => {
    const sent = { ...there(), key: keyOf(context, "readOnly") };
    for (let index = 0; index < 6; index += 1) await me(sent);
    expect(toolProblem(resultOf(await call("list_donations", {}, sent))).code).toBe("rate_limited");
  });

  test("a tool call above the rate limit uses up no idempotency key", async (context) => {
    const sent = { ...there(), key: keyOf(context, "secondApplication") };
    const replies = [];
    const same = given();
    for (let index = 0; index < 2; index += 1) await call("create_donation", given(), sent);
    replies.push(toolProblem(resultOf(await call("create_donation", same, sent))).code);
    expect(replies).toEqual(["rate_limited"]);
    expect(dataOf(resultOf(await call("create_donation", same, { key: keyOf(context, "secondApplication") })))).toMatchObject(same);
  });

  // Runs last: afterwards this address is refused.
  test("an address with too many invalid credentials is refused at /mcp, except with a valid one", async (context) => {
    for (let index = 0; index < 4; index += 1) await rpc("ping", {}, { ...there(), key: null });
    expectProblem(await rpc("ping", {}, { ...there(), key: null }), 429, "rate_limited");
    expect((await rpc("ping", {}, { ...there(), key: keyOf(context, "quiet") })).status).toBe(200);
  });
});

test.each(generations)("client SDK of %s reports that its key is wrong", async (generation) => {
  remember("namjai_v1_made_up_for_mcp");
  await expect(connect(generation, "namjai_v1_made_up_for_mcp")).rejects.toThrow(/401|Unauthorized|not known/i);
});
