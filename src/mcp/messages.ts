// What has to be known of a JSON-RPC message before the SDK sees it. The SDK judges its form.

export type Message = Readonly<{
  batch: boolean;
  method: string | null;
  /** To be repeated in an answer; null: it has none. */
  id: string | number | null;
  /** The tool that it calls, whether or not there is one of that name. */
  toolName: string | null;
  /** The call's arguments; the SDK would drop one that is named `__proto__`. */
  given: Readonly<Record<string, unknown>>;
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
    given: isObject(params?.arguments) ? params.arguments : {},
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An answer to what never gets to a server; null: it may pass. */
export function refuseMessage({ batch, method, id }: Message): Response | null {
  // One message of a batch could cancel another, whose answer would never come; no revision since 2025-06-18 has batches.
  if (batch) return rpcError(400, null, { code: -32600, message: "Send one message at a time: batches are not supported." });
  // Tools never change while we run, and a stream would outlive its credential.
  if (method === "subscriptions/listen") return rpcError(404, id, { code: -32601, message: "There is nothing to subscribe to." });
  return null;
}

/** A JSON-RPC error (its section 5.1) with an HTTP status. */
export function rpcError(status: number, id: Message["id"], error: { code: number; message: string }): Response {
  return Response.json({ jsonrpc: "2.0", error, id }, { status });
}
