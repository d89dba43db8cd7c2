import { expect, type TestContext, test } from "vitest";

import { expectProblem } from "../suite/client/api.ts";
import { anotherStreamer, expectRoom, idsOfNothing, ownStreamer } from "../suite/client/events/webhooks.ts";
import { send } from "../suite/client/http-client.ts";
import type { Reply } from "../suite/contract/http-request.ts";
import { exampleBody, notFoundCode, type ReadableResource, readableResources } from "../suite/contract/resources.ts";

const streamer = ownStreamer();

const ask = (method: string, path: string, key: string): Promise<Reply> => send({ method, path, key });

/** Creates one by the contract's example, and deletes it after the rule. */
async function created(
  context: TestContext,
  { name, path, create }: ReadableResource,
): Promise<{ key: string; location: string; reply: Reply }> {
  const key = streamer(context);
  const body = JSON.stringify(exampleBody(create));
  const reply = await send({ method: "POST", path, key, headers: { "Content-Type": "application/json" }, body });
  await expectRoom(reply, { name, path }, key);
  expect(reply.status, reply.text).toBe(201);
  const location = String(reply.headers.location);
  context.onTestFinished(async () => void (await ask("DELETE", location, key)));
  return { key, location, reply };
}

const dataOf = ({ body }: Reply): object => (body as { data: object }).data;

const each = readableResources.map((resource) => ({ name: resource.name, resource }));

test.for(each)("a $name is read at the Location that its creation answers, as it was created", async ({ resource }, context) => {
  const { key, location, reply } = await created(context, resource);
  const read = await ask("GET", location, key);
  expect(read.status, read.text).toBe(200);
  expect(dataOf(reply)).toMatchObject(dataOf(read));
});

test.for(each)("the $name of a streamer is neither read nor deleted by another streamer's key", async ({ resource }, context) => {
  const { key, location } = await created(context, resource);
  for (const { method, ...operation } of [resource.read, resource.remove])
    expectProblem(await ask(method, location, anotherStreamer(context)), 404, notFoundCode({ method, ...operation }));
  expect((await ask("GET", location, key)).status).toBe(200);
});

test.for(each)("a deleted $name is gone, and is deleted once", async ({ resource }, context) => {
  const { key, location } = await created(context, resource);
  const deleted = await ask("DELETE", location, key);
  expect([deleted.status, deleted.text]).toEqual([204, ""]);
  for (const operation of [resource.read, resource.remove])
    expectProblem(await ask(operation.method, location, key), 404, notFoundCode(operation));
});

test.for(each.flatMap((one) => idsOfNothing.map((id) => ({ ...one, id }))))(
  "the id $id, which names no $name, is refused with the code of the contract",
  async ({ resource: { path, read, remove }, id }, context) => {
    for (const operation of [read, remove])
      expectProblem(await ask(operation.method, `${path}/${id}`, streamer(context)), 404, notFoundCode(operation));
  },
);
