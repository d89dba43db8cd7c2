// The operation importDonations: a list of donations, or lines of them, each validated and answered on its own.

import { newId } from "../../db/ids.ts";
import { isBodyLines, linesType } from "../../http/body/body-lines.ts";
import type { Authenticator } from "../../http/guards.ts";
import type { Handler, Principal } from "../../http/operations.ts";
import { openAnswer } from "./answer-lines.ts";
import type { ImportStore } from "./import-store.ts";
import type { Importer } from "./importer.ts";
import type { CheckItem } from "./outcomes.ts";
import { importUndone } from "./record-import.ts";
import { recordItems } from "./record-items.ts";
import type { StreamSlot } from "./stream-slots.ts";

export type ImportDeps = {
  importer: Pick<Importer, "record">;
  imports: Pick<ImportStore, "start">;
  checkItem: CheckItem;
  /** Takes tokens of the rate limit, one for each donation, and returns the headers that say what is left. Throws rate_limited. */
  takeTokens: (principal: Principal, tokens: number) => Promise<Readonly<Record<string, string>>>;
  /** Admits a stream of lines. Throws rate_limited. */
  admit: (streamerId: string) => StreamSlot;
  /** Asked again for each group of lines, because a credential may be revoked while they are sent. */
  authenticator: Pick<Authenticator, "recall" | "verify">;
  /** Aborted when the server stops: no further line is read. */
  leaving: AbortSignal;
};

export type ImportJob = ImportDeps & Readonly<{ principal: Principal; authorization: string | undefined; importId: string }>;

export const importDonations =
  (deps: ImportDeps): Handler<"importDonations"> =>
  async ({ query, body, caller: { authorization } }, principal) => {
    const importId = query.importId ?? newId();
    const job = { ...deps, principal, authorization, importId };
    const headers = { "Import-Id": importId };
    const begin = () => deps.imports.start(principal.streamerId, importId);
    if (isBodyLines(body)) return (await begin()) ? { status: 200, headers, type: linesType, body: openAnswer(job, body) } : importUndone;
    const further = body.donations.length - 1; // the request itself has taken one token
    const transport = further > 0 ? await deps.takeTokens(principal, further) : {};
    if (!(await begin())) return importUndone;
    const items = body.donations.map((value, index) => ({ index, value }));
    return { status: 200, headers, transport, body: { data: { importId, outcomes: await recordItems(job, items) } } };
  };
