// Erasures: faults that no single wrong answer shows, as edits of the sources.

import type { Mutants } from "../mutant.ts";

export const corrections: Mutants = {
  "void-twice": {
    broken: "voiding again tells of it again",
    edit: { file: "src/corrections/void-donations.ts", from: "donation.voided === null && may(donation)", to: "may(donation)" },
    killedBy: [["donations/void-donation", /no further effect/]],
  },
  "erasure-leaves-name": {
    broken: "an erasure leaves the donator's name",
    edit: {
      file: "src/corrections/erase-rows.ts",
      from: ' = ?`).join(", ");',
      to: ' = ?`).join(", ").replace("= ?", "= coalesce(d.donator_name, ?)");',
    },
    killedBy: [
      ["donations/erase-donator", /loses name, message, identifier and idempotency key/],
      ["donations/erase-donator", /donation.erased tells of each/],
    ],
  },
  "erasure-forgets-keys": {
    broken: "an idempotency key that is repeated after the erasure brings the person back",
    edit: {
      file: "src/corrections/erase-rows.ts",
      from: "erased_key = hash_of_key((select secret from erased_key_secret), d.application_id, d.idempotency_key)",
      to: "erased_key = null",
    },
    killedBy: [["donations/erase-donator", /repeated after the erasure is answered with the erased donation/]],
  },
  "erasure-splits-donators": {
    broken: "each erased donation counts as a donator of its own",
    edit: {
      file: "src/corrections/erase-rows.ts",
      from: "donator_key = t.key, idempotency_key",
      to: "donator_key = 'e:' || d.id, idempotency_key",
    },
    killedBy: [["donations/erase-donator", /not the number of donators/]],
  },
  "erasure-of-every-streamer": {
    broken: "a donator is erased from the donations of every streamer",
    edit: {
      file: "src/corrections/erase-rows.ts",
      from: "where d.streamer_id = ?::uuid and d.id = t.id`",
      to: "where ?::uuid is not null and d.donator_key = (select s.donator_key from donations s where s.id = t.id)`",
    },
    killedBy: [["donations/erase-donator", /touches no other streamer's donations/]],
  },
  "erasure-of-namesakes": {
    broken: "an erasure by name takes the name as an identifier, too",
    edit: {
      file: "src/corrections/erase-donator.ts",
      from: "[donatorKey(donatorName, null)]",
      to: '[donatorKey(donatorName, null), donatorKey("", donatorName)]',
    },
    killedBy: [["donations/erase-donator", /erasure by name erases the donations without an identifier/]],
  },
  "erasure-without-void": {
    broken: "an erasure leaves donations that are void",
    edit: {
      file: "src/corrections/eraser.ts",
      from: `sequence <= ? and donator_key = ?
`,
      to: `sequence <= ? and donator_key = ? and voided_at is null
`,
    },
    killedBy: [["donations/erase-donator", /takes donations that are void/]],
  },
  "erasure-of-a-thousand": {
    broken: "an erasure takes the first thousand donations of a donator",
    edit: {
      file: "src/corrections/eraser.ts",
      from: "erased.donations === targets.length ? end : last.sequence",
      to: "erased.donations === targets.length ? end : Math.max(end, last.sequence)",
    },
    killedBy: [["donations/erase-donator", /more than a thousand/]],
  },
  "erasure-leaves-answers": {
    broken: "what receivers of webhooks answered about an erased donation stays",
    edit: { file: "src/corrections/erase-rows.ts", from: "await forgetAnswers(transaction, streamerId, ids)];", to: "0];" },
    killedBy: [["donations/erase-donator", /receivers of webhooks answered/]],
  },
  "erased-key-of-every-streamer": {
    broken: "an idempotency key that was erased is used up for the client's other streamers, too",
    edit: {
      file: "src/donations/record/record-statements.ts",
      from: "select from donations e where e.streamer_id = ${row}.streamer_id and",
      to: "select from donations e where ${row}.streamer_id is not null and",
    },
    killedBy: [["donations/erase-donator", /idempotency keys of its streamer alone/]],
  },
  "erased-key-forgotten-in-a-crowd": {
    broken: "an idempotency key that was erased is looked for only when no other streamer's donation is recorded in the same statement",
    edit: { file: "src/donations/record/record-statements.ts", from: 'where ${isNew("n", "n")}', to: "where true" },
    killedBy: [["donations/erase-donator", /while another streamer's donations are recorded/]],
  },
};
