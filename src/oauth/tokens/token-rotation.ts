// Exchanges refresh tokens for their successors, those that arrive together in one statement and one commit: a commit costs more than the
// rows that one rotation writes.

import type { Knex } from "knex";
import type { BatchedReads } from "../../db/batched-reads.ts";
import { preparedQuery } from "../../db/prepared-query.ts";

/** One use of a refresh token. `used` and `next`: SHA-256 of the token and of the one that would follow it. */
export type Rotation = Readonly<{ used: Buffer; next: Buffer; isConfidential: boolean }>;

/** `reused`: the token was rotated before, and the caller revokes its grant. `invalid`: unknown, expired, or its grant is revoked. */
export type RotationOutcome = "rotated" | "reused" | "invalid";

/** Rejects with the error of the database; whether the token was rotated is unknown if that was a lost connection. */
export type RotateToken = (rotation: Rotation) => Promise<RotationOutcome>;

type Row = { outcome: RotationOutcome };

/**
 * The function in the database checks each token under the lock of its grant: src/db/migrations/0012_rotate_refresh_token.sql. A statement for
 * many waits for no lock, so that a grant that is being revoked delays no others: a token without a row, whose grant is locked or which is
 * unknown, is used once more, alone.
 */
export function tokenRotation(knex: Knex, together: BatchedReads): RotateToken {
  return async ({ used, next, isConfidential }) => {
    const [row] = await together<Row>((bind) => {
      const token = bind(used, "bytea");
      return `select rotate_refresh_token(${token}, ${bind(next, "bytea")}, ${bind(isConfidential, "boolean")}) as outcome from (
        select from oauth_grants g where g.id = (select t.grant_id from oauth_refresh_tokens t where t.hash = ${token})
        for update skip locked) as unlocked`;
    });
    return row?.outcome ?? rotateAlone(knex, { used, next, isConfidential });
  };
}

const alone = { name: "rotate refresh token", text: "select rotate_refresh_token($1, $2, $3) as outcome" };

async function rotateAlone(knex: Knex, { used, next, isConfidential }: Rotation): Promise<RotationOutcome> {
  const [row] = await preparedQuery<Row>(knex, alone, [used, next, isConfidential]);
  return row?.outcome ?? "invalid";
}
