// Knows which donations the suite has recorded on a server of someone else, and voids them at the end of the run. Their ids stand in a file,
// one a line, for the next run after a crash.

import { appendFileSync, existsSync, readFileSync } from "node:fs";

import type { Reply, Request } from "../../contract/http-request.ts";
import { ask } from "./alert-state.ts";

/** `left`: how many are not void. `why`: what the server answered to the first of these, in words; null: there was no time. */
export type Voided = { voided: number; left: number; why: string | null };

type Answered = { status: number; body: unknown; text?: string };

/** How long donations are voided: a server that limits the rate may need longer for all of them. */
const longestMs = 60_000;
const atOnce = 4;

/** Notes what the answer says was recorded, by one request or by an import. */
export function noteRecorded(file: string, reply: Answered): void {
  const ids = recordedIn(reply).filter((id) => /^[\w-]+$/.test(id));
  if (ids.length > 0) appendFileSync(file, ids.map((id) => `${id}\n`).join(""), { mode: 0o600 });
}

type Recorded = { id?: unknown; donationId?: unknown; status?: unknown; outcomes?: Recorded[] };

function recordedIn({ status, body, text = "" }: Answered): string[] {
  if (status < 200 || status > 299) return [];
  const { data } = (body ?? {}) as { data?: Recorded | null };
  const outcomes = data?.outcomes ?? (body === undefined ? text.split("\n").map(parsed) : []);
  const imported = outcomes.filter((one) => one.status === 201).map(({ donationId }) => donationId);
  return [...(status === 201 ? [data?.id] : []), ...imported].filter((id) => typeof id === "string");
}

function parsed(line: string): Recorded {
  try {
    return (JSON.parse(line) as Recorded | null) ?? {};
  } catch {
    return {};
  }
}

/** Voids the donations of the file with the streamer's key, until the server refuses one for a reason that holds for all. */
export async function voidRecorded(file: string, key: string): Promise<Voided> {
  const ids = existsSync(file) ? new Set(readFileSync(file, "utf8").split("\n").filter(Boolean)) : new Set<string>();
  const deadline = Date.now() + longestMs;
  const remaining = ids.values();
  let [voided, why]: [number, string | null] = [0, null];
  let isRefused = false;
  const worker = async (): Promise<void> => {
    for (const id of remaining) {
      if (isRefused || Date.now() > deadline) return;
      const reply = await voidOne(id, key);
      if (isVoid(reply)) voided += 1;
      else why ??= reply instanceof Error ? reply.message : `the server answers ${reply.status} to POST /api/v1/donations/{id}/void`;
      isRefused ||= !isVoid(reply) && voided === 0;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return { voided, left: ids.size - voided, why };
}

/** 409: it is void already, for another reason. */
const isVoid = (reply: Reply | Error): boolean => !(reply instanceof Error) && (reply.status === 200 || reply.status === 409);

function voidOne(id: string, key: string): Promise<Reply | Error> {
  const request: Request = {
    method: "POST",
    path: `/api/v1/donations/${id}/void`,
    key,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ reason: "test" }),
  };
  return ask(request).catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
}
