// Admission for tests that are not about pages.

import type { OverloadDeps } from "./overload.ts";

export const admissionDeps: Omit<OverloadDeps, "maxRequests" | "minRequests"> = {
  maxPagesPerNetwork: 2,
  pauseLimits: { perSecond: 1_000, maxSeconds: 5, maxConnections: 1_000 },
  addressOf: ({ socket }) => socket.remoteAddress ?? "",
  refusalPage: { headers: { "X-Page": "yes" }, html: "<p>busy</p>" },
  onRefused: () => {},
};
