// Reads from a JSON-RPC message what is needed before the SDK handles it. The SDK validates the message's format.

export type Message = Readonly<{
  batch: boolean;
  method: string | null;
  /** The id that the response must repeat; null when the message has none. */
  id: string | number | null;
  /** The name of the tool to call, whether or not such a tool exists; null for other messages. */
  toolName: string | null;
  /** The call's arguments; the SDK would drop one that is named `__proto__`. */
  args: Readonly<Record<string, unknown>>;
  /** What is wrong with the parameters, where the SDK would not say so; null for nothing. */
  wrong: string | null;
}>;

export function readMessage(body: unknown): Message {
  const { method, id, params } = isObject(body) ? body : {};
  const { name, arguments: args } = isObject(params) ? params : {};
  return {
    batch: Array.isArray(body),
    method: typeof method === "string" ? method : null,
    id: typeof id === "string" || typeof id === "number" ? id : null,
    toolName: method === "tools/call" && typeof name === "string" ? name : null,
    args: isObject(args) ? args : {},
    wrong: findWrong(method, params),
  };
}

/** Clients write a parameter that they leave out as null, too. Arguments of a tool stay as they are: the operation says what null means. */
export function withoutNulls(body: unknown): unknown {
  if (!isObject(body) || !("params" in body)) return body;
  const { params, ...others } = body;
  return params === null ? others : { ...others, params: omitNulls(params) };
}

function omitNulls(value: unknown): unknown {
  if (!isObject(value)) return value;
  const present = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(present.map(([name, member]) => [name, name === "arguments" ? member : omitNulls(member)]));
}

function findWrong(method: unknown, params: unknown): string | null {
  if (params === undefined) return null;
  if (!isObject(params)) return "params must be an object.";
  if (params._meta !== undefined && !isObject(params._meta)) return "_meta must be an object.";
  const { progressToken = 0 } = isObject(params._meta) ? params._meta : {};
  if (!["string", "number"].includes(typeof progressToken)) return "progressToken must be a string or an integer.";
  return method === "tools/list" && params.cursor ? "There is no such cursor: all tools are on one page." : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The error response to a message that is not supported; null when the SDK may handle it. */
export function refuseMessage({ batch, method, id, wrong }: Message): Response | null {
  // A message of a batch could cancel another one, which would then never be answered. Revisions since 2025-06-18 have no batches.
  if (batch) return rpcError(400, null, { code: -32600, message: "Send one message at a time: batches are not supported." });
  // Tools never change while the server runs, and a stream would outlive its credential.
  if (method === "subscriptions/listen") return rpcError(404, id, { code: -32601, message: "Subscriptions are not supported." });
  if (method !== null && id !== null && wrong !== null) return rpcError(200, id, { code: -32602, message: wrong });
  return null;
}

/** A JSON-RPC error (its section 5.1) with an HTTP status. */
export function rpcError(status: number, id: Message["id"], error: { code: number; message: string }): Response {
  return Response.json({ jsonrpc: "2.0", error, id }, { status });
}
