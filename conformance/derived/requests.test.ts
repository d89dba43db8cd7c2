// How an operation may be asked: its methods, and the media types and encodings of its bodies.

import { gzipSync } from "node:zlib";
import { describe, expect, type TestContext, test } from "vitest";
import { expectProblem } from "../suite/client/api.ts";
import { send } from "../suite/client/http-client.ts";
import { type Operation, operations } from "../suite/contract/contract.ts";
import type { Reply } from "../suite/contract/http-request.ts";
import { type Field, fieldsOf, inputsOf } from "../suite/contract/inputs.ts";
import { filled } from "../suite/contract/resources.ts";
import { credentialOf, guarded, hintsFor, keyFor, schemesOf } from "../suite/models/derive/hints.ts";
import { addressOf, requestOf } from "../suite/models/derive/request.ts";
import { restoringState, sendParts } from "../suite/models/derive/rule.ts";
import { sampleOf } from "../suite/models/derive/samples.ts";
import { target } from "../suite/values/target.ts";

const methodsOf = (path: string): string[] => operations.filter((one) => one.path === path).map(({ method }) => method);
const paths = [...new Set(operations.map(({ path }) => path))].map((path) => ({ path: filled(path), methods: methodsOf(path) }));
const listed = (header: string | string[] | undefined): string[] =>
  String(header ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter(Boolean)
    .sort();
/** The methods that a path allows: HEAD wherever GET is, and OPTIONS. */
const allowed = (methods: string[]): string[] => [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].sort();

test.each(paths)("a trailing slash is another path: $path/ is route_not_found", async ({ path, methods }) => {
  for (const method of methods) expectProblem(await send({ method, path: `${path}/`, key: null }), 404, "route_not_found");
});

test.each(paths)("$path refuses other methods with method_not_allowed, and Allow lists the right ones", async ({ path, methods }) => {
  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "QUERY"].filter((one) => !methods.includes(one))) {
    const reply = await send({ method, path, key: null });
    expectProblem(reply, 405, "method_not_allowed");
    expect(listed(reply.headers.allow), method).toEqual(allowed(methods));
  }
});

describe("HEAD", () => {
  const readable = operations.filter(({ method }) => method === "GET").map((operation) => ({ path: filled(operation.path), operation }));
  const compared = ({ status, headers }: Reply): unknown[] => [status, headers["content-type"], headers["www-authenticate"]];

  test.each(paths.filter(({ methods }) => !methods.includes("GET")))(
    "HEAD is refused with 405 and no body by $path, which has no GET",
    async ({ path, methods }) => {
      const reply = await send({ method: "HEAD", path, key: null });
      expect([reply.status, reply.text, listed(reply.headers.allow)]).toEqual([405, "", allowed(methods)]);
    },
  );

  test.each(readable)("$path answers HEAD like GET, without the body", async ({ path, operation }) => {
    const [key] = schemesOf(operation).flatMap((scheme) => credentialOf(scheme) ?? []);
    for (const one of guarded(operation) && key ? [key, null] : [null])
      expect(compared(await send({ method: "HEAD", path, key: one }))).toEqual(compared(await send({ path, key: one })));
  });
});

