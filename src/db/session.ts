// Asserts the settings of a session after connecting. Start-up options would be refused by connection poolers such as PgBouncer, or dropped.
//
// Behind a pooler that shares server connections between transactions there are no sessions: a setting would stay on a server connection
// and be met by whoever gets it next. There each transaction begins with our settings, and each single statement is sent together with
// them, in one round trip.

import pg, { type Client, type QueryConfig } from "pg";

type SessionOptions = {
  /** Settings of PostgreSQL by name. Values are our own constants, never input. */
  settings: Readonly<Record<string, string>>;
  /** Undefined: named prepared statements are used unless there is a pooler. */
  preparedStatements?: boolean | undefined;
};

const pooled = new WeakSet<object>();
const unprepared = new WeakSet<object>();

/** Whether the server connection of this client may change from one transaction to the next. */
export const isPooled = (client: object): boolean => pooled.has(client);

/** Whether statements with a name stay prepared on this connection. */
export const keepsPrepared = (client: object): boolean => !unprepared.has(client);

/**
 * Sets a new connection up. A pooler is recognised by its process id, which is not that of the server process that answers: then the
 * settings of this statement end with it (`is_local`), and every later transaction brings its own. Rejects with the error of the database.
 */
export async function openSession(client: Client, { settings, preparedStatements }: SessionOptions): Promise<void> {
  const { rows } = await client.query<{ isOwn: boolean }>({
    text: `select pg_backend_pid() = $1::bigint as "isOwn", set_config(name, value, pg_backend_pid() is distinct from $1::bigint)
      from unnest($2::text[], $3::text[]) as settings(name, value)`,
    values: [processIdOf(client), Object.keys(settings), Object.values(settings)],
  });
  if (!rows[0]?.isOwn) pooled.add(client);
  if (!(preparedStatements ?? !isPooled(client))) unprepared.add(client);
  if (isPooled(client) || !keepsPrepared(client)) replaceQueries(client, isPooled(client) ? settings : {});
}

/** The process id that the server, or a pooler, told at the connection's start; null when it told none. */
export function processIdOf(client: Client): number | null {
  return (client as Client & { processID: number | null }).processID;
}

type Callback = (error: Error | null, result?: unknown) => void;
type Parts = [config: string | QueryConfig | SentQuery, values?: unknown[] | Callback, callback?: Callback];

function replaceQueries(client: Client, settings: SessionOptions["settings"]): void {
  const send = client.query.bind(client) as (...parts: Parts) => unknown;
  const sql = Object.keys(settings).length > 0 ? sqlOf(settings) : null;
  const replaced = (...parts: Parts): unknown => {
    const [config, values, callback] = parts;
    if (isSubmittable(config)) return send(...parts); // a cursor or a copy, inside a transaction
    const given = typeof config === "string" ? { text: config } : config;
    const query = new QueryWithSettings(keepsPrepared(client) ? given : { ...given, name: undefined }, values, callback);
    query.begin = () => (client.getTransactionStatus() === "I" ? sql : null);
    if (query.callback) return send(query);
    return new Promise((resolve, reject) => {
      query.callback = (error, result) => (error ? reject(error) : resolve(result));
      send(query);
    });
  };
  client.query = replaced as Client["query"];
}

const isSubmittable = (config: Parts[0]): config is SentQuery => typeof config !== "string" && "submit" in config;

/** The same settings, until the transaction ends: as a query, and as commands, which do not take the snapshot of a transaction. */
type SettingsSql = { query: string; commands: string };

function sqlOf(settings: SessionOptions["settings"]): SettingsSql {
  const entries = Object.entries(settings);
  return {
    query: `select ${entries.map(([name, value]) => `set_config('${name}', '${value}', true)`).join(", ")}`,
    commands: entries.map(([name, value]) => `set local ${name} = '${value}'`).join("; "),
  };
}

/** What we use of the connection of `pg`: one method for each message of the protocol. */
type Wire = {
  query(text: string): void;
  parse(message: { text: string }): void;
  bind(message: { values: unknown[] }): void;
  execute(message: object): void;
};

/** The class of `pg` that sends a statement and gathers its answer. Its published types lack most of it. */
type SentQuery = {
  text: string;
  callback?: Callback | undefined;
  requiresPreparation(): boolean;
  submit(connection: Wire): Error | null;
  prepare(connection: Wire): void;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Wire): void;
};

const Query = pg.Query as unknown as new (config: object, values: unknown, callback: unknown) => SentQuery;

/** Statements that PostgreSQL refuses to run together with others. */
const aloneOnly =
  /^(?:\s|--[^\n]*\n)*(vacuum|cluster|reindex|checkpoint|alter system|(create|drop) (database|tablespace)|(create|drop) index concurrently)\b/i;
const beginning = /^\s*(begin|start transaction)\b[^;]*(?=;?\s*$)/i;

/** A statement that is sent with the settings. The answers to these are left out of its result. */
class QueryWithSettings extends Query {
  /** Asked when the statement is sent: the settings to send with it, or null inside a transaction, which has them. */
  begin: () => SettingsSql | null = () => null;
  private settings: SettingsSql | null = null;
  /** Answers that belong to the settings: those up to the first completed command, or those after it. */
  private hidden: "none" | "first" | "rest" = "none";
  private completed = 0;

  override submit(connection: Wire): Error | null {
    this.settings = aloneOnly.test(this.text) ? null : this.begin();
    if (!this.settings) return super.submit(connection);
    const begin = beginning.exec(this.text)?.[0];
    this.hidden = begin === undefined ? "first" : "rest";
    if (begin !== undefined) connection.query(`${begin}; ${this.settings.commands}`);
    else if (this.requiresPreparation()) return super.submit(connection);
    else connection.query(`${this.settings.query}; ${this.text}`);
    return null;
  }

  /** Without a Sync message between them, both statements are one transaction (manual, 55.2.3). */
  override prepare(connection: Wire): void {
    if (this.settings) {
      connection.parse({ text: this.settings.query });
      connection.bind({ values: [] });
      connection.execute({});
    }
    super.prepare(connection);
  }

  override handleRowDescription(message: unknown): void {
    if (!this.isHidden()) super.handleRowDescription(message);
  }

  override handleDataRow(message: unknown): void {
    if (!this.isHidden()) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: Wire): void {
    const isHidden = this.isHidden();
    this.completed += 1;
    if (!isHidden) super.handleCommandComplete(message, connection);
  }

  private isHidden(): boolean {
    return this.hidden === (this.completed === 0 ? "first" : "rest");
  }
}
