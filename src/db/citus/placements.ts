// Where each table is kept in a database that Citus distributes over several nodes. Why: docs/decisions/0023-citus.md.

/**
 * `by`: the column by which rows are distributed; those of one streamer are on one node, in every such table. `key`: the primary key there,
 * where the one of a single node lacks that column.
 */
export type Placement = Readonly<{ by: string; key?: readonly string[] }> | CentralPlacement;

/**
 * `coordinator, atomic`: on the coordinator and known to Citus, which commits changes of such a table and of a node in two phases: both, or
 * neither. Citus does not know the others of the coordinator.
 */
type CentralPlacement = "every node" | "coordinator" | "coordinator, atomic";

const byStreamer = { by: "streamer_id" } as const;

/** Every table. A table comes after those that it refers to. */
export const placements: Readonly<Record<string, Placement>> = {
  // What grows with donations, and what is written with them: statements about one streamer, on one node.
  streamers: { by: "id" },
  donations: byStreamer,
  alerts: byStreamer,
  report_progress: byStreamer,
  report_donators: byStreamer,
  report_sums: byStreamer,
  report_donator_sums: byStreamer,
  report_donator_counts: byStreamer,
  report_classes: byStreamer,
  report_amounts: byStreamer,
  donation_search_blocks: byStreamer,
  donation_search_eras: byStreamer,
  overlays: byStreamer,
  overlay_absences: byStreamer,
  overlay_pages: byStreamer,
  playbacks: { by: "streamer_id", key: ["streamer_id", "id"] },
  held_alerts: byStreamer,
  events: byStreamer,
  goal_watches: byStreamer,
  timers: byStreamer,
  timer_donations: byStreamer,
  timer_adjustments: byStreamer,
  donator_notes: byStreamer,
  imports: byStreamer,
  import_batches: byStreamer,

  // Read by statements about one streamer, and never changed.
  erased_key_secret: "every node",

  // Written in one transaction with what is on a node.
  audit_chains: "coordinator, atomic",
  audit_log: "coordinator, atomic",
  erasures: "coordinator, atomic",

  // Found without knowing the streamer, or few. A write is one transaction on one node, and needs no other node.
  streamer_handles: "coordinator",
  applications: "coordinator",
  api_keys: "coordinator",
  overlay_keys: "coordinator",
  credential_changes: "coordinator",
  shared_secrets: "coordinator",
  streamer_passwords: "coordinator",
  first_steps: "coordinator",
  streamer_preferences: "coordinator",
  sessions: "coordinator",
  oauth_clients: "coordinator",
  oauth_client_secrets: "coordinator",
  oauth_grants: "coordinator",
  oauth_codes: "coordinator",
  oauth_refresh_tokens: "coordinator",
  denials: "coordinator",
  signing_keys: "coordinator",
  event_tickets: "coordinator",
  webhook_workers: "coordinator",
  webhook_endpoints: "coordinator",
  webhook_deliveries: "coordinator",
  speech_audio: "coordinator",
  alert_files: "coordinator",
  streaming_categories: "coordinator",
  schema_migrations: "coordinator",
};

/** Functions that run on the node of the streamer who is their first argument. */
export const functionsOfStreamers: readonly string[] = ["find_search_blocks(uuid, int4[], integer, bigint, bigint, bigint, integer)"];

/** Functions of ours that statements on other nodes call. Those of triggers come along with their tables. */
export const functionsOnNodes: readonly string[] = [
  "from_millis(bigint)",
  "to_millis(timestamptz)",
  "amount_class(numeric)",
  "source_bit(text)",
  "uuid_v7()",
  "hash_of_key(bytea, uuid, text)",
];
