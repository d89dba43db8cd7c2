import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, test } from "vitest";

import { expectProblem, expectWithin } from "../../suite/client/api.ts";
import { send } from "../../suite/client/http-client.ts";
import { clientOf, needsClients, newGrant } from "../../suite/client/oauth/oauth-client.ts";
import { addOverlayKey, addStreamerWithKeys, cli } from "../../suite/client/operator.ts";
import { closePages, follow, overlayKeyOf, type Page } from "../../suite/client/overlay/overlay-page.ts";
import { hasOurForm, secretLength, withAnotherSecret } from "../../suite/servers/credentials.ts";
import { type Process, startProcess } from "../../suite/servers/start-server.ts";
import { remember } from "../../suite/values/redact.ts";
import { type Operator, operatorOf, target } from "../../suite/values/target.ts";

afterEach(() => closePages());

const stream = "/api/v1/overlay/stream?player=x";
const speech = `/api/v1/overlay/speech/${"0".repeat(64)}`;
const ask = (key: string | null, path = speech, more = {}) => send({ path, key, ...more });

/** Expects these streams to end within a second, and as much more as answers take at present. `key`: a good one, to measure that with. */
async function expectEnded(pages: readonly Page[], key: string): Promise<void> {
  let haveEnded = false;
  void Promise.all(pages.map(({ ended }) => ended)).then(() => (haveEnded = true));
  await expectWithin(1_000, async () => ask(key).then(() => haveEnded), true);
}

test("an overlay key has the form of an API key, of its own kind (interface 5.2)", async (context) => {
  expect(overlayKeyOf(context)).toMatch(/^[a-z][a-z0-9]*_o1_[0-9A-Za-z]{46}$/);
});

test("an overlay key with one wrong character is refused with invalid_token", async (context) => {
  const key = overlayKeyOf(context);
  for (let at = 0; at < key.length; at += 7)
    expectProblem(await ask(key.slice(0, at) + (key[at] === "x" ? "y" : "x") + key.slice(at + 1)), 401, "invalid_token");
  expectProblem(await ask(key.replace("_o1_", "_v1_")), 401, "invalid_token");
  expectProblem(await ask(target().keys.main.replace("_v1_", "_o1_")), 401, "invalid_token");
});

test("an overlay key with another secret is refused with invalid_token, even with a valid checksum", async (context) => {
  const key = overlayKeyOf(context);
  if (!hasOurForm(key)) context.skip("not applicable: the keys of this server have a form of their own");
  for (let at = 0; at < secretLength; at += 1) expectProblem(await ask(withAnotherSecret(key, at)), 401, "invalid_token");
});

test.for(["access_token", "key", "overlay_key", "token"])(
  "an overlay key in the URL or a cookie is never accepted: %s",
  async (name, context) => {
    const key = overlayKeyOf(context);
    expectProblem(await ask(null, `${stream}&${name}=${key}`), 401, "missing_credentials");
    expectProblem(await ask(null, speech, { headers: { Cookie: `${name}=${key}`, "X-Api-Key": key } }), 401, "missing_credentials");
  },
);

test("an access token is refused in place of an overlay key", async (context) => {
  await needsClients(context);
  const { access_token } = await newGrant(clientOf("confidential"));
  expectProblem(await ask(access_token, stream), 401, "invalid_token");
});

