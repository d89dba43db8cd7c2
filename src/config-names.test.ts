import { expect, test } from "vitest";
import { findOddSettings } from "./config-names.ts";
import { settingGroups } from "./settings.ts";

test.each([
  ["RATE_LIMIT", "RATE_LIMITS"],
  ["SECRET_KEYS", "SECRET_KEY"],
  ["SECRETKEY", "SECRET_KEY"],
  ["DATABASE_URI", "DATABASE_URL"],
  ["DATABSE_URL", "DATABASE_URL"],
  ["DATABSAE_URL", "DATABASE_URL"],
  ["database_url", "DATABASE_URL"],
  ["READ_DATABASE_URI", "READ_DATABASE_URL"],
  ["ERASURES_JOURNAL", "ERASURE_JOURNAL"],
  ["LOGLEVEL", "LOG_LEVEL"],
  ["WORKER", "WORKERS"],
  ["WEBHOOK_PORT", "WEBHOOK_PORTS"],
  ["PORTS", "PORT"],
])("%s is named as a misspelt %s, without its value", (name, meant) => {
  expect(findOddSettings({ [name]: "secret" })).toEqual([`${name} is not a setting and is ignored: ${meant} is meant, perhaps`]);
});

test("variables of other programs and correct settings are not named as misspelt", () => {
  const others = ["HOME", "PATH", "USER", "LANG", "TERM", "TTY", "HOSTNAME", "LOGNAME", "PGHOST", "PGPORT", "PGUSER", "PGPASSFILE"];
  const more = [
    "NODE_ENV",
    "REDIS_PORT",
    "OTEL_BSP_SCHEDULE_DELAY",
    "OTEL_BLRP_SCHEDULE_DELAY",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_METRICS_EXPORTER",
  ];
  const settings = settingGroups.flatMap((group) => group.settings.map(({ name }) => name));
  const names = [...settings, ...others, ...more, "npm_config_loglevel", "UV_THREADPOOL_SIZE"];
  expect(findOddSettings(Object.fromEntries(names.map((name) => [name, "x"])))).toEqual([]);
});

test("settings that are set to nothing are named in one sentence", () => {
  expect(findOddSettings({ PORT: "", SECRET_KEY: "", HOST: "::", OTHER: "" })).toEqual([
    "set to nothing, which counts as not set: PORT, SECRET_KEY",
  ]);
});
