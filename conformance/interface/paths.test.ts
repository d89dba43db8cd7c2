import { describe, expect, test } from "vitest";

import { ask } from "../harness/client/http-client.ts";
import { tried } from "../harness/client/score.ts";
import { createAny, donationWith, isAccepted, shown } from "../harness/oracle/verdicts.ts";

const missing = [404, 405];

describe("paths", () => {
  test("donations are created by POST /api/v1/donations (interface 4.1, 9.1)", async () => {
    tried("path");
    const reply = await createAny(donationWith({ skipAlert: "true" }));
    expect(isAccepted(reply), shown(reply)).toBe(true);
  });

  test.each(["/oauth/token", "/oauth/revoke"])("%s is there, without a version (interface 4.2, 4.3, 9.2)", async (path) => {
    tried("path");
    const reply = await ask({ method: "POST", path, key: null, headers: { "Content-Type": "application/json" }, body: "{}" });
    expect(missing, shown(reply)).not.toContain(reply.status);
    expect(reply.status, shown(reply)).toBeLessThan(500);
  });
});
