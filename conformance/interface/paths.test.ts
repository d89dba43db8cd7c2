import { describe, expect, test } from "vitest";
import { createAny, donationWith, excerptOf, isAccepted } from "../suite/models/verdicts.ts";
import { tried } from "../suite/values/score.ts";

describe("paths", () => {
  test("donations are created by POST /api/v1/donations (interface 4.1, 9.1)", async () => {
    tried("path");
    const reply = await createAny(donationWith({ skipAlert: "true" }));
    expect(isAccepted(reply), excerptOf(reply)).toBe(true);
  });
});
