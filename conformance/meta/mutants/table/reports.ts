// Mutants of reports.

import { inContract, inSchema } from "../contract-edit.ts";
import { cacheAnswers } from "../interceptors.ts";
import type { Mutants } from "../mutant.ts";

export const reports: Mutants = {
  "buckets-1001": {
    broken: "a trend of 1,001 buckets is answered",
    edit: inContract('"x-max-buckets": 1000', '"x-max-buckets": 1001'),
    killedBy: [["reports/get-amount-trends", /1,001 refused with too_many_buckets/]],
  },
  "tests-counted": {
    broken: "reports count test donations by default",
    edit: inSchema("ReportParameters.source", '"native"', '"native", "test"'),
    killedBy: [["reports/get-donation-stats", /test donations count in the stats only when source names them/]],
  },
  stale: {
    broken: "a cache answers reports of up to two seconds ago",
    interceptor: cacheAnswers(
      ({ method, path, headers }) => (method === "GET" && path.includes("stats") ? `${headers.authorization} ${path}` : null),
      2_000,
    ),
    killedBy: [["reports/reports", /counts each donation as soon as it was answered/]],
  },
};
