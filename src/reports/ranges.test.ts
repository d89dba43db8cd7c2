import { expect, test } from "vitest";
import { estimatePoints } from "./ranges.ts";

const now = Date.UTC(2026, 5, 15);

test.each([
  [{}, 30],
  [{ interval: "hour" }, 720],
  [{ interval: "hour", from: "2026-06-01", to: "2026-06-02" }, 24],
  [{ interval: "day", from: "2025-06-15T12:00:00+07:00", to: "2026-06-15" }, 365],
  [{ interval: "month", from: "2025-06-15", to: "2026-06-15" }, 14],
  [{ interval: "hour", from: "0000-01-01", to: "9999-12-31" }, 1_000],
  [{ interval: "year", from: "0000-01-01", to: "9999-12-31" }, 1_000],
  [{ interval: "day", from: "2026-06-15", to: "2026-06-01" }, 0],
  [{ interval: "day", from: "yesterday" }, 0],
  [{ interval: "second" }, 0],
  [{ interval: ["hour"], from: {}, to: null }, 0],
])("the trend query %j is estimated at %i points", (query, points) => expect(estimatePoints(query, now)).toBe(points));
