import { expect, test } from "vitest";
import { readTraceparent } from "./tracing.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";

test("a traceparent is read with its flag, of this version and of later ones (W3C Trace Context 3.2.2)", () => {
  expect(readTraceparent(`00-${traceId}-${spanId}-01`)).toEqual({ traceId, spanId, isSampled: true });
  expect(readTraceparent(`00-${traceId}-${spanId}-02`)).toEqual({ traceId, spanId, isSampled: false });
  expect(readTraceparent(`cc-${traceId}-${spanId}-01-more`)).toEqual({ traceId, spanId, isSampled: true });
});

test.each([
  undefined,
  "",
  `ff-${traceId}-${spanId}-01`,
  `00-${"0".repeat(32)}-${spanId}-01`,
  `00-${traceId}-${"0".repeat(16)}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${traceId}-${spanId}-01-more`,
  `cc-${traceId}-${spanId}-01more`,
  `00-${traceId}-${spanId}-0`,
  `00-${traceId.slice(1)}-${spanId}-01`,
  `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
])("the traceparent %j is invalid", (header) => {
  expect(readTraceparent(header)).toBeNull();
});
