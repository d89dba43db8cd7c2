// Forms of the login and consent pages that a page of another site sends in the streamer's browser (cross-site request forgery).

import { expect } from "vitest";
import { target } from "../../values/target.ts";
import type { Page } from "../page-visitor.ts";

/** Expects a refusal without effect: no redirect out of the server, no cookie. */
export function expectRefused({ reply, location }: Page): void {
  expect(reply.status, reply.text).toBeOneOf([400, 403]);
  expect(location).toBeNull();
}

/** Where such a form may come from, with the header that the browser sends. */
export const foreignOrigins: [string, Record<string, string>][] = [
  ["another site", { Origin: "https://evil.example" }],
  ["another port", { Origin: "http://127.0.0.1:1" }],
  ["another scheme", { Origin: "https://127.0.0.1" }],
  ["a site that only begins like ours", { Origin: "ORIGIN.evil.example" }],
  ["null", { Origin: "null" }],
  ["an empty one", { Origin: "" }],
  ["a word", { Origin: "x" }],
];

/** The headers, with the origin of the server under test in place of ORIGIN. */
export const withOurs = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace("ORIGIN", new URL(target().url).origin)]));
