// Finds the request whose answer broke a rule: reports show it as the request to repeat, and the others of the rule beside it.

import type { Exchange } from "./trace.ts";

const minQuoted = 20;
const maxNamed = 100;

/**
 * The exchange that broke the rule: the one that the message names by method and path, or whose answer or status it quotes, else a server
 * error or a request without an answer, or else the last.
 */
export function decisiveOf(message: string, exchanges: readonly Exchange[]): Exchange | undefined {
  const named = exchanges.filter(({ request }) => isNamed(message, request));
  const among = named.length > 0 ? named : exchanges;
  const quoted = (length: number) => among.findLast(({ reply }) => isQuoted(message, reply?.text ?? "", length));
  const [, actual] = /expected \[? ?(\d{3})\b/.exec(message) ?? [];
  const answered = among.findLast(({ reply }) => actual !== undefined && reply?.status === Number(actual));
  const failed = among.findLast(({ reply }) => reply === null || reply.status >= 500);
  // Messages may cut the answer off, and answers may begin alike.
  return quoted(Number.POSITIVE_INFINITY) ?? quoted(500) ?? quoted(200) ?? answered ?? failed ?? among.at(-1);
}

/** Whether the message has method and path of the request; a long path may be cut off in it. */
function isNamed(message: string, { method = "GET", path }: Exchange["request"]): boolean {
  const line = `${method} ${path.slice(0, maxNamed)}`;
  const at = message.indexOf(line);
  if (at < 0) return false;
  return path.length > maxNamed || !/[\w/?&=%-]/.test(message.charAt(at + line.length));
}

const isQuoted = (message: string, text: string, length: number): boolean =>
  text.length >= minQuoted && message.includes(text.slice(0, length));
