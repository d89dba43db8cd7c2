import { describe, expect, test } from "vitest";

import { problemOf } from "../suite/client/api.ts";
import { holdsForAll } from "../suite/client/holds.ts";
import { operations } from "../suite/contract/contract.ts";
import { inputsOf } from "../suite/contract/inputs.ts";
import { unknownId } from "../suite/contract/resources.ts";
import { hintsFor, keyFor } from "../suite/models/derive/hints.ts";
import { requestOf } from "../suite/models/derive/request.ts";
import { sendParts } from "../suite/models/derive/rule.ts";
import { edits, spread } from "../suite/models/derive/samples.ts";
import { tried } from "../suite/values/score.ts";
import { target } from "../suite/values/target.ts";

const addressed = operations.filter(({ path }) => path.includes("{")).map((operation) => ({ id: operation.id, operation }));

/** Texts that name no object: unused ids, and texts that are no ids. */
const strangers = [
  unknownId,
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
  ...spread(edits(unknownId), 40, 0).map(({ text }) => text),
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
