// Connections to the embedded PostgreSQL: the one that keeps it running, and short ones that ask about its state.

import pg from "pg";

type Presence = {
  end(): Promise<void>;
};

const connectTimeoutMs = 4_000;
const presenceName = "donations presence";
const reconnectPauseMs = { first: 1_000, max: 10_000 };

/**
 * Keeps one idle connection open, so that other processes see this one even while its pools are empty.
 * Connects again when the connection is lost: to `url`, or to the URL that `restart` returns when that fails.
 */
export async function keepPresence(url: string, restart: () => Promise<string>): Promise<Presence> {
  let client = await connect(url, presenceName);
  let isEnded = false;
  let attempt: Promise<void> | undefined;
  const reconnect = async (pauseMs: number) => {
    try {
      client = await connect(url, presenceName).catch(async () => connect(await restart(), presenceName));
      watchEnd();
    } catch {
      reconnectAfter(Math.min(2 * pauseMs, reconnectPauseMs.max));
    }
  };
  const reconnectAfter = (pauseMs: number) => {
    const timer = setTimeout(() => {
      if (!isEnded) attempt = reconnect(pauseMs);
    }, pauseMs);
    timer.unref();
  };
  const watchEnd = () => client.once("end", () => isEnded || reconnectAfter(reconnectPauseMs.first));
  watchEnd();
  return {
    end: async () => {
      isEnded = true;
      await attempt;
      await client.end().catch(() => {});
    },
  };
}

/** Whether the server at `url` is ready and is the one of `directory`, not another program on the same port. */
export async function isServerOf(url: string, directory: string): Promise<boolean> {
  const row = await queryRow<{ data_directory: string }>(url, "show data_directory");
  return row?.data_directory === directory;
}

/** How many other clients are connected; undefined when the server does not answer. */
export async function countOtherClients(url: string): Promise<number | undefined> {
  const row = await queryRow<{ others: number }>(
    url,
    "select count(*)::int as others from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
  );
  return row?.others;
}

async function queryRow<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row | undefined> {
  try {
    const client = await connect(url, "donations launcher");
    try {
      return (await client.query<Row>(sql)).rows[0];
    } finally {
      await client.end();
    }
  } catch {
    return undefined;
  }
}

async function connect(url: string, applicationName: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
  });
  // Without a listener an error of the socket would end the process.
  client.on("error", () => {});
  await client.connect();
  return client;
}
