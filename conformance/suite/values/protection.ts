// What a run against someone else's server must know in order to leave it as it was.

/** The streamers whose state the rules change, by the holder of their key with all scopes. */
export const protectedHolders = ["main", "other"] as const;

export type ProtectedHolder = (typeof protectedHolders)[number];

/** What the API lets a client change of a streamer, apart from donations and the alerts that wait. */
export type AlertState = {
  /** The members that `updateAlertSettings` takes. */
  settings: Record<string, unknown>;
  paused: boolean;
  /** Whether everything is hidden on stream. */
  hidden: boolean;
};

export type ProtectedStreamer = {
  /** As the run found it; null: it could not be read. */
  found: AlertState | null;
  /** Why alerts, queue and settings are left alone; null: rules may change them. */
  refusal: string | null;
  /** File with the suite's own donations with an alert (own-alerts.ts). */
  ownAlerts: string;
  /** File with the settings that the suite has written since they were last put back, a JSON object a line. */
  ownSettings: string;
  /** File with the ids of the donations that the suite has recorded (own-donations.ts). */
  ownDonations: string;
  /** File with the webhooks and alert files that the suite has created (own-objects.ts). */
  ownObjects: string;
};

export type Protection = {
  /** Sends nothing that may change anything (`--read-only`). */
  readOnly: boolean;
  /** Also where alerts wait that are not the suite's own (`--may-disturb-alerts`). */
  mayDisturbAlerts: boolean;
  streamers: Partial<Record<ProtectedHolder, ProtectedStreamer>>;
};
