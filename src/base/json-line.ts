// JSON that stays one line for every reader.

/**
 * The value as JSON in one line, also for readers that split at U+0085, U+2028 and U+2029, as Python's splitlines does. JSON itself escapes
 * the other ends of lines.
 */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(/[\u0085\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
