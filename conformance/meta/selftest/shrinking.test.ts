// What is tried once a value has broken a rule.

import fc from "fast-check";
import { expect, test } from "vitest";
import { holds } from "../../suite/client/holds.ts";
import { createTarget } from "../../suite/command/settings.ts";
import { useTarget } from "../../suite/values/target.ts";

const settings = { seed: 1, path: null, depth: "full", lengthUnit: "code-points", harMegabytes: 1, corpus: null, receiver: null } as const;
const served = { url: "http://127.0.0.1:9", keys: { main: "" }, client: null, operator: null, oauth: null } as never;

/** How many values are tried of a property that no value has. */
async function triesOf(titles: RegExp | undefined): Promise<number> {
  useTarget(createTarget({ ...settings, ...(titles && { titles }) }, served));
  let tries = 0;
  const failing = holds(
    fc.integer({ min: 1000, max: 2_000_000 }),
    async (value) => {
      tries += 1;
      expect(value).toBeLessThan(10);
    },
    { concurrency: 1 },
  );
  await expect(failing).rejects.toThrow("fails for");
  return tries;
}

test("a value that breaks a rule is shrunk", async () => expect(await triesOf(undefined)).toBeGreaterThan(1));

test("a further seed of a mutant, which runs rules by their titles, shrinks nothing", async () => expect(await triesOf(/a title/)).toBe(1));

test("the seed of a failure is short however often the value was shrunk, and repeats the failure", async () => {
  const failureOf = async (path: string | null): Promise<string> => {
    useTarget(createTarget({ ...settings, path }, served));
    const tooLong = (value: string): Promise<void> => (value.length > 7 ? Promise.reject(new Error("too long")) : Promise.resolve());
    const failing = holds(fc.string({ minLength: 300, maxLength: 600 }), tooLong, { concurrency: 1 });
    return failing.then(
      () => "",
      ({ message }: Error) => message,
    );
  };
  const first = await failureOf(null);
  const [, replay = ""] = /SEED='1:(.*?)'/.exec(first) ?? [];
  expect([first, replay.length]).toEqual([expect.stringContaining("too long"), expect.toSatisfy((length: number) => length <= 40)]);
  expect(await failureOf(replay)).toContain("too long");
});
