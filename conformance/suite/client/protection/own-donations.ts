// Knows which donations the suite has recorded on a server of someone else, and voids them at the end of the run. They stand in a file, for
// the next run after a crash: a line each, with id, amount and time. Instead of an id that no answer has named stands a hyphen.

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { operationAt } from "../../contract/contract.ts";
import { pathnameOf } from "../../contract/effects.ts";
import type { Reply, Request } from "../../contract/http-request.ts";
import { ask } from "./alert-state.ts";

/** A donation as a report counts it. */
export type Own = { id: string; amount: number; createdAt: string };

/** `left`: those that are not void. `why`: what the server answered to the first of these, in words; null: there was no time. */
export type Voided = { voided: number; left: Own[]; why: string | null };

type Answered = { status: number; body: unknown; text?: string };
type Sent = Pick<Request, "method" | "path" | "body">;
type Members = Record<string, unknown>;

/** How long donations are voided: a server that limits the rate may need longer for all of them. */
const longestMs = 60_000;
const atOnce = 8;
const unnamed = "-";

/** Notes what the answer says was recorded, by one request or by an import. */
export function noteRecorded(file: string, request: Sent, reply: Answered): void {
  const lines = recordedBy(request, reply).map(({ id, amount, createdAt }) => `${id} ${amount} ${createdAt}\n`);
  if (lines.length > 0) appendFileSync(file, lines.join(""), { mode: 0o600 });
}

/** Whether the file names this donation. */
export const isRecorded = (file: string, id: string): boolean => recordedIn(file).some((one) => one.id === id);

function recordedBy({ method = "GET", path, body: sent = "" }: Sent, { status, body, text = "" }: Answered): Own[] {
  if (status < 200 || status > 299) return [];
  const { data } = (body ?? {}) as { data?: Members | null };
  const request = Buffer.from(sent).toString("utf8");
  const isOne = operationAt(method, pathnameOf(path))?.id === "createDonation";
  const one = isOne || (status === 201 && data?.id !== undefined) ? [own({ ...parsed(request), ...data })] : [];
  const outcomes = (data?.outcomes ?? (body === undefined ? text.split("\n").map(parsed) : [])) as Members[];
  const imported = outcomes.filter((outcome) => outcome.status === 201);
  return [...one, ...imported.map(({ donationId, index }) => own({ ...importedAt(request, Number(index)), id: donationId }))];
}

/** The donation with this index of an import: a list, or lines. */
function importedAt(request: string, index: number): Members {
  const { donations } = parsed(request) as { donations?: Members[] };
  return (donations ? donations[index] : parsed(request.split("\n")[index] ?? "")) ?? {};
}

const own = ({ id, amount, createdAt }: Members): Own => ({
  id: typeof id === "string" && /^[\w-]+$/.test(id) ? id : unnamed,
  amount: Number(amount ?? 0),
  createdAt: typeof createdAt === "string" && /^\S+$/.test(createdAt) ? createdAt : new Date().toISOString(),
});

function parsed(text: string): Members {
  try {
    return (JSON.parse(text) as Members | null) ?? {};
  } catch {
    return {};
  }
}

function recordedIn(file: string): Own[] {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : []; // a crash may have cut off the last line
  return lines.map((line) => {
    const [id = unnamed, amount, createdAt = ""] = line.split(" ");
    return { id, amount: Number(amount), createdAt };
  });
}

/** Voids the donations of the file with the streamer's key, until the server refuses one for a reason that holds for all. */
export async function voidRecorded(file: string, key: string): Promise<Voided> {
  const all = recordedIn(file).toSorted(byWeight);
  const named = new Map(all.filter(({ id }) => id !== unnamed).map((one) => [one.id, one])); // a repeated request has the same id
  const left = new Map(named);
  const deadline = Date.now() + longestMs;
  const remaining = named.keys();
  let why: string | null = null;
  let isRefused = false;
  const worker = async (): Promise<void> => {
    for (const id of remaining) {
      if (isRefused || Date.now() > deadline) return;
      const reply = await voidOne(id, key);
      if (isVoid(reply)) left.delete(id);
      else why ??= reply instanceof Error ? reply.message : `the server answers ${reply.status} to POST /api/v1/donations/{id}/void`;
      isRefused ||= !isVoid(reply) && left.size === named.size;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const anonymous = all.filter(({ id }) => id === unnamed);
  if (named.size === 0 && anonymous.length > 0) why = "no answer named the id of its donation";
  return { voided: named.size - left.size, left: [...left.values(), ...anonymous], why };
}

/** What distorts reports most comes first, because there may be no time for all: what is to happen, then large amounts. */
function byWeight(one: Own, other: Own): number {
  const now = new Date().toISOString();
  return Number(other.createdAt > now) - Number(one.createdAt > now) || other.amount - one.amount;
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
