// The typed client of this API: `fetch` with the types of the contract; donations that are recorded once, whatever becomes of the connection;
// lists page by page; events as an async iterable; errors as classes; the verification of webhooks. For Node 20, Deno, Bun and browsers.
// It needs the package openapi-fetch, the types in api.d.ts, and nothing else.

import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./api.d.ts";

type Schemas = components["schemas"];
export type NewDonation = Schemas["ExternalDonation"];
export type Donation = Schemas["Donation"];
/** With `position` as `after` a program goes on behind this event. */
export type Event = Schemas["Event"] & { position: string };
export type Following = { after?: string; types?: Event["type"][]; withImported?: boolean };

/** What the server says of an error (RFC 9457). */
export type Problem = Extract<Schemas[keyof Schemas], { code: string; requestId: string }>;
export type ErrorCode = Problem["code"];
type Having<One extends { code: string }, Code> = One extends unknown ? (Code extends One["code"] ? One & { code: Code } : never) : never;
export type ProblemOf<Code extends ErrorCode> = Having<Problem, Code>;

/** The paths whose answers are lists with a cursor. */
export type ListPath = {
  [Path in keyof paths]: paths[Path] extends { get: { parameters: { query?: { cursor?: string } } } } ? Path : never;
}[keyof paths];
type PageOf<Get> = Get extends { responses: { 200: { content: { "application/json": { data: (infer Item)[] } } } } } ? Item : never;
export type ItemOf<Path extends ListPath> = PageOf<paths[Path]["get"]>;
export type QueryOf<Path extends ListPath> = Omit<NonNullable<paths[Path]["get"]["parameters"]["query"]>, "cursor">;

export type DonationsClient = Client<paths> & {
  /**
   * Records a donation once, however often it has to be sent: without an `idempotencyKey` it gets one. Resolves to the donation as it was
   * recorded. Rejects with an `ApiError`.
   */
  record: (donation: NewDonation) => Promise<Donation>;
  /** Every item of a list, page by page. Throws an `ApiError`. */
  items: <Path extends ListPath>(path: Path, query?: QueryOf<Path>) => AsyncGenerator<ItemOf<Path>>;
  /**
   * Every event after a position, for ever and once each, whatever becomes of the connection. Keep the position of the last event that you
   * have dealt with: with it as `after`, a program that was restarted goes on where it stopped. Throws an `ApiError` when the server refuses
   * the request.
   */
  events: (following?: Following) => AsyncGenerator<Event>;
};

/** `key`: an API key or an access token. */
type Server = { url: string; key: string };

export function connect(server: Server): DonationsClient {
  const headers = { Authorization: `Bearer ${server.key}` };
  const client = createClient<paths>({ baseUrl: server.url, headers, fetch: fetchPatiently });
  return Object.assign(client, {
    record: (donation: NewDonation) => record(client, donation),
    items: <Path extends ListPath>(path: Path, query?: QueryOf<Path>) => items(client, path, query),
    events: (following?: Following) => follow(server, following),
  });
}

/** An answer that is an error. `instanceof ApiError.of("rate_limited")` tells one of them, with the members of its problem. */
export class ApiError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: Code;
  readonly problem: ProblemOf<Code>;

  constructor(problem: ProblemOf<Code>) {
    const { title, detail, requestId, ...others } = problem;
    const faults = "errors" in others ? (others.errors ?? []) : [];
    super([detail ?? title, ...faults.map(wordsOf), `(request ${requestId})`].join(" "));
    this.name = "ApiError";
    this.code = problem.code as Code;
    this.problem = problem;
  }

  static #classes = new Map<ErrorCode, ErrorClass<ErrorCode>>();

  /** The class of the errors with this code. */
  static of<Code extends ErrorCode>(code: Code): ErrorClass<Code> {
    const known = ApiError.#classes.get(code) ?? (class extends ApiError {} as ErrorClass<ErrorCode>);
    ApiError.#classes.set(code, known);
    return known as unknown as ErrorClass<Code>;
  }

  /** The error of a problem. */
  static from(problem: Problem): ApiError {
    return new (ApiError.of(problem.code))(problem as ProblemOf<ErrorCode>);
  }
}

type ErrorClass<Code extends ErrorCode> = new (problem: ProblemOf<Code>) => ApiError<Code>;
type Fault = { pointer?: string; parameter?: string; message: string };
const wordsOf = ({ pointer, parameter, message }: Fault): string => `${pointer ?? parameter ?? ""} ${message}.`;

/** What an answer says. Throws the error that it is. */
export function dataOf<Data>({ data, error, response }: { data?: Data; error?: unknown; response: Response }): Data {
  if (data !== undefined) return data;
  throw failureOf(error, response);
}

function failureOf(said: unknown, { url, status }: Response): Error {
  if (typeof said === "object" && said !== null && "code" in said) return ApiError.from(said as Problem);
  return new Error(`${url} was answered ${status}, not by this API`);
}

