// Mutants of erasures.

import type { Edit, Mutants } from "../mutant.ts";

const inErasure = (file: string, from: string, to: string): Edit => ({ file: `src/corrections/erasure/${file}.ts`, from, to });

export const erasures: Mutants = {
  "erasure-leaves-name": {
    broken: "an erasure leaves the donator's name",
    edit: inErasure("erase-rows", ' = ?`).join(", ");', ' = ?`).join(", ").replace("= ?", "= coalesce(d.donator_name, ?)");'),
    killedBy: [
      ["donations/erase-donator", /loses name, message, identifier and idempotency key/],
      ["donations/erase-donator", /donation.erased tells of each/],
    ],
  },
  "erasure-forgets-keys": {
    broken: "an idempotency key that is repeated after the erasure brings the person back",
    edit: inErasure(
      "erase-rows",
      "erased_key = hash_of_key((select secret from erased_key_secret), d.application_id, d.idempotency_key)",
      "erased_key = null",
    ),
    killedBy: [["donations/erase-donator", /repeated after the erasure is answered with the erased donation/]],
  },
  "erasure-merges-donators": {
    broken: "all donators who were erased count as one",
    edit: { file: "src/reports/removal/donator-numbers.ts", from: "c.new || '.' || r.donator as new", to: "'e:' as new" },
    killedBy: [["donations/erase-donator", /not the number of donators/]],
  },
  "erasure-splits-donators": {
    broken: "each erased donation counts as a donator of its own",
    edit: inErasure("erase-rows", "donator_key = t.key, idempotency_key", "donator_key = 'e:' || d.id, idempotency_key"),
    killedBy: [["donations/erase-donator", /not the number of donators/]],
  },
  "erasure-of-every-streamer": {
    broken: "a donator is erased from the donations of every streamer",
    edit: inErasure(
      "erase-rows",
      "where d.streamer_id = ?::uuid and d.id = t.id`",
      "where ?::uuid is not null and d.donator_key = (select s.donator_key from donations s where s.id = t.id)`",
    ),
    killedBy: [["donations/erase-donator", /touches no other streamer's donations/]],
  },
  "erasure-dry-run-erases": {
    broken: "a dry run erases",
    edit: inErasure(
      "handler",
      "donations: (await eraser.count(streamerId, keys)).donations }",
      "donations: (await eraser.erase(streamerId, keys)).donations }",
    ),
    killedBy: [["donations/erase-donator", /dry run of an erasure counts/]],
  },
  "erasure-of-namesakes": {
    broken: "an erasure by name takes the name as an identifier, too",
    edit: inErasure("handler", "[donatorKey(donatorName, null)]", '[donatorKey(donatorName, null), donatorKey("", donatorName)]'),
    killedBy: [["donations/erase-donator", /erasure by name erases the donations without an identifier/]],
  },
  "erasure-of-names-by-identifier": {
    broken: "an erasure by identifier takes the identifier as a name, too",
    edit: inErasure("handler", '[donatorKey("", identifier)]', '[donatorKey("", identifier), donatorKey(identifier, null)]'),
    killedBy: [["donations/erase-donator", /leaves whoever has that text as a name/]],
  },
  "erasure-by-identifier-alone": {
    broken: "an erasure by identifier and name erases by the identifier alone",
    edit: inErasure("handler", "(donatorName === undefined ?", "(donatorName === undefined || identifier !== undefined ?"),
    killedBy: [["donations/erase-donator", /one by both erases both/]],
  },
  "erasure-without-void": {
    broken: "an erasure leaves donations that are void",
    edit: inErasure("eraser", "sequence <= ? and donator_key = ?\n", "sequence <= ? and donator_key = ? and voided_at is null\n"),
    killedBy: [["donations/erase-donator", /takes donations that are void/]],
  },
  "erasure-of-a-thousand": {
    broken: "an erasure takes the first thousand donations of a donator",
    edit: inErasure(
      "eraser",
      "erased.donations === targets.length ? end : last.sequence",
      "erased.donations === targets.length ? end : Math.max(end, last.sequence)",
    ),
    killedBy: [["donations/erase-donator", /more than a thousand/]],
  },
  "erasure-leaves-answers-to-other-events": {
    broken: "what receivers of webhooks answered to other events of an erased donation than donation.created stays",
    edit: {
      file: "src/events/erased.ts",
      from: "[streamerId, [...donationIds, ...rows.map(({ id }) => id)]]",
      to: "[streamerId, [...donationIds, ...rows.map(() => donationIds[0])]]",
    },
    killedBy: [["donations/erase-donator", /answered to each type of event/]],
  },
  "erasure-leaves-answers": {
    broken: "what receivers of webhooks answered about an erased donation stays",
    edit: inErasure("erase-rows", "await effects.forgetAnswers(transaction, streamerId, ids)];", "0];"),
    killedBy: [["donations/erase-donator", /receivers of webhooks answered/]],
  },
};
