import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { checkout, node } from "../../suite/contract/sources.ts";
import { type Cluster, postgresPrograms, startCluster, withConnection } from "../../suite/servers/cluster.ts";
import { freePort, startServer } from "../../suite/servers/start-server.ts";
import { needsProgram } from "./operations-book.ts";

const read = (file: string): string => readFileSync(join(checkout, file), "utf8");

const run = promisify(execFile);

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "namjai-deploy-"));
  await chmod(folder, 0o755);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the Containerfile", () => {
  const lines = read("deploy/Containerfile").replaceAll("\\\n", " ").split("\n");
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")));
  const instructed = (instruction: string): string =>
    last
      .find((line) => line.startsWith(`${instruction} `))
      ?.slice(instruction.length)
      .trim() ?? "";

  test("its image does not run as root, and its check asks whether the server is ready", () => {
    expect(instructed("USER")).toBe("node");
    expect(last.join("\n")).toMatch(/^HEALTHCHECK .*\/readyz/m);
  });

  test("the server serves from the files that the image has, and the health check finds it ready", async () => {
    const copied = last.filter((line) => /^COPY (?!--from)/.test(line)).flatMap((line) => line.split(" ").slice(1, -1));
    const [home, data] = [join(folder, "home"), join(folder, "data")];
    mkdirSync(home);
    for (const name of copied)
      cpSync(join(checkout, name), join(home, name), { recursive: true, filter: (file) => !file.endsWith(".test.ts") });
    symlinkSync(join(checkout, "node_modules"), join(home, "node_modules"));
    const [port, url] = await freePort().then((free) => [String(free), `http://127.0.0.1:${free}`] as const);
    const env = {
      PATH: process.env.PATH ?? "",
      HOST: "127.0.0.1",
      PORT: port,
      DATA_DIR: data,
      NODE_COMPILE_CACHE: join(folder, "compiled"),
    };
    const server = await startServer(url, env, { log: join(folder, "server.log"), quiet: true, code: home });
    const [, check] = JSON.parse(instructed("HEALTHCHECK").replace(/^.*?CMD /, "")).slice(1) as string[];
    await expect(run(node, ["-e", check ?? ""], { env })).resolves.toBeDefined();
    expect((await fetch(`${url}/overlay/goal`)).status).toBe(200);
    await server.stop();
    await expect(run(node, ["-e", check ?? ""], { env })).rejects.toMatchObject({ code: 1 });
  });

  test("its build context has every file that it copies, and no secrets, data or tests", () => {
    const allowed = read(".dockerignore")
      .split("\n")
      .filter((line) => line.startsWith("!"))
      .map((line) => line.slice(1));
    const copied = lines.filter((line) => /^COPY (?!--from)/.test(line)).flatMap((line) => line.split(" ").slice(1, -1));
    expect(read(".dockerignore").split("\n")[0]).toBe("*");
    expect([...new Set(copied)].sort()).toEqual(allowed.sort());
  });
});

type Service = { environment: Record<string, string>; secrets: string[]; cap_drop: string[]; healthcheck: object };

const services = () => (parse(read("deploy/compose.yaml"), { merge: true }) as { services: Record<string, Service> }).services;

test("the compose file's server has a read-only root, and no service has new privileges or all capabilities", () => {
  expect(services().server).toMatchObject({ read_only: true });
  for (const service of Object.values(services()))
    expect(service).toMatchObject({ cap_drop: ["ALL"], security_opt: ["no-new-privileges:true"], mem_limit: expect.any(String) });
});

test("the compose file waits until database and Redis answer", () => {
  const { server, database, redis } = services();
  expect(server).toMatchObject({ depends_on: { database: { condition: "service_healthy" }, redis: { condition: "service_healthy" } } });
  for (const service of [database, redis]) expect(service?.healthcheck).toBeDefined();
});

test("the compose file takes its secrets from files that git ignores: none stands in an environment", () => {
  const environments = Object.values(services()).flatMap(({ environment = {} }) => Object.entries(environment));
  expect(environments.filter(([name, value]) => /PASSWORD|SECRET|DATABASE_URL/.test(name) && !value.startsWith("/run/secrets/"))).toEqual(
    [],
  );
  expect(read(".gitignore")).toContain("\ndeploy/secrets/\n");
});

