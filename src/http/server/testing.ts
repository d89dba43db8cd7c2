// Admission for tests that are not about pages.

import type { AdmissionOptions } from "./overload.ts";

export const admissionOptions: Omit<AdmissionOptions, "maxRequests" | "minRequests"> = {
  maxPagesPerNetwork: 2,
  pauseLimits: { perSecond: 1_000, maxSeconds: 5, maxConnections: 1_000 },
  addressOf: ({ socket }) => socket.remoteAddress ?? "",
  refusalPage: { headers: { "X-Page": "yes" }, html: "<p>busy</p>" },
  onRefused: () => {},
};
