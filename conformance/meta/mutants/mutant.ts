// Mutants: servers with one thing broken, by an edit of our server's code, or by a wrong answer that any server could give. Wrong answers are data: which
// requests, and in what they differ from what a sound server does. They say nothing of the server's code.

import { operationAt } from "../../suite/contract/contract.ts";
import type { Answer, Interceptor, ProxiedRequest, Send } from "./proxy.ts";

/** One exact edit of the server's code: `from` occurs in `file` exactly once. */
export type Edit = { file: string; from: string; to: string };

/** A rule that must fail: its family and a pattern of its title. */
export type Killer = readonly [family: string, title: RegExp];

/** A server with one thing broken, by an edit of its code or by an interceptor between suite and server. */
export type Mutant = {
  /** What is broken, in words. */
  broken: string;
  killedBy: readonly Killer[];
} & ({ edit: Edit } | { interceptor: () => Interceptor });

/** Mutants by name. */
export type Mutants = Record<string, Mutant>;

/** What is wrong. `memory` lasts as long as the mutant. */
export type WrongAnswer = {
  /** What is broken, in words. */
  broken: string;
  /** Names of operations, with a blank between them; or what the method, a blank, and path and query match. */
  on: string | RegExp;
  killedBy: readonly Killer[];
  /** Sends another request in its place: its method, a blank and its path. */
  as?: (path: string) => string;
  /** Changes the JSON body on its way to the server. */
  sent?: Change;
  /** Changes the bytes of the body, before `sent`. */
  bytes?: (body: Buffer, request: ProxiedRequest) => Buffer;
  /** Changes path and query. */
  url?: (url: URL, request: ProxiedRequest) => unknown;
  /** Changes headers of the request: another value, or null for none. */
  asked?: Record<string, HeaderChange>;
  /** Which answers are wrong. All when left out. */
  when?: (answer: Answer, request: ProxiedRequest) => boolean;
  /** The status in place of any other, or in place of each. */
  status?: number | Record<number, number>;
  /** A refusal with this status is answered as accepted, with what is read elsewhere: `read` returns a path. */
  forgives?: { status: number; as: number; read: (path: string) => string };
  /** Changes headers of the answer: another value, or null for none. */
  headers?: Record<string, HeaderChange>;
  /** Changes the JSON body of the answer. */
  answer?: Change;
  /** Changes the text of the answer. */
  text?: (text: string, request: ProxiedRequest) => string;
  /** Called for each event stream or NDJSON; what it returns changes each line: none, one or several in its place. */
  lines?: () => LineChange;
  /** Answers in place of everything above. */
  instead?: (request: ProxiedRequest, send: Send, memory: Map<string, Answer>) => Promise<Answer>;
};

type Change = (value: unknown, request: ProxiedRequest) => unknown;
type LineChange = (line: string) => string | readonly string[];
type HeaderChange = string | null | ((value: string | undefined) => string | null);

/** Returns the text with the edit applied. Throws when `from` does not occur exactly once: the table must follow the code. */
export function applyEdit(before: string, { file, from, to }: Edit): string {
  const found = before.split(from).length - 1;
  if (found !== 1) throw new Error(`${file} contains this ${found} times instead of once: ${from}`);
  return before.replace(from, () => to);
}

/** The mutant that gives this wrong answer. */
export function wrong({ broken, killedBy, ...fault }: WrongAnswer): Mutant {
  return { broken, killedBy, interceptor: () => interceptorOf(fault) };
}

type Fault = Omit<WrongAnswer, "broken" | "killedBy">;

function interceptorOf(fault: Fault): Interceptor {
  const memory = new Map<string, Answer>();
  const { instead } = fault;
  return {
    meets: meetsOf(fault.on),
    handle: async (request, send) => {
      if (instead) return instead(request, send, memory);
      const answer = await forgiven(await send(changedRequest(request, fault)), request, { ...fault, send });
      return !fault.when || fault.when(answer, request) ? changedAnswer(answer, request, fault) : answer;
    },
  };
}

async function forgiven(answer: Answer, request: ProxiedRequest, { forgives, send }: Fault & { send: Send }): Promise<Answer> {
  if (answer.status !== forgives?.status) return answer;
  return { ...(await send(anotherRequest(request, `GET ${forgives.read(request.path)}`))), status: forgives.as };
}

function meetsOf(on: string | RegExp): Interceptor["meets"] {
  if (typeof on !== "string") return ({ method, path }) => on.test(`${method} ${path}`);
  const ids = on.split(" ");
  return ({ method, path }) => ids.includes(operationAt(method, path.split("?")[0] ?? "")?.id ?? "");
}

