import { describe, expect, test } from "vitest";

import { sendUnchecked } from "../harness/client/http-client.ts";
import { tried } from "../harness/client/score.ts";
import { createAny, donationWith, excerptOf, isAccepted } from "../harness/oracle/verdicts.ts";

const missing = [404, 405];

describe("paths", () => {
  test("donations are created by POST /api/v1/donations (interface 4.1, 9.1)", async () => {
    tried("path");
    const reply = await createAny(donationWith({ skipAlert: "true" }));
    expect(isAccepted(reply), excerptOf(reply)).toBe(true);
  });

  test.each(["/oauth/token", "/oauth/revoke"])("%s exists without a version in its path (interface 4.2, 4.3, 9.2)", async (path) => {
    tried("path");
    const reply = await sendUnchecked({ method: "POST", path, key: null, headers: { "Content-Type": "application/json" }, body: "{}" });
    expect(missing, excerptOf(reply)).not.toContain(reply.status);
    expect(reply.status, excerptOf(reply)).toBeLessThan(500);
  });
});
