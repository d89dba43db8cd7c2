// The moderators' page: opened with a key in the address's fragment, as the overlay's pages are. No login, no cookie, nothing secret in it.

import { readFileSync } from "node:fs";
import type { PageHandler } from "../../ui/serve-pages.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { moderatePage } from "./moderate-page.ts";

/** GET /moderate */
export const showModerate =
  ({ accounts }: Pick<StudioDeps, "accounts">): PageHandler =>
  async () => ({ status: 200, html: moderatePage(accounts.site), scripted: true });

/** GET /moderate/moderate.js */
export const showModerateScript: PageHandler = async () => ({ status: 200, javascript: script });

const script = readFileSync(new URL("moderate.js", import.meta.url), "utf8");
