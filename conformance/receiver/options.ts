// Options of `receiver` and their help.

import { type Command, InvalidArgumentError, Option } from "commander";
import { UsageError } from "../suite/command/usage-error.ts";
import type { Secrets } from "./delivery.ts";

const receiverFormats = ["text", "junit", "html"] as const;

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

const description = `Tests whether a receiver of webhooks accepts what it must and refuses what it must, by Standard Webhooks.

It sends sound, repeated, reordered, stale, changed, wrongly signed and rotated deliveries, events of every type and unusual bodies, and
says which were wrongly accepted (a status from 200 to 299) or wrongly refused (any other). The receiver takes the sound ones for real:
use one for tests. Their events have "isTest": true, except those of goals and the timer.`;

const exitCodes = `
Exit codes: 0 passed
            1 failed
            2 not measurable: the receiver cannot be reached, it refuses every sound delivery, a rate limit refused a case
            64 wrong usage`;

type Options = Readonly<{ secret?: string; previousSecret?: string; only?: string; format: ReceiverFormat; curl?: boolean }>;

/** Adds arguments and options of `receiver` to a command. */
export const withReceiverOptions = (command: Command): Command =>
  command
    .summary("tests a receiver of webhooks")
    .description(description)
    .argument("<url>", "where the receiver takes deliveries", readAddress)
    .addOption(new Option("--secret <secret>", "the endpoint's secret: whsec_ and base64").env("WEBHOOK_SECRET"))
    .addOption(
      new Option("--previous-secret <secret>", "another secret that the receiver accepts, as after a rotation").env(
        "WEBHOOK_PREVIOUS_SECRET",
      ),
    )
    .option("--only <text>", "runs the cases whose title contains the text, after the sound ones")
    .addOption(
      new Option("--format <format>", "what is written to standard output; except with text, the text is written to standard error")
        .choices(receiverFormats)
        .default("text"),
    )
    .option("--curl", curl)
    .addHelpText("after", exitCodes);

const curl =
  "prints the requests of all cases as curl lines, not only of those that failed. A curl line is good for about five minutes, because its signature covers the time; --only sends the case anew";

/** Reads the settings of a command that has been parsed. Throws UsageError; its messages contain no secret. */
export function receiverSettingsOf(command: Command): ReceiverSettings {
  const options = command.opts<Options>();
  const current = readSecret("--secret", options.secret);
  if (!current) throw new UsageError("receiver needs --secret whsec_…, or WEBHOOK_SECRET in the environment");
  return {
    url: command.processedArgs[0],
    secrets: { current, previous: readSecret("--previous-secret", options.previousSecret) },
    format: options.format,
    only: options.only || null,
    showRequests: options.curl ?? false,
  };
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
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new InvalidArgumentError("It is not an http or https address.");
  const { hash, username, password } = new URL(url);
  if (hash || username || password)
    throw new InvalidArgumentError("The receiver's address must have no user and no fragment, as that of an endpoint.");
  return url;
}
