// A test that only the compiler runs (`make check`): each line below a directive must fail to compile, and the rest must pass.

import type { Handler, Handlers, OperationReply } from "./operations.ts";
import { Problem, refusal } from "./problem.ts";

declare const handlers: Handlers;
declare const found: OperationReply<"getDonation">;
const { getDonation: _left, ...withoutOne } = handlers;

// @ts-expect-error an operation without a handler
export const missingHandler: Handlers = withoutOne;

// @ts-expect-error a status that the contract does not have
export const wrongStatus: Handler<"getDonation"> = async () => ({ status: 201, body: found.body });

// @ts-expect-error a body without its members
export const wrongBody: Handler<"getDonation"> = async () => ({ status: 200, body: { data: { id: "x" } } });

// @ts-expect-error a 201 of createDonation without its Location
export const missingHeader: Handler<"createDonation"> = async () => ({ status: 201, body: found.body });

type Asked = Parameters<Handler<"createDonation">>[0]["body"];
// @ts-expect-error a member that the contract's body does not have
export const unknownMember = (body: Asked) => body.donator;

// @ts-expect-error a problem that the contract of the operation does not name
export const wrongProblem: Handler<"getMe"> = async () => refusal("donation_not_found", "");

// @ts-expect-error a problem of one operation, thrown for any
export const thrownProblem = () => new Problem("donation_not_found", "");

export const right: Handler<"getDonation"> = async ({ path }) => ({
  status: 200,
  body: { data: { ...found.body.data, id: path.donationId } },
});
export const defaultsAreFilledIn: Handler<"listDonations"> = async ({ query }) => ({
  status: 200,
  body: { data: [], pagination: { nextCursor: null, hasMore: false, limit: query.limit } },
});
export const refusalIsNamed: Handler<"getDonation"> = async () => refusal("donation_not_found", "");
