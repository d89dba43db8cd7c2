// What every form of ours goes through before its handler sees it.

import { isOurOrigin } from "../http/base-url.ts";
import type { PageHandler, PageReply } from "../ui/serve-pages.ts";
import type { Transaction } from "./form-tokens.ts";
import type { PageParts } from "./page-deps.ts";
import { foreignFormPage, outOfDatePage } from "./pages/refusals.ts";
import type { Session } from "./sessions.ts";

export type Submission<Kind extends keyof Transaction> = Readonly<{
  session: Session;
  /** What the page sealed in. */
  content: Transaction[Kind];
  form: URLSearchParams;
  address: string;
}>;

type FormParts = Pick<PageParts, "site" | "sessions" | "transactions" | "limits">;

/** The rate limit that forms of a streamer count against, as one more credential of theirs. */
const formLimit = "control";

/** A handler for a form that one of our pages made for this session. Throws rate_limited. */
export function formHandler<Kind extends keyof Transaction>(
  { site, sessions, transactions, limits }: FormParts,
  kind: Kind,
  handle: (submission: Submission<Kind>) => Promise<PageReply>,
): PageHandler {
  return async ({ form, caller }) => {
    if (!isOurOrigin(caller, site)) return { status: 403, html: foreignFormPage(site) };
    const session = await sessions.open(caller.cookie);
    const transaction = transactions.open(kind, session, form.get("transaction"));
    if (!transaction) return { status: 400, html: outOfDatePage(site) };
    const streamerId = session.streamer?.id;
    if (streamerId !== undefined) await limits.spend(formLimit, `pages ${streamerId}`, { streamerId });
    return handle({ session, content: transaction.content, form, address: caller.address });
  };
}

/** On to a page of ours, or to an application. */
export function seeOther(location: string, cookies: readonly string[] = []): PageReply {
  return { status: 303, location, cookies };
}
