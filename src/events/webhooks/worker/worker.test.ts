import { Webhook as Verifier } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { until } from "../../../db/testing.ts";
import { type Answer, have, openReceiver, type Receiver, sendAll, useTestWebhooks, type WorkerOptions } from "../testing.ts";
import type { Worker } from "./worker.ts";

const setting = useTestWebhooks();
const { opened } = setting;

const receiver = async (answer?: Parameters<typeof openReceiver>[0]): Promise<Receiver> => {
  const one = await openReceiver(answer);
  opened.push(one.close);
  return one;
};

const worker = (options?: WorkerOptions): Worker => {
  const one = setting.webhooks.worker(options);
  opened.push(one.stop);
  return one;
};

describe("a delivery", () => {
  test("a delivery is accepted by the official library, and refused by it when it is tampered with or stale", async () => {
    const [owner, target] = [await setting.webhooks.owner(), await receiver()];
    const { secret } = await setting.webhooks.endpoint(owner, target.url);
    const [id] = await setting.webhooks.donate(owner);
    await sendAll(worker());
    const [first] = target.received;
    const headers = first?.headers as Record<string, string>;
    const body = first?.body ?? "";
    const verifier = new Verifier(secret);
    expect(verifier.verify(body, headers)).toMatchObject({ type: "donation.created", data: { id, isTest: false } });
    expect(first?.id).toBe(id);
    expect(() => verifier.verify(body.replace("THB", "USD"), headers)).toThrow("No matching signature");
    expect(() => verifier.verify(body, { ...headers, "webhook-id": "other" })).toThrow("No matching signature");
    const stale = String(Number(headers["webhook-timestamp"]) - 600);
    expect(() => verifier.verify(body, { ...headers, "webhook-timestamp": stale })).toThrow("too old");
  });

  test("a delivery has two signatures for a day after a rotation, and then one", async () => {
    const [owner, target] = [await setting.webhooks.owner(), await receiver()];
    const endpoint = await setting.webhooks.endpoint(owner, target.url);
    await setting.webhooks.endpoints.rotate(owner, endpoint.id, {
      secret: Buffer.alloc(32, 1),
      until: setting.webhooks.now() + 86_400_000,
    });
    const one = worker();
    for (const wait of [86_000_000, 1_000_000]) {
      await setting.webhooks.donate(owner);
      await sendAll(one);
      setting.webhooks.advance(wait);
    }
    await setting.webhooks.donate(owner);
    await sendAll(one);
    const signatures = target.received.map(({ headers }) => String(headers["webhook-signature"]).split(" ").length);
    expect(signatures).toEqual([2, 2, 1]);
    const [first] = target.received;
    expect(
      new Verifier(endpoint.secret, {}).sign(
        first?.id ?? "",
        new Date(Number(first?.headers["webhook-timestamp"]) * 1000),
        first?.body ?? "",
      ),
    ).toBe(String(first?.headers["webhook-signature"]).split(" ")[1]);
  });
});

describe("several endpoints", () => {
  test("every endpoint gets every event once and in order, also when several processes share the endpoints", async () => {
    const owners = [await setting.webhooks.owner(), await setting.webhooks.owner()];
    const targets = await Promise.all([receiver(), receiver(), receiver(), receiver()]);
    for (const [index, { url }] of targets.entries()) await setting.webhooks.endpoint(owners[index % 2] as (typeof owners)[0], url);
    const workers = [worker(), worker()];
    const [first, second] = await Promise.all(owners.map((owner) => setting.webhooks.donate(owner, 150)));
    for (let round = 0; round < 3; round += 1) for (const one of workers) await sendAll(one);
    await Promise.all(targets.map((target) => have(target, 150)));
    expect(targets.map(({ ids }) => ids())).toEqual([first, second, first, second]);
    const { rows } = await setting.webhooks.knex.raw(
      "select count(*)::int from webhook_endpoints where deleted_at is null group by worker_id",
    );
    expect(rows).toEqual([{ count: 2 }, { count: 2 }]);
  });

  test.each<[string, Answer]>([
    ["hangs", "hang"],
    ["answers 500", { status: 500 }],
  ])("an endpoint that %s delays no other", async (_, answer) => {
    const owner = await setting.webhooks.owner();
    const [bad, good] = [await receiver(() => answer), await receiver()];
    for (const { url } of [bad, good]) await setting.webhooks.endpoint(owner, url);
    const ids = await setting.webhooks.donate(owner, 50);
    const one = worker();
    await one.tick();
    await have(good, 50);
    expect(good.ids()).toEqual(ids);
    expect(bad.received.length).toBeGreaterThan(0);
    if (answer === "hang") expect(bad.received).toHaveLength(1); // its first request is still under way
  });
});

