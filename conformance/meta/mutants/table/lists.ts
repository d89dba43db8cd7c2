// Mutants of lists, search and cursors.

import { inSchema } from "../contract-edit.ts";
import { cacheAnswers, changeAnswer, changeJson, isCreation } from "../interceptors.ts";
import type { Mutants } from "../mutant.ts";
import type { ProxiedRequest } from "../proxy.ts";

const lists = ({ method, path }: ProxiedRequest): boolean => method === "GET" && path.startsWith("/api/v1/donations");

export const listsAndSearch: Mutants = {
  "tenants-cached": {
    broken: "a cache gives one streamer's lists to another",
    interceptor: cacheAnswers((request) => (lists(request) ? request.path : null), 1_000),
    killedBy: [["donations/two-streamers", /reads all of its own donations/]],
  },
  "page-shuffled": {
    broken: "the donations of a page are in reverse order",
    interceptor: changeAnswer((answer, request) => (lists(request) ? changeJson(answer, backwards) : answer)),
    killedBy: [["donations/paging", /in order/]],
  },
  "tests-listed": {
    broken: "lists contain test donations by default",
    edit: inSchema("DonationFilters.source", '"native"', '"native", "test"'),
    killedBy: [["donations/list-donations", /tests are not/]],
  },
  "written-twice": {
    broken: "a gateway sends a request twice when its answer is slow",
    interceptor: () => async (request, send) => {
      const first = await send(request);
      return isCreation(request) && first.status === 201 ? send(request) : first;
    },
    killedBy: [["donations/list-donations", /streamer and of no other/]],
  },
  "list-of-19": {
    broken: "a page has 19 donations unless limit is sent",
    edit: inSchema("PageParameters.limit", '"default": 20', '"default": 19'),
    killedBy: [["donations/list-donations", /limit is 20 unless/]],
  },
};

function backwards(value: unknown): unknown {
  const { data, ...others } = value as { data: unknown };
  return Array.isArray(data) ? { ...others, data: data.toReversed() } : value;
}
