// Options of `receiver` and its help text.

import { parseArgs } from "node:util";
import { UsageError } from "../suite/command/usage-error.ts";
import type { Secrets } from "./delivery.ts";

const receiverFormats = ["text", "junit", "ctrf", "tap", "html"] as const;

export type ReceiverFormat = (typeof receiverFormats)[number];

export type ReceiverSettings = Readonly<{
  /** Where deliveries are sent. */
  url: string;
  secrets: Secrets;
  /** What is written to standard output. */
  format: ReceiverFormat;
  /** Part of the titles of the cases to run; null: all. */
  only: string | null;
  /** Prints the requests of cases that passed as well. */
  showRequests: boolean;
}>;

export const receiverUsage = `Tests whether a receiver of webhooks accepts what it must and refuses what it must, by Standard Webhooks.

  namjai-conformance receiver URL --secret whsec_… [options]

It sends sound, repeated, reordered, stale, changed, wrongly signed and rotated deliveries, events of every type and unusual bodies, and
says which were wrongly accepted (a status from 200 to 299) or wrongly refused (any other). The receiver takes the sound ones for real:
use one for tests. Their events have "isTest": true, except goal.reached.

  --secret SECRET              the endpoint's secret: whsec_ and base64. Or WEBHOOK_SECRET in the environment, so that it does not
                               appear in process lists
  --previous-secret SECRET     another secret that the receiver accepts, as after a rotation. Or WEBHOOK_PREVIOUS_SECRET
  --only TEXT                  runs the cases whose title contains TEXT, after the sound ones
  --format FORMAT              what is written to standard output: ${receiverFormats.join(", ")} (default: text). With the others, the text is
                               written to standard error
  --curl                       prints the requests of all cases as curl lines, not only of those that failed. A curl line is good for
                               about five minutes, because its signature covers the time; --only sends the case anew
  --help                       prints this text

Exit codes: 0 passed
            1 failed
            2 not measurable: the receiver cannot be reached, it refuses every sound delivery, a rate limit refused a case
            64 wrong usage
`;

/** Null: the help text was asked for. Throws UsageError; its messages contain no secret. */
export function readReceiverSettings(args: readonly string[], env: NodeJS.ProcessEnv): ReceiverSettings | null {
  const { values, positionals } = parse(args);
  if (values.help) return null;
  const [url, ...others] = positionals;
  if (url === undefined || others.length > 0) throw new UsageError("receiver needs one address");
  const current = readSecret("--secret", values.secret ?? env.WEBHOOK_SECRET);
  if (!current) throw new UsageError("receiver needs --secret whsec_…, or WEBHOOK_SECRET in the environment");
  return {
    url: readAddress(url),
    secrets: { current, previous: readSecret("--previous-secret", values["previous-secret"] ?? env.WEBHOOK_PREVIOUS_SECRET) },
    format: readFormat(values.format),
    only: values.only || null,
    showRequests: values.curl,
  };
}

function parse(args: readonly string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  const options = { secret: text, "previous-secret": text, only: text, format: { ...text, default: "text" }, curl: flag, help: flag };
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Standard Webhooks asks for 24 to 64 bytes. */
function readSecret(option: string, text: string | undefined): Buffer | null {
  if (!text) return null;
  const [, base64 = ""] = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/.exec(text) ?? [];
  const secret = Buffer.from(base64, "base64");
  if (secret.length < 24 || secret.length > 64) throw new UsageError(`${option} must be whsec_ and 24 to 64 bytes in base64`);
  return secret;
}

function readAddress(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new UsageError(`"${url}" is not an http or https address`);
  const { hash, username, password } = new URL(url);
  if (hash || username || password)
    throw new UsageError("the receiver's address must have no user and no fragment, as that of an endpoint");
  return url;
}

function readFormat(given: string): ReceiverFormat {
  const format = receiverFormats.find((one) => one === given);
  if (!format) throw new UsageError(`--format must be one of ${receiverFormats.join(", ")}, not "${given}"`);
  return format;
}
