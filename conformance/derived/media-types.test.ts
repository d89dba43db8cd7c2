import { gzipSync } from "node:zlib";
import { describe, expect, type TestContext, test } from "vitest";

import { expectProblem } from "../harness/api.ts";
import { type Reply, send } from "../harness/client.ts";
import { type Operation, operations } from "../harness/contract.ts";
import { keyFor } from "../harness/derive/credentials.ts";
import { hintsFor } from "../harness/derive/hints.ts";
import { inputsOf } from "../harness/derive/inputs.ts";
import { addressOf, requestOf } from "../harness/derive/request.ts";
import { target } from "../harness/target.ts";

const limit = 65_536;
const taking = operations.filter(({ requestBody }) => requestBody).map((operation) => ({ id: operation.id, operation }));
const typesOf = ({ requestBody }: Operation): string[] => Object.keys(requestBody?.content ?? {});

const others = [
  ...["text/plain", "text/json", "application/xml", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded"],
  ...[
    "application/jsonp",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/problem+json",
    "application/octet-stream",
  ],
  ...["application/json; charset=utf-16", "application/json; charset=tis-620", "application/jsön", "*/*", "json", ""],
];

/** Sends the valid body, or what is given for it, as such a type. */
type Sender = (headers: Record<string, string>, body?: string | Uint8Array, chunked?: boolean) => Promise<Reply>;

async function senderFor(context: TestContext, operation: Operation, type?: string): Promise<{ post: Sender; valid: string }> {
  const key = keyFor(context, operation);
  const inputs = inputsOf(operation, undefined, type);
  const parts = requestOf(inputs, { seed: target().seed, hints: await hintsFor(context, operation) });
  const valid = parts.body ?? "";
  const { method } = operation;
  const post: Sender = (headers, body = valid, chunked = false) =>
    send({ method, path: addressOf(inputs, parts), key, headers, body, chunked });
  return { post, valid };
}

/** RFC 6749 5.2 knows one word for all of it. */
function expectRefused({ path }: Operation, reply: Reply, [status, code]: [number, string]): void {
  if (!path.startsWith("/oauth/")) expectProblem(reply, status, code);
  else expect([reply.status, (reply.body as { error?: string }).error], reply.text).toEqual([status, "invalid_request"]);
}

describe("a body of a type that the contract does not name is unsupported_media_type", () => {
  test.for(taking)("$id", async ({ operation }, context) => {
    const { post } = await senderFor(context, operation);
    const strange = others.filter((type) => !typesOf(operation).includes(type));
    for (const type of strange)
      expectRefused(operation, await post({ "Content-Type": Buffer.from(type).toString("latin1") }), [415, "unsupported_media_type"]);
    expectRefused(operation, await post({}), [415, "unsupported_media_type"]);
  });
});

describe("a body of each type that the contract names is read, however the type is written", () => {
  test.for(taking.flatMap(({ id, operation }) => typesOf(operation).map((type) => ({ id, type, operation }))))(
    "$id: $type",
    async ({ type, operation }, context) => {
      const { post } = await senderFor(context, operation, type);
      for (const written of [type, `${type}; charset=utf-8`, `${type};charset="UTF-8"`, type.toUpperCase()])
        expect((await post({ "Content-Type": written })).status).not.toBeOneOf([408, 413, 415, 500, 503]);
    },
  );
});

describe("a body in any Content-Encoding is unsupported_media_type", () => {
  test.for(taking)("$id", async ({ operation }, context) => {
    const [type = ""] = typesOf(operation);
    const { post, valid } = await senderFor(context, operation);
    for (const [encoding, body] of [
      ["gzip", gzipSync(valid)],
      ["br", valid],
      ["identity", valid],
    ] as const)
      expectRefused(operation, await post({ "Content-Type": type, "Content-Encoding": encoding }, body), [415, "unsupported_media_type"]);
  });
});

describe("a body of JSON that is none is malformed_json", () => {
  test.for(taking.filter(({ operation }) => typesOf(operation).includes("application/json")))("$id", async ({ operation }, context) => {
    const { post, valid } = await senderFor(context, operation, "application/json");
    const broken = [
      "",
      " ",
      "{",
      `${valid},`,
      `${valid}${valid}`,
      valid.slice(0, -1),
      valid.replaceAll('"', "'"),
      `{"x":${"[".repeat(40)}${"]".repeat(40)}}`,
    ];
    for (const body of broken) expectRefused(operation, await post({ "Content-Type": "application/json" }, body), [400, "malformed_json"]);
  });
});

describe("a body above 64 KiB is payload_too_large", () => {
  test.for(taking)("$id", async ({ operation }, context) => {
    const [type = ""] = typesOf(operation);
    const { post, valid } = await senderFor(context, operation);
    const headers = { "Content-Type": type };
    expect((await post(headers, valid + " ".repeat(limit - Buffer.byteLength(valid)))).status).not.toBe(413);
    for (const chunked of [false, true])
      expectRefused(operation, await post(headers, valid + " ".repeat(limit + 1 - Buffer.byteLength(valid)), chunked), [
        413,
        "payload_too_large",
      ]);
  });
});
