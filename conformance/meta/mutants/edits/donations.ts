// Recording, lists, search, export, imports and their undo: faults that no single wrong answer shows, as edits of the sources.

import type { Mutants } from "../mutant.ts";

export const donations: Mutants = {
  "key-of-any-application-at-once": {
    broken: "donations of two applications with one idempotency key are one while they are recorded together",
    edit: {
      file: "src/donations/record/attempt.ts",
      from: "`${streamerId}/${applicationId}/${idempotencyKey}`",
      to: "`${streamerId}/${idempotencyKey}`",
    },
    killedBy: [["donations/idempotency", /two applications in the same moment is two keys/]],
  },
  "keys-forgotten-after-a-month": {
    broken: "idempotency keys are forgotten after 30 days",
    edit: {
      file: "src/donations/record/attempt.ts",
      from: "rows = await state.insert(leadersOf(groups), skipLocked);",
      to: `await state.pool.raw("update donations set idempotency_key = null where idempotency_key is not null and received_at < now() - interval '30 days'");
    rows = await state.insert(leadersOf(groups), skipLocked);`,
    },
    killedBy: [["donations/idempotency", /kept for ever/]],
  },
  "last-500-keys": {
    broken: "of each streamer the last 500 idempotency keys are kept",
    edit: {
      file: "src/donations/record/attempt.ts",
      from: "rows = await state.insert(leadersOf(groups), skipLocked);",
      to: `await state.pool.raw("update donations set idempotency_key = null where idempotency_key is not null and sequence < (select last_sequence - 500 from streamers where id = streamer_id)");
    rows = await state.insert(leadersOf(groups), skipLocked);`,
    },
    killedBy: [["donations/import-donations", /of 1000 donations is recorded/]],
  },
  "replays-counted": {
    broken: "a replay counts again in reports and widgets, and plays nothing",
    edit: {
      file: "src/donations/handlers.ts",
      from: "if (created) return { status: 201, headers: { Location: location }, body: answer };",
      to: `if (created) return { status: 201, headers: { Location: location }, body: answer };
    await writer.record({ ...requested, id: crypto.randomUUID(), idempotencyKey: null, skipAlert: true });`,
    },
    killedBy: [["overlay/stream-widgets", /repeated under its idempotencyKey counts once/]],
  },
  "followers-created": {
    broken: "a repeated idempotency key is answered 201 while the first donation is being recorded",
    edit: {
      file: "src/donations/record/attempt.ts",
      from: "if (stored.id === donation.id) resolve(",
      to: "if (stored.id === group[0].donation.id) resolve(",
    },
    killedBy: [["donations/idempotency", /two equal concurrent donations/]],
  },
  "followers-unchecked": {
    broken: "a donation is not compared with the first one of its idempotency key while that is being recorded",
    edit: {
      file: "src/donations/record/attempt.ts",
      from: "else if (isSameDonation(donation, stored))",
      to: "else if (group.length > 1 || isSameDonation(donation, stored))",
    },
    killedBy: [["donations/idempotency", /two different concurrent donations/]],
  },
  "in-flight-twice": {
    broken: "two donations sent at once under one idempotency key are both recorded",
    edit: {
      file: "src/donations/record/attempt.ts",
      from: "`${streamerId}/${applicationId}/${idempotencyKey}`;",
      to: `\`\${streamerId}/\${applicationId}/\${idempotencyKey}\`;
    if (groups.has(name)) (entry.donation as { idempotencyKey: string | null }).idempotencyKey = null;
    if (groups.has(name)) groups.set(id, [entry]);
    if (groups.has(id)) continue;`,
    },
    killedBy: [["donations/idempotency", /100 concurrent donations/]],
  },
  "donators-by-name": {
    broken: "donators are grouped by name although they have an identifier",
    edit: { file: "src/donations/donation.ts", from: "if (identifier !== null) return", to: "if (identifier === null && false) return" },
    killedBy: [["reports/get-donation-stats", /equal identifiers are one donator/]],
  },
  "long-range-lists-void": {
    broken: "a list by amount of a range of thousands of donations contains the void ones",
    edit: {
      file: "src/donations/list/amount-page.ts",
      from: 'const isActive = filters.status === "active";',
      to: "const isActive = false;",
    },
    killedBy: [["reports/histories", /sorted by amount of a range of thousands/]],
  },
  "foreign-row": {
    broken: "a donation of any streamer can be read by its id",
    edit: {
      file: "src/donations/store.ts",
      from: 'where d.streamer_id = ${bind(streamerId, "uuid")} and d.id',
      to: 'where (d.streamer_id = ${bind(streamerId, "uuid")} or true) and d.id',
    },
    killedBy: [["donations/list-donations", /another streamer's donation is refused with donation_not_found/]],
  },
  "answers-of-another-application": {
    broken: "a cached list is sent to every application of the streamer",
    edit: { file: "src/donations/handlers.ts", from: "`${operation} ${applicationId} ${", to: "`${operation} ${" },
    killedBy: [["donations/repeated-questions", /see their own idempotency keys alone/]],
  },
  "page-skips": {
    broken: "donations of the same instant as the last one of a page are missing on the next page",
    edit: {
      file: "src/donations/list/index-scan.ts",
      from: 'return `(${column}, sequence) ${way} (${key}, ${bind(sequence, "bigint")})`;',
      to: 'return `(${column}) ${way} (${key}) and ${bind(sequence, "bigint")} > 0`;',
    },
    killedBy: [["donations/paging", /every donation once, in order/]],
  },
  "row-lost": {
    broken: "an export lacks the last donation of each batch",
    edit: {
      file: "src/donations/export/history.ts",
      from: "if (matches.length > 0) yield matches;",
      to: "if (matches.length > 1) yield matches.slice(0, -1);",
    },
    killedBy: [["donations/export-donations", /holds what the list holds/]],
  },
  "keys-in-the-file": {
    broken: "an export contains other applications' idempotency keys",
    edit: {
      file: "src/donations/export/history.ts",
      from: "case when d.application_id = ? then",
      to: "case when d.application_id = ? or true then",
    },
    killedBy: [["donations/export-donations", /hides another application's idempotency keys/]],
  },
  "skip-alert-ignored": {
    broken: "a donation with skipAlert raises an alert",
    edit: { file: "src/donations/record/record-statements.ts", from: "from ${stored} where not skip_alert", to: "from ${stored}" },
    killedBy: [["alerts/alert-queue", /skipAlert is not in the queue/]],
  },
  "names-of-the-seen": {
    broken: "names that differ in a zero-width character alone are one donator",
    edit: {
      file: "src/donations/donation.ts",
      from: "return foldText(name).trim()",
      to: 'return foldText(name).replace(/[\\u200b-\\u200d\\u2060]/g, "").trim()',
    },
    killedBy: [["reports/get-donation-stats", /a character that nobody sees are different donators/]],
  },
  "names-of-nothing": {
    broken: "all names of which nothing is left are one donator",
    edit: {
      file: "src/donations/donation.ts",
      from: "`n:${normaliseName(donatorName) || donatorName}`",
      to: "`n:${normaliseName(donatorName)}`",
    },
    killedBy: [["reports/get-donation-stats", /names of which nothing is left/]],
  },
  "search-across-members": {
    broken: "a search finds a text that begins in the name and ends in the message",
    edit: {
      file: "src/donations/search/search-text.ts",
      from: 'return searchedMembers.some((member) => foldPart(donation[member] ?? "").includes(term));',
      to: 'return foldPart(searchedMembers.map((member) => donation[member] ?? "").join(" ")).includes(term);',
    },
    killedBy: [["donations/search-donations", /no match reaches from one member into the next/]],
  },
  "key-across-streamers": {
    broken: "of two donations with one application and key that arrive together only one is recorded, though they are for two streamers",
    edit: {
      file: "src/donations/record/attempt.ts",
      from: "`${streamerId}/${applicationId}/${idempotencyKey}`",
      to: "`${applicationId}/${idempotencyKey}`",
    },
    killedBy: [["oauth/access-token", /a key for two streamers at the same moment/]],
  },
  "carriage-return-in-xml": {
    broken: "a carriage return is exported as it is, which every reader of XML turns into a line feed",
    edit: { file: "src/donations/export/workbook-xml.ts", from: "\\u000b-\\u001f", to: "\\u000b\\u000c\\u000e-\\u001f" },
    killedBy: [["donations/export-donations", /every text as XML reads it/]],
  },
  "search-oldest-first": {
    broken: "donations of the same instant are found in the order of recording",
    edit: {
      file: "src/donations/search/search.ts",
      from: "return b.createdAt - a.createdAt || b.sequence - a.sequence;",
      to: "return b.createdAt - a.createdAt || a.sequence - b.sequence;",
    },
    killedBy: [["donations/search-donations", /behind a long history/]],
  },
  "file-of-one-batch": {
    broken: "an export ends after 500 donations",
    edit: { file: "src/donations/export/history.ts", from: "rows.length === batchSize ||", to: "rows.length > batchSize ||" },
    killedBy: [["donations/export-donations", /more than a thousand donations/]],
  },
  "index-search-unfiltered": {
    broken: "what a search finds by its index is not filtered",
    edit: {
      file: "src/donations/search/search-store.ts",
      from: ") d where ${likelyBy(bind, term)} and ${afterConditionBy(bind, order, after)} and ${filterConditionBy(bind, filters)}`",
      to: ") d where ${likelyBy(bind, term)} and ${afterConditionBy(bind, order, after)} and (${filterConditionBy(bind, filters)} or true)`",
    },
    killedBy: [["donations/search-donations", /behind a long history obey the filters/]],
  },
  "amount-cursor-of-15-digits": {
    broken: "the cursor of a list by amount has fifteen digits of the last one",
    edit: {
      file: "src/donations/list/amount-page.ts",
      from: "{ value: last.amount, sequence",
      to: "{ value: String(Number(Number(last.amount).toPrecision(15))), sequence",
    },
    killedBy: [["donations/paging", /ordered and filtered as numbers/]],
  },
  "export-repeats-an-hour": {
    broken: "an export shows two instants as one date where clocks are set back",
    edit: { file: "src/donations/export/workbook-xml.ts", from: "if (!isSteady && isRepeated", to: "if (ms < first && isRepeated" },
    killedBy: [["donations/export-donations", /the same local time once more in America/]],
  },
};

export const imports: Mutants = {
  "import-files-of-the-year-2569": {
    broken: "Buddhist years of an imported file are read as years of the Common Era",
    edit: { file: "src/donations/import/files/times.ts", from: "const buddhistEra = 543;", to: "const buddhistEra = 0;" },
    killedBy: [["donations/import-donations", /Buddhist years, baht amounts and Thai names/]],
  },
  "import-goes-on-revoked": {
    broken: "an import of lines goes on after its credential was revoked",
    edit: { file: "src/donations/import/import-donations.ts", from: "!(await isStillAllowed(job)) || ", to: "" },
    killedBy: [["donations/undo-import", /whose credential is revoked ends after the lines before/]],
  },
  "undo-what-follows": {
    broken: "undoing an import voids every donation that was recorded after it began",
    edit: { file: "src/corrections/undo-import.ts", from: "sequence between r.first and r.last", to: "sequence >= least(r.first, r.last)" },
    killedBy: [["donations/undo-import", /and nothing else/]],
  },
  "undo-and-go-on": {
    broken: "donations are added to an import that was undone",
    edit: { file: "src/corrections/undo-import.ts", from: "await imports.markUndone(streamerId, importId);", to: "" },
    killedBy: [
      ["donations/undo-import", /that was undone is refused with import_undone/],
      ["donations/undo-import", /lines under way end/],
    ],
  },
  "undo-keeps-keys": {
    broken: "what an undo took back can't be imported again",
    edit: { file: "src/corrections/undo-import.ts", from: ", freesKeys: true", to: "" },
    killedBy: [["donations/undo-import", /records what the undo took back/]],
  },
  "undo-frees-every-key": {
    broken: "an undo frees the keys of donations that were void before as well",
    edit: {
      file: "src/corrections/undo-import.ts",
      from: "const voided = await voidAll(ranges);",
      to: `const voided = await voidAll(ranges);
  for (const { first, last } of ranges)
    await knex.raw("update donations set idempotency_key = null where streamer_id = ? and sequence between ? and ?", [streamerId, first, last]);`,
    },
    killedBy: [["donations/undo-import", /does not bring back what was void before/]],
  },
  "undo-of-every-streamer": {
    broken: "undoing an import ends the imports of other streamers with the same id",
    edit: {
      file: "src/donations/import/import-store.ts",
      from: "update imports set undone_at = now() where streamer_id = ? and id = ?",
      to: "update imports set undone_at = now() where ?::uuid is not null and id = ?",
    },
    killedBy: [["donations/undo-import", /leaves another streamer's import/]],
  },
};
