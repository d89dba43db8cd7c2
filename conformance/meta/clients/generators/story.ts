// What every generated client does: record a donation, read it, list two pages, be refused, export. Each adapter of generators/ calls `tell`.

import { randomUUID } from "node:crypto";

type Donation = { id: string; amount: number };

type NewDonation = { donatorName: string; amount: number; message?: string; idempotencyKey?: string };

type Page = { data: Donation[]; pagination: { nextCursor: string | null } };

/** What an adapter makes of a generated client. */
export type Client = {
  create: (donation: NewDonation) => Promise<Donation | undefined>;
  read: (id: string) => Promise<Donation | undefined>;
  list: (query: { limit: number; cursor?: string }) => Promise<Page | undefined>;
  /** Sends a donation that is refused; returns the code of the problem. */
  refuse: (donation: NewDonation) => Promise<unknown>;
  exportAll: () => Promise<Blob | undefined>;
};

/** Runs the steps against the server of API_URL, and prints what became of each: `{"create": "ok", …}`. */
export async function tell(connect: (url: string, key: string) => Client): Promise<void> {
  const { create, read, list, refuse, exportAll } = connect(process.env.API_URL ?? "", process.env.API_KEY ?? "");
  const recorded: Donation[] = [];
  const steps = {
    create: async () => {
      for (const amount of [123.45, 20]) {
        const donation = { donatorName: "สมชาย ใจดี", amount, message: "ขอบคุณครับ", idempotencyKey: randomUUID() };
        recorded.push(known(await create(donation)));
      }
    },
    read: async () => expectSame(known(await read(recorded[0]?.id ?? "")).amount, 123.45),
    list: async () => expectSame(known(await list({ limit: 1 })).data[0]?.id, recorded[1]?.id),
    "next page": async () => {
      const { nextCursor } = known(await list({ limit: 1 })).pagination;
      expectSame(known(await list({ limit: 1, cursor: nextCursor ?? "" })).data[0]?.id, recorded[0]?.id);
    },
    error: async () => expectSame(await refuse({ donatorName: "สมชาย", amount: 0 }), "validation_failed"),
    export: async () => {
      const bytes = Buffer.from(await known(await exportAll()).arrayBuffer());
      const directory = bytes.readUInt32LE(bytes.length - 6); // the end of a ZIP file names where its list of files begins
      expectSame(bytes.subarray(directory, directory + 4).toString("latin1"), "PK\u0001\u0002");
    },
  };
  const outcomes: Record<string, string> = {};
  for (const [step, take] of Object.entries(steps))
    outcomes[step] = await take().then(
      () => "ok",
      (error: Error) => error.message || String(error),
    );
  console.log(JSON.stringify(outcomes));
}

function known<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("the answer has no body");
  return value;
}

function expectSame(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected))
    throw new Error(`${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
}