describe("several overlay keys of a streamer", () => {
  /** Another process on the same database, started by the first rule that needs it. */
  let second: Promise<Process> | null = null;
  const elsewhere = async (operator: Operator) => (await (second ??= startProcess(operator, "overlay-keys"))).url;
  afterAll(async () => (await second)?.stop());

  const newStreamer = async (context: Parameters<typeof operatorOf>[0]) => {
    const operator = operatorOf(context);
    const handle = `o${randomUUID().slice(0, 30)}`;
    const { overlayKey: key } = await addStreamerWithKeys(operator, handle, "read:donations");
    remember(key);
    const replace = async () => {
      const other = await addOverlayKey(operator, handle);
      remember(other);
      return other;
    };
    const add = async (name: string) => {
      const [other = ""] = (await cli(operator, "overlay-keys", "create", "--streamer", handle, "--name", name)).split("\n");
      remember(other);
      return other;
    };
    /** Revokes the key of this name. */
    const revoke = async (name: string) => {
      const keys = JSON.parse(await cli(operator, "overlay-keys", "list", "--streamer", handle)) as { id: string; name: string }[];
      await cli(operator, "overlay-keys", "revoke", keys.find((one) => one.name === name)?.id ?? "");
    };
    return { operator, handle, key, replace, add, revoke };
  };

  test("a further overlay key leaves the keys before it good", async (context) => {
    const { key, add } = await newStreamer(context);
    const other = await add("Phone");
    await sleep(1000);
    for (const one of [key, other]) expectProblem(await ask(one), 404, "speech_not_found");
  });

  test("a revoked overlay key is refused with token_revoked within a second, and its streams end; those of the streamer's others stay", async (context) => {
    const { operator, key, add, revoke } = await newStreamer(context);
    const phone = await add("Phone");
    const stays = await follow({ key, plays: false });
    const [here, there] = [
      await follow({ key: phone, plays: false }),
      await follow({ key: phone, server: await elsewhere(operator), plays: false }),
    ];
    for (const page of [stays, here, there]) await page.next("snapshot");
    await revoke("Phone");
    await expectEnded([here, there], key);
    await expectWithin(1_000, async () => (await ask(phone)).status, 401);
    expectProblem(await ask(phone), 401, "token_revoked");
    expectProblem(await ask(key), 404, "speech_not_found");
    expect(await Promise.race([stays.ended.then(() => "ended"), sleep(200, "open")])).toBe("open");
  });

  test("one player plays a streamer's alerts, with whichever of the overlay keys it is connected; those with others are on standby", async (context) => {
    const { key, add, revoke } = await newStreamer(context);
    const phone = await add("Phone");
    const first = await follow({ key: phone, player: "phone", plays: true });
    expect((await first.next("snapshot")).role).toBe("player");
    const second = await follow({ key, player: "obs", plays: true });
    expect((await second.next("snapshot")).role).toBe("standby");
    await revoke("Phone");
    expect((await second.next("role")).role).toBe("player");
  });

  test("a replaced overlay key is refused with token_revoked within a second, and the new one is good", async (context) => {
    const { key, replace } = await newStreamer(context);
    expectProblem(await ask(key), 404, "speech_not_found");
    const other = await replace();
    expectProblem(await ask(other), 404, "speech_not_found");
    await expectWithin(1_000, async () => (await ask(key)).status, 401);
    const reply = await ask(key, stream);
    expectProblem(reply, 401, "token_revoked");
    expect(reply.headers["www-authenticate"]).toMatch(/^Bearer .*error="invalid_token"/);
    expectProblem(await ask(other), 404, "speech_not_found");
  });

  test("a stream that is open with a replaced overlay key is ended within a second, by every process", async (context) => {
    const { operator, key, replace } = await newStreamer(context);
    const [here, there] = [await follow({ key }), await follow({ key, server: await elsewhere(operator), plays: false })];
    for (const page of [here, there]) await page.next("snapshot");
    await expectEnded([here, there], await replace());
  });

  test("replacing an overlay key does not end other streamers' streams", async (context) => {
    const page = await follow({ key: overlayKeyOf(context), plays: false });
    const { replace } = await newStreamer(context);
    await replace();
    expect(await Promise.race([page.ended.then(() => "ended"), sleep(1000, "open")])).toBe("open");
  });

  test("the command line prints overlay key and address once, and revokes other keys only with --replace", async (context) => {
    const { operator, handle, key, add } = await newStreamer(context);
    await add("Phone");
    expectProblem(await ask(key), 404, "speech_not_found");
    const listed = await cli(operator, "overlay-keys", "list", "--streamer", handle);
    expect(JSON.parse(listed)).toMatchObject([{ name: "OBS" }, { name: "Phone" }]);
    expect(listed).not.toContain(key);
    const [other, address] = (await cli(operator, "overlay-keys", "create", "--streamer", handle, "--replace")).split("\n");
    remember(other);
    expect(other).not.toBe(key);
    expect(address).toMatch(new RegExp(`^https?://.*/overlay/#${other}$`));
    expect(JSON.parse(await cli(operator, "overlay-keys", "list", "--streamer", handle))).toHaveLength(1);
  });
});