async function record(client: Client<paths>, donation: NewDonation): Promise<Donation> {
  const body = { ...donation, idempotencyKey: donation.idempotencyKey ?? crypto.randomUUID() };
  const send = () => client.POST("/api/v1/donations", { body });
  return dataOf(await patiently(send, () => false)).data;
}

async function* items<Path extends ListPath>(client: Client<paths>, path: Path, wanted?: QueryOf<Path>): AsyncGenerator<ItemOf<Path>> {
  const get = client.GET as (path: string, init: object) => Promise<{ data?: Page<ItemOf<Path>>; error?: unknown; response: Response }>;
  let cursor: string | null = null;
  do {
    const query: object = { ...wanted, ...(cursor !== null && { cursor }) };
    const { data, pagination } = dataOf(await get(path, { params: { query } }));
    yield* data;
    cursor = pagination.nextCursor;
  } while (cursor !== null);
}

type Page<Item> = { data: Item[]; pagination: { nextCursor: string | null } };

/**
 * The event of a webhook's request. Rejects unless one of its signatures was made with this secret in the last five minutes.
 * `body`: the text as it came.
 */
export async function verifyWebhook(
  secret: string,
  headers: Headers,
  body: string,
): Promise<{ type: string; timestamp: string; data: object }> {
  const id = headers.get("webhook-id") ?? "";
  const timestamp = headers.get("webhook-timestamp") ?? "";
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) throw new Error("this delivery is too old");
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytesOf(secret.replace("whsec_", "")), hmac, false, ["verify"]);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const signature of (headers.get("webhook-signature") ?? "").split(" "))
    if (await crypto.subtle.verify("HMAC", key, bytesOf(signature.replace("v1,", "")), signed)) return JSON.parse(body);
  throw new Error("no signature is right");
}

/** Of base64; none of anything else. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

const attempts = 8;

/** Waits out rate limits and short outages. */
async function fetchPatiently(request: Request): Promise<Response> {
  const isSafe = request.method === "GET";
  for (let attempt = 1; ; attempt += 1) {
    const answer = await patiently(
      () => fetch(request.clone()),
      () => !isSafe,
    );
    if ((answer.status !== 429 && answer.status !== 503) || attempt === attempts) return answer;
    await answer.body?.cancel(); // else it would keep its connection
    await pause(Number(answer.headers.get("Retry-After")) || 1);
  }
}

/** Sends again what found no server, or whose answer was lost, unless `mayNot` be sent twice. */
async function patiently<Answer>(send: () => Promise<Answer>, mayNot: () => boolean): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (attempt === attempts || mayNot() || !(error instanceof TypeError)) throw error; // a TypeError is what fetch throws then
      await pause(Math.min(attempt, 5) * Math.random());
    }
  }
}

function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
}

async function* follow(server: Server, { after = "latest", ...wanted }: Following = {}): AsyncGenerator<Event> {
  let position = after;
  for (;;) {
    try {
      for await (const { id, data } of streamFrom(server, position, wanted)) {
        if (data !== "") yield { ...JSON.parse(data), position: id };
        position = id;
      }
    } catch (error) {
      if (error instanceof Refused) throw error.cause;
      console.warn("reconnecting:", (error as Error).message);
    }
    await pause(1 + Math.random());
  }
}

class Refused extends Error {}

/** One connection: its messages until it ends. */
async function* streamFrom(
  { url, key }: Server,
  after: string,
  { types = [], withImported = true }: Following,
): AsyncGenerator<{ id: string; data: string }> {
  const query = new URLSearchParams({ after, keepalive: "15" });
  if (!withImported) query.set("withImported", "false");
  for (const type of types) query.append("types", type);
  const stop = new AbortController();
  // Something comes every 15 seconds. Silence means that the connection is broken, although nobody has said so.
  const onSilence = () => stop.abort(new Error("nothing came for 30 seconds"));
  let silence = setTimeout(onSilence, 30_000);
  try {
    const headers = { Authorization: `Bearer ${key}` };
    const answer = await fetch(`${url}/api/v1/events/stream?${query}`, { headers, signal: stop.signal });
    if (answer.status >= 400 && answer.status < 500 && answer.status !== 429)
      throw new Refused("", { cause: failureOf(await answer.json().catch(() => null), answer) });
    if (!answer.ok || !answer.body) throw new Error(`status ${answer.status}`);
    let text = "";
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader(); // not every browser iterates over a stream
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      clearTimeout(silence);
      silence = setTimeout(onSilence, 30_000);
      const messages = (text + part.value).split("\n\n");
      text = messages.pop() ?? "";
      for (const message of messages) yield { id: field(message, "id"), data: field(message, "data") };
    }
  } finally {
    clearTimeout(silence);
    stop.abort();
  }
}

function field(message: string, name: string): string {
  return (
    message
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2) ?? ""
  );
}