describe("a process that is killed", () => {
  test("what it sent last is sent again by another, with the same webhook-id, and nothing is missed", async () => {
    const owner = await setting.webhooks.owner();
    let answer: Answer = { status: 200 };
    const target = await receiver(() => answer);
    const endpoint = await setting.webhooks.endpoint(owner, target.url);
    const ids = await setting.webhooks.donate(owner, 3);
    const killed = worker();
    await sendAll(killed);
    answer = "hang";
    const [fourth] = await setting.webhooks.donate(owner);
    await killed.tick();
    await have(target, 4);
    answer = { status: 200 };
    const next = worker();
    await until(async () => {
      // As after a kill, once its lease has ended. Here it lives, and may renew its lease.
      await setting.webhooks.knex("webhook_workers").update({ alive_until: new Date(0) });
      await sendAll(next);
      return target.received.length > 4;
    });
    expect(target.ids()).toEqual([...ids, fourth, fourth]);
    expect(await setting.webhooks.deliveriesOf(endpoint.id)).toHaveLength(4);
  });

  test("a process that was replaced while it was sending writes nothing", async () => {
    const owner = await setting.webhooks.owner();
    const target = await receiver(() => (target.received.length === 1 ? "hang" : { status: 200 }));
    const endpoint = await setting.webhooks.endpoint(owner, target.url);
    const [id] = await setting.webhooks.donate(owner);
    const replaced = worker({ timeouts: { connectMs: 1_000, wholeMs: 1_500 } });
    await replaced.tick();
    await have(target, 1);
    await setting.webhooks.knex("webhook_workers").update({ alive_until: new Date(0) });
    await sendAll(worker());
    await replaced.idle();
    expect(target.ids()).toEqual([id, id]);
    const [delivery] = await setting.webhooks.deliveriesOf(endpoint.id);
    expect(delivery).toMatchObject({ status: "succeeded", attempts: [{ status: 200, error: null }] });
  });

  test("a process that joins gets its share of the endpoints, also of those that have nothing to do", async () => {
    const owner = await setting.webhooks.owner();
    const target = await receiver();
    for (let count = 0; count < 6; count += 1) await setting.webhooks.endpoint(owner, target.url);
    const workers = [worker(), worker(), worker()];
    await until(async () => {
      for (const one of workers) await sendAll(one);
      const { rows } = await setting.webhooks.knex.raw(
        "select count(*)::int from webhook_endpoints where deleted_at is null group by worker_id",
      );
      return rows.map(({ count }: { count: number }) => count).join() === "2,2,2";
    });
  });

  test("a process that stops while an endpoint hangs writes what arrived before", async () => {
    const owner = await setting.webhooks.owner();
    const target = await receiver(() => (target.received.length === 3 ? "hang" : { status: 200 }));
    const endpoint = await setting.webhooks.endpoint(owner, target.url);
    const ids = await setting.webhooks.donate(owner, 3);
    const stopped = worker();
    await stopped.tick();
    await have(target, 3);
    await stopped.stop();
    expect(await setting.webhooks.deliveriesOf(endpoint.id)).toHaveLength(2);
    await sendAll(worker());
    expect(target.ids()).toEqual([...ids, ids[2]]);
  });

  test("a process that stops gives its endpoints to others at once", async () => {
    const [owner, target] = [await setting.webhooks.owner(), await receiver()];
    await setting.webhooks.endpoint(owner, target.url);
    const stopped = worker();
    await sendAll(stopped);
    await stopped.stop();
    const [id] = await setting.webhooks.donate(owner);
    await sendAll(worker());
    expect(target.ids()).toEqual([id]);
  });
});

describe("an application", () => {
  test("an application that is disconnected gets nothing any more, and its endpoints are disabled", async () => {
    const [owner, target] = [await setting.webhooks.owner(), await receiver()];
    const endpoint = await setting.webhooks.endpoint(owner, target.url);
    await setting.webhooks.knex("api_keys").where({ application_id: owner.applicationId }).update({ revoked_at: new Date() });
    await setting.webhooks.donate(owner);
    await sendAll(worker());
    expect(target.received).toEqual([]);
    expect(await setting.webhooks.endpoints.find(owner, endpoint.id)).toMatchObject({ disabledReason: "disconnected" });
  });

  test("an application that lost the scope of an event type gets no events of that type", async () => {
    const [owner, target] = [await setting.webhooks.owner(), await receiver()];
    const endpoint = await setting.webhooks.endpoint(owner, target.url);
    await setting.webhooks
      .knex("api_keys")
      .where({ application_id: owner.applicationId })
      .update({ scopes: ["read:alerts"] });
    await setting.webhooks.donate(owner);
    await sendAll(worker());
    expect(target.received).toEqual([]);
    expect(await setting.webhooks.endpoints.find(owner, endpoint.id)).toMatchObject({ disabledReason: null });
  });

  test("an application that deletes or disables an endpoint gets nothing there from then on", async () => {
    const [owner, target] = [await setting.webhooks.owner(), await receiver()];
    const [removed, disabled] = [await setting.webhooks.endpoint(owner, target.url), await setting.webhooks.endpoint(owner, target.url)];
    const one = worker();
    await sendAll(one);
    await setting.webhooks.endpoints.remove(owner, removed.id);
    await setting.webhooks.endpoints.update(owner, disabled.id, { enabled: false });
    await setting.webhooks.donate(owner);
    await sendAll(one);
    await until(async () => true);
    expect(target.received).toEqual([]);
  });
});
