import { expect, test } from "vitest";
import { withListing } from "./protocol.ts";

const listing = Buffer.from('[{"name":"get_me"}]');
const answered = (body: string) => ({ status: 200, headers: {}, body: Buffer.from(body) });

test("an answer with an empty list of tools gets the tools, at the place of the list", () => {
  const { body } = withListing(answered('{"result":{"tools":[],"nextCursor":null}}'), listing);
  expect(body.toString()).toBe('{"result":{"tools":[{"name":"get_me"}],"nextCursor":null}}');
});

test("an answer without a list of tools, such as an error, stays as it is", () => {
  const error = answered('{"error":{"code":-32603,"message":"Internal error"}}');
  expect(withListing(error, listing)).toBe(error);
});
