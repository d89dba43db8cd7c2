import { describe, expect, test } from "vitest";

import { expectProblem } from "../../suite/client/api.ts";
import { sendUnchecked } from "../../suite/client/http-client.ts";
import { call, postMcp, resultOf, rpc, rpcErrorOf, toolProblem } from "../../suite/client/mcp.ts";
import type { Reply } from "../../suite/contract/http-request.ts";

// Malformed messages, which no proper client sends.

const message = (members: object): string => JSON.stringify({ jsonrpc: "2.0", id: 1, ...members });
const modern = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "x", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } };

const expectWrong = (reply: Reply): void => {
  expect(reply.status, reply.text).toBeLessThan(500);
  expect(rpcErrorOf(reply).code, reply.text).toBe(-32602);
};

describe("HTTP at /mcp is as at every other path", () => {
  test.each(["GET", "DELETE", "PUT", "HEAD", "OPTIONS"])("%s /mcp is refused with 405 and Allow", async (method) => {
    const reply = await sendUnchecked({ method, path: "/mcp" });
    expect([reply.status, reply.headers.allow]).toEqual([405, "POST"]);
  });

  test("a well-formed X-Request-Id is echoed, with a result and with a refusal", async () => {
    for (const body of [message({ method: "ping" }), ""])
      expect((await postMcp(body, { headers: { "X-Request-Id": "order-1004" } })).headers["x-request-id"]).toBe("order-1004");
  });

  test("a path below /mcp is refused with route_not_found", async () =>
    expectProblem(await sendUnchecked({ method: "POST", path: "/mcp/" }), 404, "route_not_found"));

  test.each(["text/plain", "application/json; charset=latin1", "application/x-www-form-urlencoded", ""])(
    "a message of media type %j is refused with 415",
    async (type) =>
      expectProblem(await postMcp(message({ method: "ping" }), { headers: { "Content-Type": type } }), 415, "unsupported_media_type"),
  );

  test("a message of more than 64 KiB is refused with 413", async () =>
    expectProblem(await postMcp(message({ method: "ping", params: { x: "x".repeat(65_536) } })), 413, "payload_too_large"));

  test.each([
    ["nothing", ""],
    ["half a message", '{"jsonrpc":"2.0"'],
    ["invalid UTF-8", Uint8Array.of(0x22, 0xff, 0x22)],
    ["33 levels", `${"[".repeat(33)}${"]".repeat(33)}`],
  ])("a body of %s is refused with 400", async (_, body) => expectProblem(await postMcp(body), 400, "malformed_json"));
});

