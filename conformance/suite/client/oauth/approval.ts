// Approvals that the suite does not make on the server's own pages: by a command, or by somebody at the terminal. Where nobody
// approves, nothing is known about the server, so that the rule is not run.

import { exec } from "node:child_process";
import { existsSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { ReadStream, WriteStream } from "node:tty";

import { redactor } from "../../values/redact.ts";
import { endAsNotRun, outsideOfRule } from "../../values/running.ts";
import { type Handle, keyVariables, type OAuth, oauth, target } from "../../values/target.ts";

/** Time limit in milliseconds of one approval by a command. */
const commandTimeoutMs = 60_000;

/** Time limit in milliseconds of one approval at the terminal; after the first that takes longer nobody is asked again. */
export const terminalTimeoutMs = 180_000;

/** Approves the authorization request at this path as the streamer; returns the address of the redirect. */
export async function approveElsewhere(path: string, handle: Handle): Promise<URL> {
  const { loginCommand, terminal } = oauth();
  if (target().protection?.readOnly) endAsNotRun("left out by --read-only: a streamer's approval would be stored");
  const url = target().url + path;
  if (loginCommand !== null)
    return parseAddress(await outsideOfRule(() => runCommand(loginCommand, url, handle)), "the login command printed");
  if (terminal) return parseAddress(await outsideOfRule(() => askInTurn(url, handle)), "what was pasted is");
  return endAsNotRun(`--oauth-login-command is not given, and --oauth-credentials has no streamers.${handle}: nobody can approve a client`);
}

function parseAddress(text: string, what: string): URL {
  const line = text.trim().split("\n").at(-1)?.trim() ?? "";
  return URL.canParse(line) ? new URL(line) : endAsNotRun(`--oauth-login-command or terminal: ${what} no address`);
}

/** Runs the shell command with the address on its standard input; resolves to what it prints. */
function runCommand(command: string, url: string, handle: Handle): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    const env = { ...process.env, OAUTH_STREAMER: handle };
    const child = exec(command, { env, timeout: commandTimeoutMs }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(explainFailure(error, stderr)));
    });
    child.stdin?.on("error", () => {}); // the command may end without reading it
    child.stdin?.end(`${url}\n`);
  }).catch((error: Error) => endAsNotRun(`--oauth-login-command approved nothing for ${handle}: ${error.message}`));
}

function explainFailure({ killed, code }: { killed?: boolean; code?: number | string | null }, stderr: string): string {
  const words = redactor(target())(stderr).replace(/\s+/g, " ").trim().slice(-300);
  const outcome = killed ? `it took longer than ${commandTimeoutMs / 1000} s` : `it exited with ${code}`;
  return words === "" ? outcome : `${outcome}: ${words}`;
}

let previous: Promise<unknown> = Promise.resolve();

/** Asks one question at a time: rules may need several approvals at once. */
function askInTurn(url: string, handle: Handle): Promise<string> {
  const asked = previous.then(() => askAtTerminal(oauth(), url, handle));
  previous = asked.catch(() => {});
  return asked;
}

async function askAtTerminal({ logs }: OAuth, url: string, handle: Handle): Promise<string> {
  const nobodyThere = join(logs, "nobody-approves");
  if (existsSync(nobodyThere)) return endAsNotRun("--oauth-login-command is not given, and nobody has approved at the terminal");
  const [input, output] = [new ReadStream(openSync("/dev/tty", "r")), new WriteStream(openSync("/dev/tty", "w"))];
  const terminal = createInterface({ input, output });
  const question = `\nApprove as the streamer of ${keyVariables[handle]}:\n${url}\nAddress that you are sent to: `;
  try {
    return await terminal.question(question, { signal: AbortSignal.timeout(terminalTimeoutMs) });
  } catch {
    writeFileSync(nobodyThere, "");
    return endAsNotRun("--oauth-login-command is not given, and nobody has approved at the terminal");
  } finally {
    terminal.close();
    input.destroy();
    output.destroy();
  }
}
