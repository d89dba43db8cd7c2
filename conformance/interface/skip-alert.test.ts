import { describe, test } from "vitest";

import { donationWith, refuses, takes } from "../harness/oracle/verdicts.ts";

describe("skipAlert", () => {
  test.each(["true", "false"])("%s is accepted (interface 2.1)", (value) => takes(donationWith({ skipAlert: value }), "skipAlert"));

  test.each(['"true"', '"false"', '""', '"yes"', "0", "1", "-1", "null", "[]", "[true]", "{}"])(
    "%s is no boolean (interface 2.1)",
    (value) => refuses(donationWith({ skipAlert: value }), "skipAlert", "type"),
  );
});
