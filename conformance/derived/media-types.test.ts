import { gzipSync } from "node:zlib";
import { expect, type TestContext, test } from "vitest";
import { expectProblem } from "../suite/client/api.ts";
import { send } from "../suite/client/http-client.ts";
import { type Operation, operations } from "../suite/contract/contract.ts";
import type { Reply } from "../suite/contract/http-request.ts";
import { inputsOf } from "../suite/contract/inputs.ts";
import { hintsFor, keyFor } from "../suite/models/derive/hints.ts";
import { addressOf, requestOf } from "../suite/models/derive/request.ts";
import { restoringState } from "../suite/models/derive/rule.ts";
import { target } from "../suite/values/target.ts";

const limitOf = ({ maxBodyBytes }: Operation): number => maxBodyBytes ?? 65_536;
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

type Posting = {
  /** Sends the valid body, or `body`, with these headers. */
  post: (headers: Record<string, string>, body?: string | Uint8Array, chunked?: boolean) => Promise<Reply>;
  valid: string;
};

/** Declares the rule for each of these operations. */
function ofEach(title: string, operationsWithBody: typeof taking, rule: (operation: Operation, posting: Posting) => Promise<void>): void {
  test.for(operationsWithBody)(`$id: ${title}`, async ({ operation }, context) =>
    posting(context, { operation }, (one) => rule(operation, one)),
  );
}

async function posting(
  context: TestContext,
  what: { operation: Operation; type?: string },
  act: (one: Posting) => Promise<void>,
): Promise<void> {
  const { operation, type } = what;
  const key = keyFor(context, operation);
  const inputs = inputsOf(operation, undefined, type);
  const parts = requestOf(inputs, { seed: target().seed, hints: await hintsFor(context, operation) });
  const valid = parts.body ?? "";
  const post: Posting["post"] = (headers, body = valid, chunked = false) =>
    send({ method: operation.method, path: addressOf(inputs, parts), key, headers, body, chunked });
  await restoringState(inputs, key, () => act({ post, valid }));
}

/** Expects a refusal; OAuth has one error code for all of them (RFC 6749 5.2). */
function expectRefused({ path }: Operation, reply: Reply, [status, code]: [number, string]): void {
  if (!path.startsWith("/oauth/")) expectProblem(reply, status, code);
  else expect([reply.status, (reply.body as { error?: string }).error], reply.text).toEqual([status, "invalid_request"]);
}

ofEach("a body of a type that the contract does not name is refused with unsupported_media_type", taking, async (operation, { post }) => {
  const strange = others.filter((type) => !typesOf(operation).includes(type));
  for (const type of strange) {
    const headers = { "Content-Type": Buffer.from(type).toString("latin1") };
    expectRefused(operation, await post(headers), [415, "unsupported_media_type"]);
  }
  expectRefused(operation, await post({}), [415, "unsupported_media_type"]);
});

test.for(taking.flatMap(({ id, operation }) => typesOf(operation).map((type) => ({ id, type, operation }))))(
  "$id reads a body of type $type, however the type is written",
  async ({ type, operation }, context) =>
    posting(context, { operation, type }, async ({ post }) => {
      for (const written of [type, `${type}; charset=utf-8`, `${type};charset="UTF-8"`, type.toUpperCase()])
        expect((await post({ "Content-Type": written })).status).not.toBeOneOf([408, 413, 415, 500, 503]);
    }),
);

ofEach("a body in any Content-Encoding is refused with unsupported_media_type", taking, async (operation, { post, valid }) => {
  const [type = ""] = typesOf(operation);
  for (const encoding of ["gzip", "br", "identity"]) {
    const body = encoding === "gzip" ? gzipSync(valid) : valid;
    const headers = { "Content-Type": type, "Content-Encoding": encoding };
    expectRefused(operation, await post(headers, body), [415, "unsupported_media_type"]);
  }
});

const json = "application/json";

ofEach(
  "a body of invalid JSON is refused with malformed_json",
  taking.filter(({ operation }) => typesOf(operation).includes(json)),
  async (operation, { post, valid }) => {
    const deep = `{"x":${"[".repeat(40)}${"]".repeat(40)}}`;
    const broken = ["", " ", "{", `${valid},`, `${valid}${valid}`, valid.slice(0, -1), valid.replace("{", "{'x':1,"), deep];
    for (const body of broken) expectRefused(operation, await post({ "Content-Type": json }, body), [400, "malformed_json"]);
  },
);

ofEach(
  "a body above 64 KiB, or above the operation's own limit, is refused with payload_too_large",
  taking,
  async (operation, { post, valid }) => {
    const [type = ""] = typesOf(operation);
    const limit = limitOf(operation);
    const headers = { "Content-Type": type };
    const padded = (size: number): string => valid + " ".repeat(size - Buffer.byteLength(valid));
    expect((await post(headers, padded(limit))).status).not.toBe(413);
    for (const chunked of [false, true])
      expectRefused(operation, await post(headers, padded(limit + 1), chunked), [413, "payload_too_large"]);
  },
);