function changedRequest(request: ProxiedRequest, { as, sent, bytes, url, asked }: Fault): ProxiedRequest {
  if (as) return anotherRequest(request, as(request.path));
  const body = bytes ? bytes(request.body, request) : request.body;
  return {
    ...request,
    path: url ? changedPath(request, url) : request.path,
    headers: asked ? (withHeaders(request.headers, asked) as ProxiedRequest["headers"]) : request.headers,
    body: sent ? changeJson(body, (value) => sent(value, request)) : body,
  };
}

function anotherRequest({ headers, body }: ProxiedRequest, line: string): ProxiedRequest {
  const [method = "", path = ""] = line.split(" ");
  const { "content-type": _type, "content-length": _length, ...withoutBody } = headers;
  return method === "GET" ? { method, path, headers: withoutBody, body: Buffer.alloc(0) } : { method, path, headers, body };
}

function changedPath(request: ProxiedRequest, change: NonNullable<Fault["url"]>): string {
  const url = new URL(request.path, "http://server");
  change(url, request);
  return url.pathname + url.search;
}

function changedAnswer(answer: Answer, request: ProxiedRequest, fault: Fault): Answer {
  const { status, headers, answer: change, text, lines } = fault;
  const changed = {
    ...answer,
    status: (typeof status === "number" ? status : status?.[answer.status]) ?? answer.status,
    headers: headers ? withHeaders(answer.headers, headers) : answer.headers,
    body: change ? changeJson(answer.body, (value) => change(value, request)) : answer.body,
  };
  if (text) changed.body = Buffer.from(text(changed.body.toString(), request));
  if (changed.status === 204)
    return { ...changed, headers: withHeaders(changed.headers, { "content-type": null, "content-length": null }), body: Buffer.alloc(0) };
  return answer.lines && lines ? { ...changed, lines: changedLines(answer.lines, lines()) } : changed;
}

async function* changedLines(lines: AsyncIterable<string>, change: LineChange): AsyncIterable<string> {
  for await (const line of lines) yield* [change(line)].flat();
}

function withHeaders<T extends Record<string, unknown>>(headers: T, changes: Record<string, HeaderChange>): Record<string, never> {
  const changed = Object.entries(changes).map(([name, change]) => [
    name,
    typeof change === "function" ? change(headers[name] as string | undefined) : change,
  ]);
  const all = Object.entries({ ...headers, ...Object.fromEntries(changed) });
  return Object.fromEntries(all.filter(([, value]) => value !== null && value !== undefined)) as Record<string, never>;
}

/** Changes a body that is JSON; any other stays as it is. */
export function changeJson(body: Buffer, change: (value: unknown) => unknown): Buffer {
  const value = parse(body);
  return value === undefined ? body : Buffer.from(JSON.stringify(change(value)) ?? "");
}

/** Changes the value at `path`, where it exists: names with dots between them; `*` is each item or member, and `**` each text at any depth. */
export function at<T>(path: string, change: (value: T, request: ProxiedRequest) => unknown): Change {
  return (value, request) => changeAt(value, path.split("."), (found) => change(found as T, request));
}

/** Puts members in an object at `path` (empty: the whole), or changes those there. A member that is undefined goes. */
export function set(path: string, members: Record<string, unknown>): Change {
  return at<object>(path, (value) => ({ ...value, ...members }));
}

function changeAt(value: unknown, [name, ...rest]: string[], change: (value: unknown) => unknown): unknown {
  if (name === undefined || name === "") return change(value);
  if (name === "**") return typeof value === "string" ? change(value) : mapped(value, (one) => changeAt(one, ["**"], change));
  if (typeof value !== "object" || value === null) return value;
  if (name === "*") return mapped(value, (one) => changeAt(one, rest, change));
  return name in value ? { ...value, [name]: changeAt((value as Record<string, unknown>)[name], rest, change) } : value;
}

function mapped(value: unknown, change: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(change);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, change(one)]));
}

/** Changes the data of each event of a stream, or each line of NDJSON: null for none of it, a list for several, each with the name of the event. */
export function events(change: (value: Record<string, unknown>) => unknown): NonNullable<WrongAnswer["lines"]> {
  return () => {
    let name = "";
    return (line) => {
      if (/^(event:|\r?\n$)/.test(line)) name = line.trim() && line;
      const [, prefix = "", text = ""] = /^(data: ?)?(\{.*\})\r?\n$/.exec(line) ?? [];
      if (text === "") return line;
      const changed = [change(JSON.parse(text))].flat().filter((one) => one !== null);
      const lines = changed.map((one) => `${prefix}${JSON.stringify(one)}\n`);
      return prefix ? lines.join(`\n${name}`) : lines;
    };
  };
}

/** The JSON of a body; undefined where it is none. */
export const jsonOf = ({ body }: { body: Buffer }): Record<string, unknown> | undefined =>
  parse(body) as Record<string, unknown> | undefined;

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
