// What a run against someone else's server must know in order to leave it as it was.

/** The streamers whose state the rules change, by the holder of their key with all scopes. */
export const protectedHolders = ["main", "other"] as const;

/** What the API lets a client change of a streamer, apart from donations and the alerts that wait. */
export type AlertState = {
  /** The members that `updateAlertSettings` takes. */
  settings: Record<string, unknown>;
  paused: boolean;
  /** Whether everything is hidden on stream. */
  hidden: boolean;
};

export type ProtectedStreamer = {
  holder: (typeof protectedHolders)[number];
  key: string;
  /** As the run found it; null: it could not be read. */
  found: AlertState | null;
  /** Why alerts, queue and settings are left alone; null: rules may change them. */
  refusal: string | null;
  /** File with what the suite has changed (client/protection/journal.ts). */
  journal: string;
};

export type Protection = {
  /** Sends nothing that may change anything (`--read-only`). */
  readOnly: boolean;
  /** Also where alerts wait that are not the suite's own (`--may-disturb-alerts`). */
  mayDisturbAlerts: boolean;
  streamers: ProtectedStreamer[];
};
