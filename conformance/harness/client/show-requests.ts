import { beforeEach, onTestFailed } from "vitest";

import { sampledOut } from "../generators/depth.ts";
import { noteFailure } from "./failure.ts";
import { curlLine, forgetRequests, lastExchanges } from "./trace.ts";

// Around every test: one that fails shows the last requests that it sent, and where the server limits the rate some are left out.
beforeEach((context) => {
  forgetRequests();
  const reason = sampledOut(context.task);
  if (reason !== null) context.skip(`not run: ${reason}`);
  onTestFailed(({ task }) => {
    noteFailure();
    const lines = lastExchanges().map(({ request }) => curlLine(request));
    if (lines.length > 0) console.error(`last requests of "${task.name}":\n  ${lines.join("\n  ")}`);
  });
});
