// Asks for reports of days on which only the rule has donated.

import { expect } from "vitest";

import type { components } from "../../../generated/api.d.ts";
import { create, type Donation, list, pageOf, type Query, recorded } from "../client/api.ts";
import { send } from "../client/http-client.ts";
import { cli } from "../client/operator.ts";
import { dayOf, dayText } from "../contract/calendar.ts";
import type { Reply, Request } from "../contract/http-request.ts";
import { type Body, donation } from "../values/donations.ts";
import type { Operator } from "../values/target.ts";

type Schemas = components["schemas"];
export type Reports = {
  stats: Schemas["DonationStats"];
  "top-donators": Schemas["TopDonators"];
  breakdown: Schemas["ChannelBreakdown"];
  "trends/amount": Schemas["AmountTrends"];
  "trends/count": Schemas["CountTrends"];
};
type Options = Omit<Request, "path" | "body">;

export const askReport = (name: keyof Reports, query: Query = {}, options: Options = {}): Promise<Reply> => {
  const pairs = Object.entries(query).flatMap(([key, value]) => [value].flat().map((one): [string, string] => [key, String(one)]));
  return send({ path: `/api/v1/donations/${name}?${new URLSearchParams(pairs)}`, ...options });
};

/** The report's `data`. */
export async function report<Name extends keyof Reports>(name: Name, query: Query = {}, options: Options = {}): Promise<Reports[Name]> {
  const reply = await askReport(name, query, options);
  expect(reply.status, reply.text).toBe(200);
  return (reply.body as { data: Reports[Name] }).data;
}

const usedDays = new Set<number>();

/** Some days in a row that nobody else in this file was given. In texts `YYYY-MM-DD`. */
function ownDays(count: number): string[] {
  const first = 1_000_000 + Math.floor(Math.random() * 2_000_000); // from 0000-01-01, the years 2738 to 8214
  const numbers = Array.from({ length: count }, (_, index) => first + index);
  if (numbers.some((number) => usedDays.has(number))) return ownDays(count);
  for (const number of numbers) usedDays.add(number);
  return numbers.map((number) => dayText(dayOf(number) ?? { year: 0, month: 0, day: 0 }));
}

/** Some days in a row on which, as the server says, nothing has ever been donated: rules about dates donate on any day. In texts `YYYY-MM-DD`. */
export async function emptyDays(count: number): Promise<string[]> {
  const days = ownDays(count + 2); // days begin elsewhere in other time zones
  const page = await list({ from: days[0] ?? "", to: days.at(-1) ?? "", limit: 1, source: ["external", "native", "test"] });
  return pageOf(page).data.length === 0 ? days.slice(1, -1) : emptyDays(count);
}

/** Records a donation at this instant, without an alert. */
export const at = async (createdAt: string, members: Body = {}): Promise<Donation> =>
  recorded(await create(donation({ createdAt, skipAlert: true, ...members })));

/** One that did not come through the API. */
export const nativeAt = (operator: Operator, createdAt: string, channel: string, amount: number, source = "native"): Promise<string> =>
  cli(
    operator,
    ...`donations add --streamer ${operator.handle} --source ${source} --channel ${channel} --amount ${amount} --created-at ${createdAt}`.split(
      " ",
    ),
  );
