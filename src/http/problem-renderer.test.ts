import { expect, test } from "vitest";
import { noteSent } from "../db/failures.ts";
import { silent } from "../db/testing.ts";
import { asProblem } from "./problem-renderer.ts";

const lost = () => Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });

test("a database that can't be reached is unavailable, and nothing was recorded", () => {
  expect(asProblem(lost(), "r1", silent)).toMatchObject({ code: "unavailable", message: expect.stringContaining("nothing was recorded") });
});

test("a commit whose answer was lost is no 503, which would mean that nothing was recorded", () => {
  const error = lost();
  noteSent(error, "commit");
  expect(asProblem(error, "r1", silent)).toMatchObject({ code: "internal_error", message: expect.stringContaining("it is unknown") });
});

test("a read whose answer was lost is unavailable, although its statement had been sent", () => {
  const error = lost();
  noteSent(error, "statement");
  expect(asProblem(error, "r1", silent)).toMatchObject({ code: "unavailable" });
});
