// Objects by their id: those that are created, read and deleted, and ids that name nothing.

import { describe, expect, type TestContext, test } from "vitest";
import { expectProblem, problemOf } from "../suite/client/api.ts";
import { anotherStreamer, idsOfNothing, ownStreamer } from "../suite/client/events/webhooks.ts";
import { holdsForAll } from "../suite/client/holds.ts";
import { send } from "../suite/client/http-client.ts";
import { operations } from "../suite/contract/contract.ts";
import type { Reply } from "../suite/contract/http-request.ts";
import { inputsOf } from "../suite/contract/inputs.ts";
import { exampleBody, notFoundCode, type ReadableResource, readableResources } from "../suite/contract/resources.ts";
import { hintsFor, keyFor } from "../suite/models/derive/hints.ts";
import { requestOf } from "../suite/models/derive/request.ts";
import { sendParts } from "../suite/models/derive/rule.ts";
import { edits, spread } from "../suite/models/derive/samples.ts";
import { tried } from "../suite/values/score.ts";
import { target } from "../suite/values/target.ts";

const streamer = ownStreamer();

const ask = (method: string, path: string, key: string): Promise<Reply> => send({ method, path, key });

/** Creates one by the contract's example, and deletes it after the rule. */
async function created(context: TestContext, { path, create }: ReadableResource): Promise<{ key: string; location: string; reply: Reply }> {
  const key = streamer(context);
  const body = JSON.stringify(exampleBody(create));
  const reply = await send({ method: "POST", path, key, headers: { "Content-Type": "application/json" }, body });
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

const addressed = operations.filter(({ path }) => path.includes("{")).map((operation) => ({ id: operation.id, operation }));
const unknown = "01932f6e-8a00-7000-8000-3f1e5a7c9b21";

/** Texts that name no object: unused ids, and texts that are no ids. */
const strangers = [
  unknown,
  ...[
    "0",
    "-1",
    "1e9",
    "null",
    "undefined",
    "true",
    "*",
    "%",
    "%00",
    "\u0000",
    "a b",
    "'",
    '"',
    "';--",
    "{}",
    "[]",
    "\\",
    "\u2028",
    "é",
    "ไทย",
    "😀",
  ],
  ...[
    "x".repeat(36),
    "x".repeat(1000),
    "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "a/b",
    "a?b=c",
    "a#b",
    "a;b",
    "$1",
  ],
  ...spread(edits(unknown), 40, 0).map(({ text }) => text),
].filter((text) => text !== "" && !/^\.+$/.test(text));

describe("an id that names nothing, malformed or not, is 404", () => {
  test.for(addressed)("$id answers 404 for an id that names nothing, malformed or not", async ({ operation }, context) => {
    const key = keyFor(context, operation);
    const inputs = inputsOf(operation);
    const hints = await hintsFor(context, operation);
    const base = { seed: target().seed, hints };
    const parameters = inputs.parameters.filter((one) => one.in === "path").map(({ name }) => name);
    const codes = new Set<string>();
    for (const name of parameters)
      await holdsForAll(strangers, async (text) => {
        const parts = requestOf(inputs, base);
        const reply = await sendParts(inputs, { ...parts, path: { ...parts.path, [name]: text } }, key);
        expect(reply.status, reply.text).toBe(404);
        codes.add(problemOf(reply).code);
        tried(name);
      });
    expect([...codes], "one code, whatever is wrong with the id").toHaveLength(1);
  });
});

describe("an id that names something is found", () => {
  test.for(addressed)("$id finds the object that an id names", async ({ operation }, context) => {
    const key = keyFor(context, operation);
    const inputs = inputsOf(operation);
    const hints = await hintsFor(context, operation);
    if (Object.keys(hints.subjects).length === 0) context.skip(`not applicable: nothing is known to name in ${operation.path}`);
    const reply = await sendParts(inputs, requestOf(inputs, { seed: target().seed, hints }), key);
    expect(reply.status < 300 || reply.status === 409, reply.text).toBe(true);
  });
});