test("the compose file's PostgreSQL allows the connections of as many workers as the file promises", () => {
  const [, allowed, workers] = /max_connections=(\d+)\] # enough for WORKERS=(\d+)/.exec(read("deploy/compose.yaml")) ?? [];
  const [, perProcess, ofPrimary] =
    /(\d+) for each process of WORKERS, and (\d+) for the primary/.exec(read("docs/operations/grow.md")) ?? [];
  const reserved = 3; // superuser_reserved_connections
  expect(Number(allowed) - reserved).toBeGreaterThanOrEqual(Number(workers) * Number(perProcess) + Number(ofPrimary));
});

test("the compose file and the service set only variables that the page of settings explains, or that are Node's", () => {
  const ofService = [...read("deploy/namjai-donations.service").matchAll(/^Environment=(.*)$/gm)].flatMap(([, list = ""]) =>
    list.split(" "),
  );
  const names = [...Object.keys(services().server?.environment ?? {}), ...ofService.map((entry) => entry.split("=")[0] ?? "")];
  const page = read("docs/operations/settings.md");
  expect(names.filter((name) => !page.includes(`\`${name}\``) && !name.startsWith("NODE_"))).toEqual([]);
});

test("the workflow of GitHub runs what .ci/run runs", () => {
  const { jobs } = parse(read(".github/workflows/ci.yml")) as { jobs: { test: { steps: { run?: string }[] } } };
  const commands = jobs.test.steps.map(({ run }) => run ?? "");
  expect(commands.at(-1)).toBe(".ci/run");
  expect(commands.slice(0, -1).join("\n")).toContain("safe.directory"); // the container's root is not the owner of the checkout
});

test.each(["ci", "codeql", "release"])(
  "the workflow %s pins its actions by commit, and its permissions and concurrency are stated",
  (name) => {
    const text = read(`.github/workflows/${name}.yml`);
    const used = [...text.matchAll(/uses: (\S+)/g)].map(([, action]) => action);
    expect(used.filter((action) => !/@[0-9a-f]{40}$/.test(action ?? ""))).toEqual([]);
    expect(parse(text)).toMatchObject({ permissions: expect.anything(), concurrency: { group: expect.any(String) } });
  },
);

describe("the samples of two database machines", () => {
  const patroni = parse(read("deploy/patroni.yaml"));

  test("Patroni writes the leader's key of etcd by the protocol that compares it, and encrypts it", () => {
    expect(patroni.etcd3).toBeUndefined(); // Patroni 3.0 does not compare there
    expect(patroni.etcd).toMatchObject({ protocol: "https", cacert: expect.any(String), cert: expect.any(String) });
    expect(read("deploy/etcd.env")).toMatch(/^ETCD_ENABLE_V2=true$/m);
    expect(read("deploy/etcd.env")).not.toContain("http://");
  });

  test("no superuser logs in over the network, and other roles from single machines with TLS alone", () => {
    const remote = (patroni.postgresql.pg_hba as string[]).filter((line) => !line.startsWith("local "));
    for (const line of remote) expect(line).toMatch(/^hostssl \w+ (replicator|rewinder|namjai) [\d.]+\/32 scram-sha-256$/);
    expect(patroni.postgresql).toMatchObject({ use_unix_socket: true, parameters: { ssl: "on" } });
  });
});

describe("the service of systemd", () => {
  beforeEach((context) => needsProgram(context, "systemd-analyze", "systemd"));

  test("systemd understands every line of it", async () => {
    const file = join(folder, "namjai-donations.service");
    writeFileSync(file, read("deploy/namjai-donations.service").replaceAll("/opt/namjai-donations", checkout.replace(/\/$/, "")));
    const { stderr } = await run("systemd-analyze", ["verify", file]);
    expect(stderr.split("\n").filter((line) => line.includes("namjai-donations"))).toEqual([]);
  });

  test("systemd starts it again however often it has ended, and a reload sends it SIGUSR2", () => {
    const unit = read("deploy/namjai-donations.service");
    expect(unit).toMatch(/^StartLimitIntervalSec=0$/m);
    expect(unit).toMatch(/^ExecReload=\/bin\/kill -USR2 \$MAINPID$/m);
  });

  test("systemd calls its exposure at most 2.0 of 10", async () => {
    const file = join(checkout, "deploy/namjai-donations.service");
    await expect(run("systemd-analyze", ["security", "--offline=yes", "--threshold=20", "--no-pager", file])).resolves.toBeDefined();
  });
});
let certificates = "";
let cluster: Cluster | null = null;

