import { expect, test } from "vitest";
import { readTraceReceiver } from "./trace-receiver.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const parent = (isSampled: boolean) => ({ traceId, spanId: "b7ad6b7169203331", isSampled });

test("sends to the collector of this machine, as restante, without variables", () => {
  const { url, headers, resource, isSampled } = readTraceReceiver({});
  expect([url, headers, resource]).toEqual(["http://localhost:4318/v1/traces", {}, { "service.name": "restante" }]);
  expect([isSampled(traceId, undefined), isSampled(traceId, parent(false))]).toEqual([true, false]);
});

test("reads endpoint, headers and attributes, and prefers those of traces", () => {
  const general = {
    OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector:4318/otlp/",
    OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%20b, =x, broken, rate=5%",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=ci,service.name=other",
  };
  const found = readTraceReceiver(general);
  expect(found.url).toBe("https://collector:4318/otlp/v1/traces");
  expect(found.headers).toEqual({ "api-key": "a b", rate: "5%" });
  expect(found.resource).toEqual({ "service.name": "other", "deployment.environment.name": "ci" });
  const own = readTraceReceiver({
    ...general,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://traces/in",
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x=y",
    OTEL_SERVICE_NAME: "mails",
  });
  expect([own.url, own.headers, own.resource["service.name"]]).toEqual(["http://traces/in", { x: "y" }, "mails"]);
});

test.each([
  ["always_on", undefined, [true, true]],
  ["always_off", undefined, [false, false]],
  ["parentbased_always_off", undefined, [false, true]],
  ["traceidratio", "0", [false, false]],
  ["parentbased_traceidratio", "0", [false, true]],
  ["parentbased_traceidratio", "1", [true, true]],
])("samples by %s with %s", (name, argument, expected) => {
  const { isSampled } = readTraceReceiver({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument });
  expect([isSampled(traceId, undefined), isSampled(traceId, parent(true))]).toEqual(expected);
});

test("samples a quarter of the traces by traceidratio", () => {
  const { isSampled } = readTraceReceiver({ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.25" });
  const ids = Array.from({ length: 16 }, (_, digit) => `${"0".repeat(19)}${digit.toString(16)}${"8".repeat(12)}`);
  expect(ids.filter((id) => isSampled(id, undefined))).toHaveLength(4);
});

test.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" }, "OTEL_EXPORTER_OTLP_ENDPOINT"],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "nowhere" }, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"],
  [{ OTEL_TRACES_SAMPLER: "jaeger_remote" }, "OTEL_TRACES_SAMPLER"],
  [{ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "2" }, "OTEL_TRACES_SAMPLER_ARG"],
])("refuses %j, and names the variable", (environment, name) => {
  expect(() => readTraceReceiver(environment)).toThrow(name);
});
