import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Redactor } from "../harness/client/redact.ts";
import { harOf } from "./har.ts";
import { htmlOf } from "./html.ts";
import { junitOf } from "./junit.ts";
import type { Run } from "./run.ts";

/** Creates the folder for the reports and removes those of an earlier run. */
export function prepareFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of ["report.html", "junit.xml", "events.ndjson", "requests.har"]) rmSync(join(folder, name), { force: true });
}

/** Writes the reports of a finished run. */
export function writeReports(folder: string, run: Run): void {
  writeFileSync(join(folder, "report.html"), htmlOf(run));
  writeFileSync(join(folder, "junit.xml"), junitOf(run));
}

/** Writes requests.har from `sent`, the file to which the suite wrote its requests. */
export const writeHar = (folder: string, sent: string, redact: Redactor): void =>
  writeFileSync(join(folder, "requests.har"), harOf(sent, redact));