beforeAll(async () => {
  if ((await postgresPrograms()) === null) return;
  certificates = await mkdtemp(join(tmpdir(), "namjai-tls-"));
  await run("sh", [join(checkout, "deploy/machine-certificates.sh"), "127.0.0.1"], { cwd: certificates });
  const own = (file: string): string => join(certificates, "127.0.0.1", file);
  if (process.getuid?.() === 0) await run("chown", ["-R", "postgres:postgres", certificates]);
  const files = { ssl_cert_file: own("machine.crt"), ssl_key_file: own("machine.key"), ssl_ca_file: join(certificates, "ca.crt") };
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
  if (certificates) await rm(certificates, { recursive: true, force: true });
});

const testWithPostgres = test.skipIf((await postgresPrograms()) === null);

/** What the command line says on stderr with this behind the question mark of DATABASE_URL, else "served"; FOLDER is that of the certificates. */
async function answer(query: string, change: (url: string) => string = (url) => url): Promise<string> {
  const url = `${change(cluster?.url ?? "")}?${query.replaceAll("FOLDER", certificates)}`;
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, DATABASE_URL: url, DATA_DIR: certificates };
  return run(node, ["src/cli.ts", "streamers", "list"], { cwd: checkout, env }).then(
    ({ stderr }) => stderr || "served",
    (error: { stderr: string }) => error.stderr,
  );
}

const root = "sslrootcert=FOLDER/ca.crt";
const client = "sslcert=FOLDER/127.0.0.1/machine.crt&sslkey=FOLDER/127.0.0.1/machine.key";

testWithPostgres.each(["verify-full", "verify-ca", "require"])(
  "sslmode=%s serves with the authority's certificate, and not without",
  async (mode) => {
    expect(await answer(`sslmode=${mode}&${root}`)).toBe("served");
    expect(await answer(`sslmode=${mode}`)).toContain("name the file of its authority's certificate in sslrootcert behind DATABASE_URL");
  },
);

testWithPostgres("sslmode=no-verify is encrypted, whoever has signed", async () =>
  expect(await answer("sslmode=no-verify")).toBe("served"),
);

testWithPostgres("sslcert and sslkey serve beside sslrootcert", async () => {
  expect(await answer(`sslmode=verify-full&${root}&${client}`)).toBe("served");
});

testWithPostgres.each([
  ["sslmode=disable", "The server takes encrypted connections alone: add sslmode=verify-full to DATABASE_URL"],
  ["sslmode=sometimes", 'DATABASE_URL: sslmode must be one of disable, no-verify, require, verify-ca, verify-full, not "sometimes"'],
  ["ssl=perhaps", 'DATABASE_URL: ssl must be true, 1 or 0, not "perhaps"'],
  ["sslrootcert=FOLDER/none.crt", "DATABASE_URL: sslrootcert, the file"],
  [`sslmode=verify-full&${root}&sslcert=FOLDER/127.0.0.1/machine.crt`, "DATABASE_URL: sslcert and sslkey"],
])("%s is refused by a sentence that names the setting", async (query, sentence) => {
  expect(await answer(query)).toContain(sentence);
});

testWithPostgres("a certificate for another name than that in DATABASE_URL is refused, which is said", async () => {
  const said = await answer(`sslmode=verify-full&${root}`, (url) => url.replace("127.0.0.1", "localhost"));
  expect(said).toContain("The server's certificate is for another name than DATABASE_URL");
});

testWithPostgres("a server that asks for a client's certificate: what is missing is said", async () => {
  const said = await answer(`sslmode=verify-full&${root}`, (url) => url.replace("postgres@", "certified@"));
  expect(said).toContain("The server asks for a certificate of the client: name its files in sslcert and sslkey behind DATABASE_URL");
});

testWithPostgres("a server without TLS is named as such", async () => {
  const plain = await startCluster();
  const said = await answer("sslmode=require", () => plain.url);
  await plain.stop();
  expect(said).toContain("DATABASE_URL asks for an encrypted connection, and the server has none");
});
