// Generates load: concurrent clients, each of which records one donation after the other over a connection of its own. Failed requests are not repeated.

import { Agent, type IncomingMessage, request } from "node:http";

import type { Donation } from "../client/api.ts";
import { donation, freshIdentifier, freshKey } from "../values/donations.ts";
import { target } from "../values/target.ts";

export type LoadGenerator = {
  /** Identifier of all donations of this load. */
  identifier: string;
  /** Donations that were answered, by the idempotency key that was sent. */
  answered: Map<string, Donation>;
  /** Statuses of answers other than 201. */
  refused: number[];
  /** Error codes of requests that were sent and not answered. */
  unanswered: string[];
  /** Resolves when all clients have ended: after `stop`, or after `Connection: close` if they obey that. */
  finished: Promise<void>;
  stop: () => void;
};

/** `obeysClose`: a client that receives `Connection: close` ends instead of opening another connection. */
export function startLoad(server: string, size: number, { heeding: obeysClose = false } = {}): LoadGenerator {
  const identifier = freshIdentifier();
  const load = { identifier, answered: new Map<string, Donation>(), refused: [] as number[], unanswered: [] as string[] };
  let stopping = false;
  const record = async (agent: Agent): Promise<boolean> => {
    const idempotencyKey = freshKey();
    try {
      const { status, closes, text } = await post(server, agent, JSON.stringify(donation({ idempotencyKey, identifier })));
      if (status === 201) load.answered.set(idempotencyKey, JSON.parse(text).data);
      else load.refused.push(status);
      return !(obeysClose && closes);
    } catch (error) {
      load.unanswered.push((error as NodeJS.ErrnoException).code ?? String(error));
      return !obeysClose;
    }
  };
  const runClient = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!stopping && (await record(agent)));
    agent.destroy();
  };
  const finished = Promise.all(Array.from({ length: size }, runClient)).then(() => {});
  const stop = (): void => {
    stopping = true;
  };
  return { ...load, finished, stop };
}

type Answer = { status: number; closes: boolean; text: string };

function post(server: string, agent: Agent, body: string): Promise<Answer> {
  const headers = {
    Authorization: `Bearer ${target().keys.main}`,
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    const read = async (message: IncomingMessage): Promise<void> => {
      let text = "";
      for await (const chunk of message.setEncoding("utf8")) text += chunk;
      resolve({ status: message.statusCode ?? 0, closes: message.headers.connection === "close", text });
    };
    const outgoing = request(`${server}/api/v1/donations`, { agent, method: "POST", headers });
    outgoing
      .on("response", (message) => void read(message).catch(reject))
      .on("error", reject)
      .end(body);
  });
}
