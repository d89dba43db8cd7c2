import { Agent, type IncomingMessage, request } from "node:http";

import type { Donation } from "../client/api.ts";
import { donation, freshIdentifier, freshKey } from "../generators/donations.ts";
import { target } from "./target.ts";

// Many that record donations at once, each over a connection of its own, one donation after the other. Nothing is tried again.

export type Crowd = {
  /** Of all its donations. */
  identifier: string;
  /** Donations that were answered, by the idempotency key that was sent. */
  answered: Map<string, Donation>;
  /** Statuses of answers other than 201. */
  refused: number[];
  /** What happened to requests that were sent and not answered. */
  unanswered: string[];
  /** Resolves when all have gone: told to, or sent away by `Connection: close` if they heed that. */
  gone: Promise<void>;
  leave: () => void;
};

/** `heeding`: whoever is told that the connection closes goes, instead of opening another. */
export function gather(server: string, size: number, { heeding = false } = {}): Crowd {
  const identifier = freshIdentifier();
  const crowd = { identifier, answered: new Map<string, Donation>(), refused: [] as number[], unanswered: [] as string[] };
  let leaving = false;
  const record = async (agent: Agent): Promise<boolean> => {
    const idempotencyKey = freshKey();
    try {
      const { status, closes, text } = await post(server, agent, JSON.stringify(donation({ idempotencyKey, identifier })));
      if (status === 201) crowd.answered.set(idempotencyKey, JSON.parse(text).data);
      else crowd.refused.push(status);
      return !(heeding && closes);
    } catch (error) {
      crowd.unanswered.push((error as NodeJS.ErrnoException).code ?? String(error));
      return !heeding;
    }
  };
  const one = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!leaving && (await record(agent)));
    agent.destroy();
  };
  const gone = Promise.all(Array.from({ length: size }, one)).then(() => {});
  const leave = (): void => {
    leaving = true;
  };
  return { ...crowd, gone, leave };
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
