// The settings of traces: variables of OpenTelemetry. Its own SDK reads those of the exporter and of the resource.

import { anyText, httpUrl, milliseconds, oneOf, readSettings, type SettingTable, share } from "./setting.ts";

/** How traces are sent, as OTEL_EXPORTER_OTLP_PROTOCOL names it. */
export const traceProtocol = "http/json";

const samplers = oneOf(
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
);

export const traceSettings = {
  endpoint: {
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    rule: httpUrl.describe("must be an http(s) URL, such as http://127.0.0.1:4318"),
    meaning:
      "An OpenTelemetry collector that takes OTLP over HTTP, such as `http://127.0.0.1:4318`. It needs `npm run extras` once ([why](install.md#steps)). Unset: no traces. [Traces](traces.md).",
    isUnquoted: true,
  },
  sampler: {
    name: "OTEL_TRACES_SAMPLER",
    rule: samplers,
    default: "parentbased_always_on",
    meaning: "`always_on`, `always_off`, `traceidratio`, or one of these behind `parentbased_`.",
  },
  ratio: {
    name: "OTEL_TRACES_SAMPLER_ARG",
    rule: share,
    default: "1",
    meaning: "The share of traces that samplers by ratio keep, 0 to 1.",
  },
  protocol: {
    name: "OTEL_EXPORTER_OTLP_PROTOCOL",
    rule: anyText,
    default: traceProtocol,
    meaning: "Nothing else is supported. The log warns at the start about another value, which is ignored.",
  },
  tracesProtocol: {
    name: "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
    rule: anyText,
    shownDefault: "`OTEL_EXPORTER_OTLP_PROTOCOL`",
    meaning: "The same, for traces alone.",
  },
  delayMs: { name: "OTEL_BSP_SCHEDULE_DELAY", rule: milliseconds, default: "5000", meaning: "Milliseconds between two exports." },
  disabled: { name: "OTEL_SDK_DISABLED", rule: anyText, default: "false", meaning: "`true`: nothing is traced." },
  serviceName: {
    name: "OTEL_SERVICE_NAME",
    shownDefault: "`BRAND-donations`",
    meaning: "What the collector calls this service. `OTEL_RESOURCE_ATTRIBUTES` adds attributes.",
  },
} as const satisfies SettingTable;

/**
 * `ratio`: the sampler's; only samplers by ratio use it. `delayMs`: between two exports. `ignoredProtocol`: the OTLP protocol that the
 * environment asks for, if this service does not support it.
 */
export type TraceConfig = NonNullable<ReturnType<typeof readTraces>>;

/** Null: nothing is traced. Throws an Error that names the variable and its rule. */
export function readTraces(env: NodeJS.ProcessEnv, brand: string) {
  if (!env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_SDK_DISABLED?.toLowerCase() === "true") return null;
  const { sampler, ratio, delayMs, ...others } = readSettings(env, traceSettings);
  const protocol = others.tracesProtocol ?? others.protocol;
  const ignoredProtocol = protocol === traceProtocol ? null : protocol;
  return { serviceName: `${brand}-donations`, sampler: { name: sampler, ratio }, delayMs, ignoredProtocol };
}
