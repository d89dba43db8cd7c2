// Talks with hosts that untrusted parties chose, in a thread of its own: what they answer cannot keep requests to the server waiting, whatever
// their certificates and answers are made of. hosts.ts starts it, and resolves names for it.

import { parentPort } from "node:worker_threads";
import { lookup } from "../addresses.ts";
import { type Connections, openConnections } from "./connections.ts";
import type { HostAnswer, HostOptions, HostRequest } from "./host-answer.ts";

/** What is known of an Error. */
export type Failure = Readonly<{ code: string | undefined; message: string }>;

/** `host`, `call` and `question` are numbers that the sender has given. */
export type ToThread =
  | Readonly<{ kind: "send"; host: number; call: number; options: HostOptions; request: HostRequest }>
  | Readonly<{ kind: "close"; host: number }>
  | Readonly<{ kind: "addresses"; question: number; addresses: readonly string[] | Failure }>;

export type FromThread =
  | Readonly<{ kind: "answer"; call: number; answer: HostAnswer | Failure }>
  | Readonly<{ kind: "resolve"; host: number; question: number; name: string }>;

const hosts = new Map<number, Connections>();
const questions = new Map<number, PromiseWithResolvers<string[]>>();
let asked = 0;

parentPort?.on("message", (message: ToThread) => {
  if (message.kind === "send") void send(message);
  else if (message.kind === "close") {
    hosts.get(message.host)?.close();
    hosts.delete(message.host);
  } else settle(message);
});

async function send({ host, call, options, request }: Extract<ToThread, { kind: "send" }>): Promise<void> {
  const connections =
    hosts.get(host) ??
    openConnections(
      options,
      lookup((name) => resolve(host, name)),
    );
  hosts.set(host, connections);
  answer({ kind: "answer", call, answer: await connections.send(request).catch(({ code, message }: Failure) => ({ code, message })) });
}

function resolve(host: number, name: string): Promise<string[]> {
  asked += 1;
  const question = Promise.withResolvers<string[]>();
  questions.set(asked, question);
  answer({ kind: "resolve", host, question: asked, name });
  return question.promise;
}

function settle({ question, addresses }: Extract<ToThread, { kind: "addresses" }>): void {
  const asker = questions.get(question);
  questions.delete(question);
  if ("message" in addresses) asker?.reject(Object.assign(new Error(addresses.message), { code: addresses.code }));
  else asker?.resolve([...addresses]);
}

function answer(message: FromThread): void {
  parentPort?.postMessage(message);
}