describe("JSON that is no message", () => {
  test.each(["null", "5", '"x"', "true", "{}", '{"jsonrpc":"1.0","id":1,"method":"ping"}', '{"id":1,"method":"ping"}'])(
    "JSON that is no message is refused: %s",
    async (body) => {
      const reply = await postMcp(body);
      expect([reply.status, Math.sign(rpcErrorOf(reply).code)]).toEqual([400, -1]);
    },
  );

  test.each([
    ["an id that is an object", { id: {}, method: "ping" }],
    ["a method that is none", { method: 5 }],
  ])("a message with %s is a client's error, not the server's", async (_, members) => {
    const reply = await postMcp(message(members));
    expect(reply.status, reply.text).toBeLessThan(500);
    expect(rpcErrorOf(reply).code).toBeLessThan(0);
  });

  test("a batch of messages is refused, and none of them takes effect", async () => {
    const one = { jsonrpc: "2.0", method: "tools/call", params: { name: "create_donation", arguments: {} } };
    const reply = await postMcp(
      JSON.stringify([
        { ...one, id: 1 },
        { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
      ]),
    );
    expect([reply.status, rpcErrorOf(reply).code]).toEqual([400, -32600]);
  });
});

describe.each([
  ["2025", (method: string, params: object = {}) => rpc(method, params)],
  [
    "2026",
    (method: string, params: { _meta?: object } = {}) =>
      rpc(
        method,
        { ...params, _meta: { ...modern, ...params._meta } },
        {
          headers: {
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": method,
            ...("name" in params && { "Mcp-Name": String(params.name) }),
          },
        },
      ),
  ],
] as [string, (method: string, params?: object) => Promise<Reply>][])("revision of %s", (_, sendMessage) => {
  test.each(["toString", "__proto__", "constructor", "tools/nothing", "resources/list", ""])(
    "the method %j is not found",
    async (method) => {
      const reply = await sendMessage(method);
      expect(reply.status, reply.text).toBeLessThan(500);
      expect([-32601, -32600, -32602, -32700]).toContain(rpcErrorOf(reply).code);
    },
  );

  test.each(["toString", "__proto__", "constructor", "hasOwnProperty", "createDonation", "CREATE_DONATION", ""])(
    "the tool %j is not found",
    async (name) => {
      const reply = await sendMessage("tools/call", { name, arguments: {} });
      expect(reply.status, reply.text).toBeLessThan(500);
      expect(rpcErrorOf(reply).code).toBe(-32602);
    },
  );

  test.each([
    ["arguments: null of a call", "tools/call", { name: "get_me", arguments: null }],
    ["cursor: null of a list", "tools/list", { cursor: null }],
    ["progressToken: null", "tools/list", { _meta: { progressToken: null } }],
  ])("%s counts as absent", async (_, method, params) => {
    const reply = await sendMessage(method, params);
    expect([reply.status, Object.keys(reply.body as object)], reply.text).toEqual([200, expect.arrayContaining(["result"])]);
  });

  test.each([
    ["no tool", "tools/call", {}],
    ["a tool that is a number", "tools/call", { name: 5 }],
    ["arguments that are a list", "tools/call", { name: "get_me", arguments: [] }],
    ["arguments that are a text", "tools/call", { name: "get_me", arguments: "{}" }],
    ["a cursor that is a number", "tools/list", { cursor: 5 }],
    ["a cursor that the server has not made", "tools/list", { cursor: "x" }],
    ["a progress token that is an object", "tools/list", { _meta: { progressToken: {} } }],
  ])("%s is a wrong parameter: -32602", async (_, method, params) => expectWrong(await sendMessage(method, params)));

  test("a subscription is refused, so that no stream stays open", async () => {
    const reply = await sendMessage("subscriptions/listen", { notifications: { toolsListChanged: true } });
    expect([reply.status, rpcErrorOf(reply).code]).toEqual([404, -32601]);
  });
});

test.each(["ping", "tools/list"])("params: null of %s counts as absent", async (method) => {
  const reply = await postMcp(message({ method, params: null }));
  expect([reply.status, Object.keys(reply.body as object)], reply.text).toEqual([200, expect.arrayContaining(["result"])]);
});

test.each([
  ["parameters that are a list", { method: "tools/call", params: [] }],
  ["parameters that are a number", { method: "ping", params: 5 }],
  ["parameters left out of a call", { method: "tools/call", params: null }],
  ["_meta that is a number", { method: "tools/list", params: { _meta: 5 } }],
  ["initialize without parameters", { method: "initialize", params: {} }],
  ["a protocolVersion that is a number", { method: "initialize", params: { ...hello, protocolVersion: 5 } }],
  ["a capability that is a text", { method: "initialize", params: { ...hello, capabilities: { sampling: "yes" } } }],
])("%s is a wrong parameter: -32602", async (_, members) => expectWrong(await postMcp(message(members))));

test.each([0, -1, 2 ** 53 - 1, "0", "", "ก"])("an answer has the id of its request: %j", async (id) => {
  const reply = await postMcp(message({ id, method: "ping" }));
  expect([reply.status, (reply.body as { id?: unknown } | undefined)?.id], reply.text).toEqual([200, id]);
});

test("initialize with a version that nobody knows is answered with one that is supported", async () => {
  const reply = await rpc("initialize", { ...hello, protocolVersion: "1999-01-01" });
  const { protocolVersion = "none" } = (reply.body as { result?: { protocolVersion?: string } }).result ?? {};
  expect([protocolVersion, (await rpc("ping", {}, { headers: { "MCP-Protocol-Version": protocolVersion } })).status]).toEqual([
    expect.not.stringContaining("1999"),
    200,
  ]);
});

test("capabilities of initialize that are null count as absent", async () => {
  const params = { ...hello, capabilities: { roots: null, sampling: null, elicitation: null } };
  expect((await rpc("initialize", params)).body).toMatchObject({ result: { protocolVersion: hello.protocolVersion } });
});

test.each(["*/*", "application/json", "text/event-stream", "application/json;q=0.9, */*;q=0.1", ""])(
  "a client whose Accept is %j is answered in JSON",
  async (accept) => {
    const headers = { Accept: accept };
    for (const reply of [await rpc("initialize", hello, { headers }), await call("get_me", {}, { headers })])
      expect([reply.status, reply.headers["content-type"]?.split(";")[0]], reply.text).toEqual([200, "application/json"]);
  },
);

test("a client without an Accept is answered in JSON", async () => {
  const headers = { "Content-Type": "application/json" };
  const reply = await sendUnchecked({ method: "POST", path: "/mcp", headers, body: message({ method: "initialize", params: hello }) });
  expect([reply.status, reply.headers["content-type"]?.split(";")[0]], reply.text).toEqual([200, "application/json"]);
});

describe("arguments", () => {
  test.each(["__proto__", "constructor", "prototype", "hasOwnProperty"])(
    "the argument %s is refused as unknown and changes nothing",
    async (name) => {
      const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_donation","arguments":{"donatorName":"A","amount":1,"idempotencyKey":"x","${name}":{"amount":5}}}}`;
      const { errors } = toolProblem(resultOf(await postMcp(text)));
      expect(errors?.map(({ pointer, code }) => [pointer, code])).toEqual([[`/${name}`, "unknown_member"]]);
      expect(toolProblem(resultOf(await call("list_donations", { [`x${name}`]: 1 }))).code).toBe("validation_failed");
    },
  );

  test("an argument named __proto__ gives no value to the required members", async () => {
    const text =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_donation","arguments":{"__proto__":{"donatorName":"A","amount":1,"idempotencyKey":"x"}}}}';
    const { errors = [] } = toolProblem(resultOf(await postMcp(text)));
    expect(
      errors
        .filter(({ code }) => code === "required")
        .map(({ pointer }) => pointer)
        .sort(),
    ).toEqual(["/amount", "/donatorName", "/idempotencyKey"]);
  });

  test("a tool call without arguments is one with an empty object", async () =>
    expect(toolProblem(resultOf(await rpc("tools/call", { name: "create_donation" }))).code).toBe("validation_failed"));
});

describe("MCP-Protocol-Version", () => {
  test("an unknown MCP-Protocol-Version is refused", async () => {
    const reply = await rpc("ping", {}, { headers: { "MCP-Protocol-Version": "1999-01-01" } });
    expect([reply.status, Math.sign(rpcErrorOf(reply).code)]).toEqual([400, -1]);
  });

  test.each(["2025-11-25", "2025-06-18", "2025-03-26"])("MCP-Protocol-Version %s is supported", async (version) =>
    expect((await rpc("ping", {}, { headers: { "MCP-Protocol-Version": version } })).status).toBe(200),
  );
});

test("a notification is answered with 202 and an empty body", async () => {
  const reply = await postMcp(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
  expect([reply.status, reply.text]).toEqual([202, ""]);
});
