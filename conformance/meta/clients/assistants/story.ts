// What every assistant does once a streamer has approved it. It prints what became of each step, and ends the program.

type Assistant = {
  tools: () => Promise<{ name: string }[]>;
  call: (name: string, values: object) => Promise<{ structuredContent?: { data: { amount: number } } }>;
  /** Of one whose tokens can be reached. */
  expire?: () => void;
};

export async function tell(connect: () => Promise<Assistant>) {
  const outcomes: Record<string, string> = {};
  let assistant: Assistant;
  const steps = {
    "register and be approved": async () => void (assistant = await connect()),
    "list tools": async () => {
      const tools = await assistant.tools();
      if (!tools.some(({ name }) => name === "create_donation")) throw new Error(`${tools.length} tools`);
    },
    "record a donation": async () => {
      const donation = { donatorName: "สมชาย", amount: 123.45, idempotencyKey: crypto.randomUUID() };
      const { structuredContent } = await assistant.call("create_donation", donation);
      if (structuredContent?.data.amount !== 123.45) throw new Error(JSON.stringify(structuredContent));
    },
    refresh: async () => {
      if (!assistant.expire) return "– its tokens are its own";
      assistant.expire();
      await assistant.call("list_donations", { limit: 1 });
    },
  };
  for (const [step, take] of Object.entries(steps))
    outcomes[step] = await take().then(
      (outcome) => outcome ?? "ok",
      (error) => error.message || String(error),
    );
  console.log(JSON.stringify(outcomes));
  process.exit();
}
