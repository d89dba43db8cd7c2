import { once, type Reply, type Request } from "../harness/client/http-client.ts";
import { patiently } from "../harness/client/rate-limit-patience.ts";
import { redactor } from "../harness/client/redact.ts";
import { curlLine } from "../harness/client/trace.ts";
import { donation, freshKey } from "../harness/generators/donations.ts";
import { target } from "../harness/server/target.ts";
import { connectionFault } from "./connection.ts";

// Before anything is measured: does the yardstick touch a server that can be measured? Otherwise every refusal that a rule
// expects would look like success.

/** The server cannot be measured. `curl`: the request that shows it. */
export class NotMeasurable extends Error {
  readonly curl: string | null;
  constructor(reason: string, curl: string | null = null) {
    super(reason);
    this.curl = curl;
  }
}

export type Calibration = {
  /** What was seen, in words. */
  notes: string[];
  /** Every answer, for what it says of limits. */
  replies: Reply[];
};

const timeLimit = 20_000;
const bad = { donatorName: "", amount: -1, currency: "XXX", createdAt: "yesterday" };

const post = (body: unknown, key?: null): Request => ({
  method: "POST",
  path: "/api/v1/donations",
  ...(key === null ? { key } : {}),
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
});

const full = (): Record<string, unknown> => ({
  donatorName: "สมชาย ใจดี",
  amount: 123.45,
  currency: "THB",
  message: "สู้ๆ ครับ",
  identifier: freshKey(),
  idempotencyKey: freshKey(),
  skipAlert: true,
  createdAt: "2024-02-29T19:30:00+07:00",
});

/** Known good donations must pass, known bad ones must not. */
export async function calibrate(): Promise<Calibration> {
  const replies: Reply[] = [];
  const ask = (request: Request): Promise<Reply> => askOnce(request, replies);
  const small = post(donation());
  expectAccepted(small, await ask(small), "the smallest good donation");
  const large = post(full());
  expectAccepted(large, await ask(large), "a good donation with every member");
  const stranger = await ask(post(donation(), null));
  const broken = await ask(post(bad));
  if (accepted(stranger) && accepted(broken))
    throw new NotMeasurable("it accepts everything: a broken donation, and one without any credential", curlOf(post(bad)));
  return {
    replies,
    notes: [
      "known good donations are accepted",
      `one without credential is ${told(stranger)}`,
      `one with broken members is ${told(broken)}`,
    ],
  };
}

async function askOnce(request: Request, replies: Reply[]): Promise<Reply> {
  const late = AbortSignal.timeout(timeLimit);
  const attempt = async (): Promise<Reply> => {
    const reply = await Promise.race([once(request), tooLate(late)]);
    replies.push(reply);
    return reply;
  };
  return patiently(attempt).catch((error: unknown) => {
    throw error instanceof NotMeasurable ? error : new NotMeasurable(connectionFault(error), curlOf(request));
  });
}

const tooLate = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) =>
    signal.addEventListener("abort", () => reject(new NotMeasurable(`no answer within ${timeLimit / 1000} seconds`))),
  );

function expectAccepted(request: Request, reply: Reply, what: string): void {
  const page = /^\s*(text\/html|application\/xhtml)/i.test(reply.headers["content-type"] ?? "");
  if (accepted(reply) && !page) return;
  throw new NotMeasurable(`${page ? pageFault(reply) : refusal(reply, what)}${excerpt(reply)}`, curlOf(request));
}

const pageFault = ({ status }: Reply): string => `it answers with an HTML page (${status}): is this the address of the API?`;

function refusal({ status, headers }: Reply, what: string): string {
  if (status >= 500) return `it fails on ${what}: ${status}`;
  if (status >= 300 && status < 400) return `it redirects to ${headers.location ?? "nowhere"} (${status}): give the final address`;
  if (status === 401) return `it answers 401 to ${what} although the credential was sent: is API_KEY right?`;
  if (status === 403) return `it answers 403 to ${what}: API_KEY needs the scope write:donations`;
  if (status === 404 || status === 405) return `it has no POST /api/v1/donations below this address: ${status}`;
  if (status === 429) return "it limits the rate so much that not one donation passes (429 again and again)";
  return `it refuses ${what}: ${status}`;
}

const accepted = ({ status }: Reply): boolean => status >= 200 && status < 300;
const told = (reply: Reply): string => `${accepted(reply) ? "ACCEPTED" : "refused"} (${reply.status})`;
const curlOf = (request: Request): string => redactor(target())(curlLine(request));

function excerpt({ text }: Reply): string {
  const line = redactor(target())(text).replace(/\s+/g, " ").trim().slice(0, 300);
  return line === "" ? "" : `. It said: ${line}`;
}
