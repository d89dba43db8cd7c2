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
}>;

type Untrusted = { method?: unknown; id?: unknown; params?: { name?: unknown; arguments?: unknown } | null };

export function readMessage(body: unknown): Message {
  const { method, id, params } = (isObject(body) ? body : {}) as Untrusted;
  const toolName = method === "tools/call" ? params?.name : null;
  return {
    batch: Array.isArray(body),
    method: typeof method === "string" ? method : null,
    id: typeof id === "string" || typeof id === "number" ? id : null,
    toolName: typeof toolName === "string" ? toolName : null,
    args: isObject(params?.arguments) ? params.arguments : {},
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The error response to a message that is not supported; null when the SDK may handle it. */
export function refuseMessage({ batch, method, id }: Message): Response | null {
  // A message of a batch could cancel another one, which would then never be answered. Revisions since 2025-06-18 have no batches.
  if (batch) return rpcError(400, null, { code: -32600, message: "Send one message at a time: batches are not supported." });
  // Tools never change while the server runs, and a stream would outlive its credential.
  if (method === "subscriptions/listen") return rpcError(404, id, { code: -32601, message: "Subscriptions are not supported." });
  return null;
}

/** A JSON-RPC error (its section 5.1) with an HTTP status. */
export function rpcError(status: number, id: Message["id"], error: { code: number; message: string }): Response {
  return Response.json({ jsonrpc: "2.0", error, id }, { status });
}
