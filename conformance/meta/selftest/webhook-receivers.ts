// Receivers of webhooks for the self-tests of the command `receiver`: one that is right, and one for each mistake.

import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { Webhook } from "standardwebhooks";
import { acceptedCases, refusedCases } from "../../receiver/cases.ts";
import { newSecret } from "../../receiver/deliveries.ts";
import { eventTypes } from "../../suite/contract/contract.ts";
import { checkout, node } from "../../suite/contract/sources.ts";
import { compileCache } from "../../suite/servers/serve.ts";
import type { Answer } from "./command.ts";

export const [secret, previous] = [newSecret(), newSecret()].map((bytes) => `whsec_${bytes.toString("base64")}`) as [string, string];

type Outcome = { code: number | null; stdout: string; stderr: string };

/** Runs the command; the secret is in its environment. */
export async function receiver(words: readonly string[], env: Record<string, string> = { WEBHOOK_SECRET: secret }): Promise<Outcome> {
  const { PATH = "", HOME = "" } = process.env;
  const all = { PATH, HOME, NODE_COMPILE_CACHE: compileCache, ...env };
  const child = spawn(node, ["conformance/main.ts", "receiver", ...words], { cwd: checkout, env: all });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) child[name].setEncoding("utf8").on("data", (part: string) => (texts[name] += part));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, ...texts };
}

/** The titles of the cases that failed. */
export const failedIn = ({ stdout }: Outcome): string[] =>
  [...stdout.matchAll(/^ {2}✗ (.*): wrongly (?:accepted|refused): expected/gm)].map(([, title = ""]) => title);

type Request = { headers: IncomingHttpHeaders; body: string };

/** Answers the status that `handle` returns, or else 204, and 400 where it throws. */
export const handling =
  (handle: (request: Request) => unknown): Answer =>
  ({ headers }, response, body) => {
    let status = 204;
    try {
      const answered = handle({ headers, body });
      if (typeof answered === "number") status = answered;
    } catch {
      status = 400;
    }
    response.writeHead(status).end();
  };

export const verify = ({ headers, body }: Request, secrets: readonly string[] = [secret]): void => {
  const texts = headers as Record<string, string>;
  const verifies = (one: string): boolean => {
    try {
      return Boolean(new Webhook(one).verify(body, texts));
    } catch {
      return false;
    }
  };
  if (!secrets.some(verifies)) throw new Error("no signature is right");
};

const texts = ({ headers }: Request): string[] => ["id", "timestamp", "signature"].map((name) => String(headers[`webhook-${name}`] ?? ""));

const macOf = (id: string, timestamp: string, body: string): string =>
  createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
    .update(`${id}.${timestamp}.${body}`)
    .digest("base64");

const expectThat = (condition: boolean): void => {
  if (!condition) throw new Error("refused");
};

const expectFresh = (timestamp: string): void => expectThat(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300);

export const titlesOf = (cases: readonly { title: string }[]): string[] => cases.map(({ title }) => title);

/** Receivers with one mistake each, and the cases that must fail, all of them and no other. */
export const mistaken: Record<string, { handle: (request: Request) => unknown; failed: readonly string[] }> = {
  "does not verify at all": { handle: () => 200, failed: titlesOf(refusedCases) },
  "ignores the timestamp": {
    handle: ({ headers, body }) => {
      const [id = "", timestamp = "", signatures = ""] = texts({ headers, body });
      expectThat(id !== "" && timestamp !== "" && signatures.split(" ").includes(`v1,${macOf(id, timestamp, body)}`));
    },
    failed: [
      "a timestamp of 10 minutes ago is refused",
      "a timestamp in 10 minutes is refused",
      "a timestamp that is no number is refused",
    ],
  },
  "takes a timestamp in the future": {
    handle: (request) => {
      const [id = "", timestamp = "", signatures = ""] = texts(request);
      expectThat(id !== "" && Date.now() / 1000 - Number(timestamp) <= 300);
      expectThat(signatures.split(" ").includes(`v1,${macOf(id, timestamp, request.body)}`));
    },
    failed: ["a timestamp in 10 minutes is refused"],
  },
  "compares only the first signature": {
    handle: ({ headers, body }) =>
      verify({ body, headers: { ...headers, "webhook-signature": texts({ headers, body })[2]?.split(" ")[0] ?? "" } }),
    failed: [
      "two signatures, the second by the receiver's secret: accepted",
      "a signature of version v1a before one of version v1: accepted",
    ],
  },
  "refuses more than one signature": {
    handle: (request) => {
      expectThat(!texts(request)[2]?.includes(" "));
      verify(request);
    },
    failed: titlesOf(acceptedCases({ current: newSecret(), previous: null })).filter((title) => /^two signatures|v1a before/.test(title)),
  },
  "accepts an empty signature": {
    handle: (request) => {
      const { "webhook-signature": signature } = request.headers;
      if (signature !== "" && signature !== "v1,") verify(request);
    },
    failed: ["an empty webhook-signature is refused", "a signature with nothing after its version is refused"],
  },
  "takes the beginning of a signature for all of it": {
    handle: (request) => {
      const [id = "", timestamp = "", signatures = ""] = texts(request);
      expectFresh(timestamp);
      expectThat(signatures.split(" ").some((one) => one.length > 3 && `v1,${macOf(id, timestamp, request.body)}`.startsWith(one)));
    },
    failed: ["the first half of a signature is refused", "a signature without its last four characters is refused"],
  },
  "does not look at the version of a signature": {
    handle: (request) => {
      const [id = "", timestamp = "", signatures = ""] = texts(request);
      expectFresh(timestamp);
      expectThat(id !== "" && signatures.split(" ").some((one) => one.split(",").at(-1) === macOf(id, timestamp, request.body)));
    },
    failed: ["a signature of the version v1a alone is refused", "a signature without its version is refused"],
  },
  "answers 500 to unknown types": {
    handle: (request) => {
      verify(request);
      if (!eventTypes.includes(JSON.parse(request.body).type)) return 500;
    },
    failed: ["an event of an unknown type is accepted"],
  },
  "refuses unknown members": {
    handle: (request) => {
      verify(request);
      expectThat(!("addedLater" in JSON.parse(request.body)));
    },
    failed: ["an event with unknown members is accepted", "a body of 20 kB is accepted"],
  },
  "parses before it verifies, and verifies what it wrote again": {
    handle: ({ headers, body }) => verify({ headers, body: JSON.stringify(JSON.parse(body)) }),
    failed: [
      "a body in another notation than JSON.stringify's is accepted: the signature covers its bytes",
      "a body to which a space was added after it was signed is refused",
    ],
  },
  "strips byte order marks before it verifies": {
    handle: ({ headers, body }) => verify({ headers, body: body.replaceAll("\uFEFF", "") }),
    failed: ["emoji, combining marks, other scripts and line separators are accepted"],
  },
  "takes no more than 16 kB": {
    handle: (request) => (Buffer.byteLength(request.body) > 16_384 ? 413 : verify(request)),
    failed: ["a body of 20 kB is accepted"],
  },
};
