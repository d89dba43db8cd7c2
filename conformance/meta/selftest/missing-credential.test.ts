// What a report says of a server that accepts donations without a credential.

import { expect, test } from "vitest";

import { conformance } from "./command.ts";
import { type Answer, always, serving, sound } from "./fakes.ts";

/** Judges the donation, whoever sends it. */
const open: Answer = (request, response, body) => {
  if (request.headers.authorization) sound(request, response, body);
  else always(body.includes('"amount":-1') ? 422 : 201)(request, response, body);
};

test("a server that accepts a donation without a credential is told that a refusal was expected", async () => {
  const words = ["--profile", "interface", "--only", "/^interface.authorization$/"];
  const { code, output } = await conformance(["--url", await serving(open), ...words]);
  expect([code, output]).toEqual([
    1,
    expect.stringContaining("a refusal (4xx) was expected without a valid credential, but the answer is 201"),
  ]);
});
