// Another streamer's objects, asked for with every operation that takes an id.

import { operations } from "../../harness/oracle/contract.ts";
import type { Attack } from "../arena.ts";
import { tally } from "../sockets.ts";

export const tenancy: readonly Attack[] = [
  {
    rule: "no operation finds another streamer's donation or alert by its id",
    run: async ({ url, keys }) => {
      const headers = { Authorization: `Bearer ${keys.neighbour}`, "Content-Type": "application/json" };
      const made = await fetch(`${url}/api/v1/donations`, { method: "POST", headers, body: '{"donatorName":"a","amount":1}' });
      const own = (await made.json()) as { data: { id: string } };
      const cells = operations.filter(({ path, scopes }) => scopes !== null && path.includes("{"));
      const foreign = { ...headers, Authorization: `Bearer ${keys.large}` };
      const statuses: number[] = [];
      for (const { method, path } of cells) {
        const address = `${url}${path.replace(/\{[^}]*\}/g, own.data.id)}`;
        const answer = await fetch(address, { method, headers: foreign, ...(method === "GET" ? {} : { body: "{}" }) });
        const text = await answer.text();
        if (answer.status !== 404 || text.includes("donatorName")) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
        statuses.push(answer.status);
      }
      return `${statuses.length} operations: ${tally(statuses)}`;
    },
  },
];
