// What the studio needs of other folders; app.ts passes it in. What each subject needs stands in the subject's folder.

import type { Bounds } from "../http/contract/bounds.ts";
import type { Scope } from "../http/operations.ts";
import type { Accounts } from "../ui/accounts.ts";
import type { SelfService } from "./account/account-deps.ts";
import type { Alerts } from "./alerts/alerts-deps.ts";
import type { ApiKeys } from "./api-keys/api-keys-deps.ts";
import type { Apps } from "./apps/apps-deps.ts";
import type { Voices } from "./components/voice-field.ts";
import type { AlertFiles } from "./designer/alert-files-deps.ts";
import type { History } from "./donations/donations-deps.ts";
import type { Imports } from "./imports/imports-deps.ts";
import type { Reports } from "./money/reports-deps.ts";
import type { OverlayKeys } from "./overlay/overlay-keys-deps.ts";
import type { Privacy } from "./privacy/privacy-deps.ts";
import type { Webhooks } from "./webhooks/webhooks-deps.ts";

export type SpokenSample = Readonly<{ donatorName: string; amount: number; message: string; voice?: string | null }>;

export type StudioDeps = Readonly<{
  accounts: Accounts;
  selfService: SelfService;
  alerts: Alerts;
  reports: Reports;
  history: History;
  overlayKeys: OverlayKeys;
  apiKeys: ApiKeys;
  apps: Apps;
  webhooks: Webhooks;
  imports: Imports;
  privacy: Privacy;
  alertFiles: AlertFiles;
  speech: Readonly<{
    state: () => Promise<Voices["state"]>;
    /** None where alerts are not spoken, or by an engine that names none. */
    voices: () => Promise<Voices["named"]>;
    /**
     * Speaks a text as an alert's. Without `voice` it is that of the settings, with null the server's. Null: the engine fails or is slow, or the
     * streamer's quota is used up. Throws rate_limited.
     */
    sample: (streamerId: string, text: SpokenSample) => Promise<Readonly<{ mime: string; bytes: Buffer }> | null>;
  }>;
  /** All scopes of the contract. */
  scopes: readonly Scope[];
  /** The bounds that the contract gives a member of a schema. */
  bounds: (schema: string, member: string) => Bounds;
  now: () => number;
}>;
