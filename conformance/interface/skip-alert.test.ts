import { describe, test } from "vitest";

import { donationWith, expectAccepted, expectRefused } from "../suite/models/verdicts.ts";

describe("skipAlert", () => {
  test.each(["true", "false"])("skipAlert %s is accepted (interface 2.1)", (value) =>
    expectAccepted(donationWith({ skipAlert: value }), "skipAlert"),
  );

  test.each(['"true"', '"false"', '""', '"yes"', "0", "1", "-1", "null", "[]", "[true]", "{}"])(
    "skipAlert %s is refused: it is no boolean (interface 2.1)",
    (value) => expectRefused(donationWith({ skipAlert: value }), "skipAlert", "type"),
  );
});
