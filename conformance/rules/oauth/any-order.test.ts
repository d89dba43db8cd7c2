import fc from "fast-check";
import { beforeEach, test } from "vitest";
import { holds } from "../../suite/client/holds.ts";
import { needsClients } from "../../suite/client/oauth/oauth-client.ts";
import { type Command, commands, expectModel, type Grants } from "../../suite/models/grant-model.ts";

beforeEach(needsClients);

test("approvals, exchanges, refreshes, revocations and uses in any order leave good exactly the tokens that a plain model says", () =>
  holds(
    commands(),
    async (some: Iterable<Command>) => {
      const grants: Grants = [];
      await fc.asyncModelRun(() => ({ model: grants, real: {} }), some);
      await expectModel(grants);
    },
    { runs: 24, concurrency: 3 },
  ));
