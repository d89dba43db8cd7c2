import { beforeEach, onTestFailed } from "vitest";

import { forgetRequests, lastRequests } from "./trace.ts";

// A failing test shows the last requests that it sent.
beforeEach(() => {
  forgetRequests();
  onTestFailed(({ task }) => {
    const lines = lastRequests();
    if (lines.length > 0) console.error(`last requests of "${task.name}":\n  ${lines.join("\n  ")}`);
  });
});
