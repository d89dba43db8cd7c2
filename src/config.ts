// The only reader of process.env.

export type Config = Readonly<{
  host: string;
  port: number;
  /** PostgreSQL 15 or later; null means the embedded server in `dataDir`. */
  databaseUrl: string | null;
  dataDir: string;
  brand: string;
  /** Public address without a trailing slash: issuer and audience of tokens, base of links. */
  baseUrl: string;
  logLevel: LogLevel;
  rateLimits: boolean;
  /** Encrypts the secrets that the database holds; null stores them as they are. */
  secretKey: string | null;
}>;

const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Reads the operator's interface. Throws an Error that names the variable and its rule. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const port = readPort(env.PORT);
  const host = env.HOST || "127.0.0.1";
  return Object.freeze({
    host,
    port,
    databaseUrl: readDatabaseUrl(env.DATABASE_URL),
    dataDir: env.DATA_DIR || ".data",
    brand: readBrand(env.BRAND),
    baseUrl: readBaseUrl(env.BASE_URL, defaultBaseUrl(host, port)),
    logLevel: readLogLevel(env.LOG_LEVEL),
    rateLimits: readSwitch("RATE_LIMITS", env.RATE_LIMITS),
    secretKey: readSecretKey(env.SECRET_KEY),
  });
}

function defaultBaseUrl(host: string, port: number): string {
  if (host === "0.0.0.0" || host === "::") return `http://127.0.0.1:${port}`;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function readPort(text: string | undefined): number {
  const port = Number(text || "8080");
  if (!/^\d*$/.test(text ?? "") || port > 65535) throw new Error(`PORT must be a whole number from 0 to 65535, not "${text}"`);
  return port;
}

function readDatabaseUrl(text: string | undefined): string | null {
  if (!text) return null;
  if (!/^postgres(ql)?:$/.test(URL.parse(text)?.protocol ?? "")) throw new Error("DATABASE_URL must be a postgres:// URL");
  return text;
}

function readBrand(text: string | undefined): string {
  const brand = text || "namjai";
  if (!/^[a-z][a-z0-9]{0,31}$/.test(brand)) throw new Error(`BRAND must be lower-case letters and digits, not "${brand}"`);
  return brand;
}

function readBaseUrl(text: string | undefined, fallback: string): string {
  const url = URL.parse(text || fallback);
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash)
    throw new Error(`BASE_URL must be an http(s) URL without query or fragment, not "${text || fallback}"`);
  return url.href.replace(/\/+$/, "");
}

function readSecretKey(text: string | undefined): string | null {
  if (!text) return null;
  if (text.length < 32) throw new Error("SECRET_KEY must have at least 32 characters");
  return text;
}

function readLogLevel(text: string | undefined): LogLevel {
  const level = logLevels.find((known) => known === (text || "info"));
  if (!level) throw new Error(`LOG_LEVEL must be one of ${logLevels.join(", ")}, not "${text}"`);
  return level;
}

function readSwitch(name: string, text: string | undefined): boolean {
  if (!text || text === "on") return true;
  if (text === "off") return false;
  throw new Error(`${name} must be on or off, not "${text}"`);
}
