// Requests to hosts that untrusted parties chose. A thread sends them (hosts-worker.ts): verifying a chain of certificates may take a second.

import { Worker } from "node:worker_threads";
import type { Resolve } from "../addresses.ts";
import type { HostAnswer, HostOptions, HostRequest } from "./host-answer.ts";
import type { Failure, FromThread, ToThread } from "./hosts-worker.ts";

export type Host = Readonly<{
  /** Rejects with Aborted after `close`, else with an Error that has the code and message of what failed. */
  send: (request: HostRequest) => Promise<HostAnswer>;
  /** Ends all requests at once. */
  close: () => void;
}>;

/** The connection was closed by this process: nothing is known of the request. */
export class Aborted extends Error {}

type Call = Readonly<{ host: number; resolve: (answer: HostAnswer) => void; reject: (error: Error) => void }>;

/** In MiB. All answers that are read at the same time are a quarter of it. */
const maxHeap = 128;

const calls = new Map<number, Call>();
const resolvers = new Map<number, Resolve>();
let thread: Worker | null = null;
let count = 0;

/** Opens no connection before something is sent. Each connection goes to an address that `resolve` returned for it. */
export function openHost(options: HostOptions, resolve: Resolve): Host {
  const host = ++count;
  let isClosed = false;
  resolvers.set(host, resolve);
  return {
    send: (request) =>
      new Promise((settle, reject) => {
        if (isClosed) throw new Aborted();
        const call = ++count;
        calls.set(call, { host, resolve: settle, reject });
        post({ kind: "send", host, call, options, request });
      }),
    close: () => {
      isClosed = true;
      resolvers.delete(host);
      if (thread) post({ kind: "close", host });
      rejectCalls(new Aborted(), host);
    },
  };
}

function rejectCalls(error: Error, host?: number): void {
  for (const [id, call] of calls) {
    if (host !== undefined && call.host !== host) continue;
    calls.delete(id);
    call.reject(error);
  }
}

/** Starts the thread with the first request: many processes never need it. It keeps no process from ending. */
function post(message: ToThread): void {
  thread ??= startThread();
  thread.postMessage(message);
}

function startThread(): Worker {
  const worker = new Worker(new URL("./hosts-worker.ts", import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: maxHeap } });
  worker.unref();
  worker.on("message", receive).on("error", (error) => {
    thread = null;
    rejectCalls(error);
  });
  return worker;
}

function receive(message: FromThread): void {
  if (message.kind === "resolve") return void answerQuestion(message);
  const call = calls.get(message.call);
  calls.delete(message.call);
  const { answer } = message;
  if ("message" in answer) call?.reject(Object.assign(new Error(answer.message), { code: answer.code }));
  else call?.resolve(answer);
}

async function answerQuestion({ host, question, name }: Extract<FromThread, { kind: "resolve" }>): Promise<void> {
  const addresses = await (resolvers.get(host)?.(name) ?? Promise.resolve([])).catch(({ code, message }: Failure) => ({ code, message }));
  if (thread) post({ kind: "addresses", question, addresses });
}