describe("OPTIONS", () => {
  const Origin = "https://example.com";
  const answersPage = (path: string): boolean =>
    operations.some((one) => filled(one.path) === path && one.responses["200"]?.content?.["text/html"] !== undefined);

  /** The headers that the contract names for the operations of the path, in lower case. */
  const headersOf = (path: string): string[] =>
    operations
      .filter((one) => filled(one.path) === path)
      .flatMap(({ parameters }) => parameters.filter((one) => one.in === "header").map(({ name }) => name.toLowerCase()));

  test.each(paths.filter(({ path }) => answersPage(path)))(
    "OPTIONS $path answers no CORS headers for a page, which no script of another site may request",
    async ({ path }) => {
      const reply = await send({ method: "OPTIONS", path, key: null, headers: { Origin, "Access-Control-Request-Method": "GET" } });
      expect(reply.status).toBeOneOf([200, 204]);
      expect(Object.keys(reply.headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
    },
  );

  test.each(paths.filter(({ path }) => !answersPage(path)))(
    "OPTIONS $path lists the allowed methods and headers, those of the contract among them, without a credential",
    async ({ path, methods }) => {
      const named = ["authorization", "content-type", ...headersOf(path)];
      const headers = { Origin, "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": named.join(", ") };
      const reply = await send({ method: "OPTIONS", path, key: null, headers });
      expect(reply.status).toBeOneOf([200, 204]);
      expect(reply.headers["access-control-allow-origin"]).toBeOneOf(["*", Origin]);
      expect(listed(reply.headers["access-control-allow-methods"])).toEqual(expect.arrayContaining(methods));
      expect(listed(reply.headers["access-control-allow-headers"]?.toLowerCase())).toEqual(expect.arrayContaining(named));
    },
  );
});

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

const takingJson = taking.filter(({ operation }) => typesOf(operation).includes(json));
const ofApi = takingJson.filter(({ operation }) => operation.path.startsWith("/api/"));

ofEach("a body of invalid JSON is refused with malformed_json", takingJson, async (operation, { post, valid }) => {
  const deep = `{"x":${"[".repeat(40)}${"]".repeat(40)}}`;
  const broken = ["", " ", "{", `${valid},`, `${valid}${valid}`, valid.slice(0, -1), valid.replace("{", "{'x':1,"), deep];
  for (const body of broken) expectRefused(operation, await post({ "Content-Type": json }, body), [400, "malformed_json"]);
});

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

const codeOf = ({ body }: Reply): unknown => {
  const { code, error } = (body ?? {}) as { code?: string; error?: string };
  return code ?? error;
};

ofEach("a byte order mark before a body of JSON is ignored", takingJson, async ({ path }, { post, valid }) =>
  expect(codeOf(await post({ "Content-Type": json }, `\ufeff${valid}`))).not.toBe(
    path.startsWith("/oauth/") ? "invalid_request" : "malformed_json",
  ),
);

ofEach("a body of JSON that is no UTF-8 is refused with malformed_json", takingJson, async (operation, { post, valid }) => {
  const rest = valid.replace(/^\s*\{\s*/, "");
  const body = Buffer.concat([Buffer.from('{"x":"'), Uint8Array.of(0xff), Buffer.from(`"${rest.startsWith("}") ? "" : ","}${rest}`)]);
  expectRefused(operation, await post({ "Content-Type": json }, body), [400, "malformed_json"]);
});

/** A member of the body with a valid value: of those that it must have, or else any. */
function memberOf(operation: Operation, valid: string): [name: string, value: unknown] {
  const [sent] = Object.entries(JSON.parse(valid));
  const [any] = Object.entries(inputsOf(operation).body?.shape.properties ?? {});
  return sent ?? [any?.[0] ?? "", any && sampleOf(any[1], target().seed)];
}

ofEach("the last of two members with one name counts", ofApi, async (operation, { post, valid }) => {
  const [name, value] = memberOf(operation, valid);
  const whole = JSON.stringify({ ...JSON.parse(valid), [name]: value });
  const wrong = `${JSON.stringify(name)}:${typeof value === "object" ? '"x"' : "[[]]"}`;
  const asked = async (body: string): Promise<unknown> => codeOf(await post({ "Content-Type": json }, body));
  expect(await asked(`{${wrong},${whole.slice(1)}`)).not.toBe("validation_failed");
  expect(await asked(`${whole.slice(0, -1)},${wrong}}`)).toBe("validation_failed");
});

/** Texts of the body of any characters: those with a form or with choices allow neither NUL nor half of a surrogate pair. */
const textsOf = (operation: Operation): Field[] =>
  fieldsOf(inputsOf(operation)).filter(
    ({ in: where, shape: { types, patterns, enum: choices } }) =>
      where === "body" && types.length === 1 && types[0] === "string" && patterns.length === 0 && choices === undefined,
  );

test.for(ofApi.filter(({ operation }) => textsOf(operation).length > 0))(
  "$id: NUL and lone surrogates in a text are accepted, and no answer has them",
  async ({ operation }, context) => {
    const key = keyFor(context, operation);
    const [inputs, hints] = [inputsOf(operation), await hintsFor(context, operation)];
    await restoringState(inputs, key, async () => {
      for (const field of textsOf(operation)) {
        const parts = requestOf(inputs, { seed: target().seed, hints }, [{ field, json: '"a\\u0000\\ud83d b\\udc00"' }]);
        const reply = await sendParts(inputs, parts, key);
        expect([codeOf(reply), reply.status], field.label).not.toEqual(["validation_failed", 400]);
        expect(reply.status, reply.text).toBeLessThan(500);
        expect(reply.text).not.toMatch(/\\u0000|\\ud[89a-f]/i);
      }
    });
  },
);
