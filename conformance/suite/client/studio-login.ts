// A streamer who can log in to the server's pages.

import { randomUUID } from "node:crypto";
import { remember } from "../values/secrets.ts";
import type { Operator } from "../values/target.ts";
import { addStreamerWithPassword } from "./operator.ts";

/** A streamer created for one test, who can log in. */
export type Login = { handle: string; password: string };

export async function newStreamer(operator: Operator): Promise<Login> {
  const handle = `s${randomUUID().slice(0, 8)}`;
  const password = `ดาว ${randomUUID()}`;
  await addStreamerWithPassword(operator, handle, password);
  remember(password);
  return { handle, password };
}
