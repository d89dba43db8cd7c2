import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { checkout, node } from "../../suite/contract/sources.ts";
import { type Cluster, postgresPrograms, startCluster } from "../../suite/servers/cluster.ts";
import { withConnection } from "../../suite/servers/with-connection.ts";

// A PostgreSQL server with TLS, and certificates of an authority that is its own: what the operator's command line says of each wrong setting.

const run = promisify(execFile);
let folder = "";
let cluster: Cluster | null = null;

beforeAll(async () => {
  if ((await postgresPrograms()) === null) return;
  folder = await mkdtemp(join(tmpdir(), "namjai-tls-"));
  await run("sh", [join(checkout, "deploy/machine-certificates.sh"), "127.0.0.1"], { cwd: folder });
  const own = (file: string): string => join(folder, "127.0.0.1", file);
  if (process.getuid?.() === 0) await run("chown", ["-R", "postgres:postgres", folder]);
  const files = { ssl_cert_file: own("machine.crt"), ssl_key_file: own("machine.key"), ssl_ca_file: join(folder, "ca.crt") };
  cluster = await startCluster({ ssl: "on", ...files });
  const rules = ["hostssl postgres certified all cert", "hostssl all all all trust", "hostnossl all all all reject"];
  await writeFile(join(cluster.data, "pg_hba.conf"), `${rules.join("\n")}\n`);
  await withConnection(cluster.url, async (client) => {
    await client.query("create role certified login");
    await client.query("select pg_reload_conf()");
  });
}, 60_000);
afterAll(async () => {
  await cluster?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});
beforeEach((context) => void (cluster ?? context.skip("not run: there is no PostgreSQL in /usr/lib/postgresql")));

/** What the command line says on stderr with this behind the question mark of DATABASE_URL, else "served"; FOLDER is that of the certificates. */
async function answer(query: string, change: (url: string) => string = (url) => url): Promise<string> {
  const url = `${change(cluster?.url ?? "")}?${query.replaceAll("FOLDER", folder)}`;
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, DATABASE_URL: url, DATA_DIR: folder };
  return run(node, ["src/cli.ts", "streamers", "list"], { cwd: checkout, env }).then(
    ({ stderr }) => stderr || "served",
    (error: { stderr: string }) => error.stderr,
  );
}

const root = "sslrootcert=FOLDER/ca.crt";
const client = "sslcert=FOLDER/127.0.0.1/machine.crt&sslkey=FOLDER/127.0.0.1/machine.key";

test.each(["verify-full", "verify-ca", "require"])("sslmode=%s serves with the authority's certificate, and not without", async (mode) => {
  expect(await answer(`sslmode=${mode}&${root}`)).toBe("served");
  expect(await answer(`sslmode=${mode}`)).toContain("name the file of its authority's certificate in sslrootcert behind DATABASE_URL");
});

test("sslmode=no-verify is encrypted, whoever has signed", async () => expect(await answer("sslmode=no-verify")).toBe("served"));

test("sslcert and sslkey serve beside sslrootcert", async () => {
  expect(await answer(`sslmode=verify-full&${root}&${client}`)).toBe("served");
});

test.each([
  ["sslmode=disable", "The server takes encrypted connections alone: add sslmode=verify-full to DATABASE_URL"],
  ["sslmode=sometimes", 'DATABASE_URL: sslmode must be one of disable, no-verify, require, verify-ca, verify-full, not "sometimes"'],
  ["ssl=perhaps", 'DATABASE_URL: ssl must be true, 1 or 0, not "perhaps"'],
  ["sslrootcert=FOLDER/none.crt", "DATABASE_URL: sslrootcert, the file"],
  [`sslmode=verify-full&${root}&sslcert=FOLDER/127.0.0.1/machine.crt`, "DATABASE_URL: sslcert and sslkey"],
])("%s is refused by a sentence that names the setting", async (query, sentence) => {
  expect(await answer(query)).toContain(sentence);
});

test("a certificate for another name than that in DATABASE_URL is refused, which is said", async () => {
  const said = await answer(`sslmode=verify-full&${root}`, (url) => url.replace("127.0.0.1", "localhost"));
  expect(said).toContain("The server's certificate is for another name than DATABASE_URL");
});

test("a server that asks for a client's certificate: what is missing is said", async () => {
  const said = await answer(`sslmode=verify-full&${root}`, (url) => url.replace("postgres@", "certified@"));
  expect(said).toContain("The server asks for a certificate of the client: name its files in sslcert and sslkey behind DATABASE_URL");
});

test("a server without TLS is named as such", async () => {
  const plain = await startCluster();
  const said = await answer("sslmode=require", () => plain.url);
  await plain.stop();
  expect(said).toContain("DATABASE_URL asks for an encrypted connection, and the server has none");
});
