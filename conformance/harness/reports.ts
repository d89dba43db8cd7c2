import { expect } from "vitest";

import type { components } from "../../generated/api.d.ts";
import { create, type Donation, type Query, recorded } from "./api.ts";
import { dayOf, dayText } from "./calendar.ts";
import { type Reply, type Request, send } from "./client.ts";
import { type Body, donation } from "./donations.ts";
import { cli } from "./operator.ts";
import type { Operator } from "./target.ts";

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

/** Some days in a row, far from anything else that is recorded: nobody else's donations lie there. In texts `YYYY-MM-DD`. */
export function quietDays(count: number): string[] {
  const first = 1_000_000 + Math.floor(Math.random() * 2_000_000); // from 0000-01-01, the years 2738 to 8214
  return Array.from({ length: count }, (_, index) => dayText(dayOf(first + index) ?? { year: 0, month: 0, day: 0 }));
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
