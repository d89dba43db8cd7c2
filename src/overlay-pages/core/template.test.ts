import { expect, test } from "vitest";
import { fillTemplate } from "./template.ts";

const values = { name: "{message}", amount: "฿100" };

test("name and amount of the donation stand where the template has them, and the message divides it in two", () =>
  expect(fillTemplate("{name} gave {amount}! {message} Thanks {name}", values)).toEqual({
    head: [
      { kind: "name", text: "{message}" },
      { kind: "text", text: " gave " },
      { kind: "amount", text: "฿100" },
      { kind: "text", text: "!" },
    ],
    hasMessage: true,
    tail: [
      { kind: "text", text: "Thanks " },
      { kind: "name", text: "{message}" },
    ],
  }));

test("a template without {message} shows no message, also when the donator is called {message}", () =>
  expect(fillTemplate("{name}", values)).toEqual({ head: [{ kind: "name", text: "{message}" }], hasMessage: false, tail: [] }));

test("a template of {message} alone has neither head nor tail, and shows the message once", () =>
  expect(fillTemplate(" {message} {message} ", values)).toEqual({ head: [], hasMessage: true, tail: [] }));
