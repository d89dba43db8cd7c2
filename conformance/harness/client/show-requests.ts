import { afterEach, beforeEach, onTestFailed } from "vitest";

import { sampledOut } from "../generators/depth.ts";
import { restoreAfterRule } from "../protection/guard.ts";
import { guardFetch } from "../protection/guarded-fetch.ts";
import { noteFailure } from "./failure.ts";
import { curlLine, forgetRequests, lastExchanges } from "./trace.ts";

// Setup of every test: a failing test shows its last requests; quick and rate-limited runs skip some tests; a server of someone else
// is left as it was.
guardFetch();
afterEach(restoreAfterRule);
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
