import pg from "pg";

export interface Presence {
  leave(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 4_000;
const PRESENCE = "donations presence";
const PAUSE_MS = { first: 1_000, longest: 10_000 };

/**
 * Keeps one idle connection open, so that others see this process even while its pools are empty.
 * Connects again when the connection is lost: to `url`, or where `revive` says when that does not work.
 */
export async function appear(url: string, revive: () => Promise<string>): Promise<Presence> {
  let client = await connect(url, PRESENCE);
  let left = false;
  let attempt: Promise<void> | undefined;
  const rejoin = async (pause: number) => {
    try {
      client = await connect(url, PRESENCE).catch(async () => connect(await revive(), PRESENCE));
      follow();
    } catch {
      again(Math.min(2 * pause, PAUSE_MS.longest));
    }
  };
  const again = (pause: number) => {
    const timer = setTimeout(() => {
      if (!left) attempt = rejoin(pause);
    }, pause);
    timer.unref();
  };
  const follow = () => client.once("end", () => left || again(PAUSE_MS.first));
  follow();
  return {
    leave: async () => {
      left = true;
      await attempt;
      await client.end().catch(() => {});
    },
  };
}

/** Whether the server at `url` is ready and is the one over `directory`, not a stranger on the same port. */
export async function answers(url: string, directory: string): Promise<boolean> {
  const answer = await ask<{ data_directory: string }>(url, "show data_directory");
  return answer?.data_directory === directory;
}

/** How many clients are connected; undefined when the server does not answer. */
export async function countOthers(url: string): Promise<number | undefined> {
  const answer = await ask<{ others: number }>(
    url,
    "select count(*)::int as others from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
  );
  return answer?.others;
}

async function ask<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row | undefined> {
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
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  });
  // Without a listener a dying socket would end the process.
  client.on("error", () => {});
  await client.connect();
  return client;
}
