/**
 * Checks the chart without Helm: its values by its schema, and the stored manifests, which `npm run compat:helm` renders,
 * by the schemas of Kubernetes and by the program.
 */
import { Ajv } from "ajv";
import { ServiceMonitor } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { StatefulSet } from "kubernetes-models/apps/v1/StatefulSet";
import { Ingress } from "kubernetes-models/networking.k8s.io/v1/Ingress";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { ConfigMap } from "kubernetes-models/v1/ConfigMap";
import { Secret } from "kubernetes-models/v1/Secret";
import { Service } from "kubernetes-models/v1/Service";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { chartDigest, chartFolder, renderedFolder, storedCases } from "../../compat/helm/cases.ts";
import { readSettings } from "../../src/app/settings/config.ts";
import { choiceSettings } from "../../src/app/settings/table.ts";
import { stopMsMax } from "../../src/app/stop-signal.ts";
import { routeTable } from "../../src/http/route-table.ts";
import { blocksOf } from "../snippets/blocks.ts";
import { imageEnvironment, wordsOf } from "./dockerfile.ts";
import { readText } from "./source-files.ts";

const manifest = JSON.parse(readText("package.json")) as { version: string };
const values = parse(readText(`${chartFolder}/values.yaml`)) as Readonly<Record<string, unknown>>;
const schema = JSON.parse(readText(`${chartFolder}/values.schema.json`)) as { properties: object };

/** Validators of Kubernetes' kinds; they throw for what the API server rejects. */
const kinds: Readonly<Record<string, new (data: never) => { validate: () => void }>> = {
  ConfigMap,
  Deployment,
  Ingress,
  NetworkPolicy,
  PodDisruptionBudget,
  Secret,
  Service,
  ServiceMonitor,
  StatefulSet,
};

interface Container {
  readonly image: string;
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
  readonly lifecycle: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
  readonly securityContext: object;
  readonly env?: readonly { readonly name: string }[];
  readonly envFrom: readonly { readonly configMapRef?: Named; readonly secretRef?: Named }[];
  readonly volumeMounts: readonly { readonly mountPath: string }[];
}
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface Named {
  readonly name: string;
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly selector: { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly containers: readonly [Container];
        readonly securityContext: object;
        readonly terminationGracePeriodSeconds: number;
      };
    };
    readonly ports: readonly { readonly targetPort: string }[];
  };
}

const cases = storedCases.map(({ name }) => {
  const text = readText(`${renderedFolder}/${name}.yaml`);
  const documents = parseAllDocuments(text, { strict: true, uniqueKeys: true });
  const manifests = documents.map((document) => document.toJS() as Manifest);
  return { name, text, manifests, problems: documents.flatMap(({ errors, warnings }) => [...errors, ...warnings]) };
});
const kindsOf = (name: string): readonly string[] =>
  cases.find((one) => one.name === name)?.manifests.map(({ kind }) => kind) ?? [];

test("the chart has the version of the package", () => {
  const { version, appVersion } = parse(readText(`${chartFolder}/Chart.yaml`)) as Record<string, string>;
  expect([version, appVersion]).toEqual([manifest.version, manifest.version]);
});

describe("values", () => {
  const isValid = new Ajv({ allErrors: true }).compile(schema);

  test("are valid by default, in all cases and in the guide, and the schema names each of them", () => {
    const [shown] = blocksOf("install.md", readText("docs/guide/install.md")).filter(
      ({ file }) => file === "values.yaml",
    );
    for (const one of [values, parse(shown?.code ?? "") as unknown, ...storedCases.map((stored) => stored.values)]) {
      expect([isValid(one), isValid.errors]).toEqual([true, null]);
    }
    expect(Object.keys(schema.properties).toSorted()).toEqual(["global", ...Object.keys(values)].toSorted());
  });

  test.each([
    [{ replica: 2 }],
    [{ replicas: "2" }],
    [{ keys: { apiKey: "short" } }],
    [{ settings: { RESTANTE_SECRET_KEY: "8c21".repeat(12) } }],
    [{ settings: { RESTANTE_SMTP_TOKEN: 5 } }],
    [{ database: { url: "mysql://db" } }],
    [{ image: { digest: "latest" } }],
    [{ podDisruptionBudget: { maxUnavailable: 0 } }],
  ])("reject %j", (one) => {
    expect(isValid(one)).toBe(false);
  });
});

describe.each(cases)("$name", ({ text, manifests, problems }) => {
  const workload = manifests.find(({ kind }) => kind === "Deployment" || kind === "StatefulSet") as Manifest;
  const { containers, securityContext, terminationGracePeriodSeconds } = workload.spec.template.spec;
  const [container] = containers;

  test("was rendered from the present chart", () => {
    expect(text.split("\n")[1]).toBe(`# chart ${chartDigest()}`);
    expect(problems).toEqual([]);
  });

  test("is valid by the schemas of Kubernetes", () => {
    for (const one of manifests) {
      const Kind = kinds[one.kind];
      if (Kind === undefined) throw new Error(`there is no validator for ${one.kind}`);
      expect(() => {
        new Kind(one as never).validate();
      }).not.toThrow();
    }
  });

  test("gives the program a valid environment", () => {
    const named = new Map(manifests.map((one) => [`${one.kind} ${one.metadata.name}`, one]));
    const own = container.envFrom.flatMap(({ configMapRef, secretRef }) => {
      const map = named.get(`ConfigMap ${configMapRef?.name ?? ""}`)?.data ?? {};
      const secret = named.get(`Secret ${secretRef?.name ?? ""}`)?.data ?? {};
      return [map, Object.fromEntries(Object.entries(secret).map(([key, value]) => [key, atob(value)]))];
    });
    const database = manifests.find(({ stringData }) => stringData !== undefined)?.stringData ?? {};
    const environment = Object.assign({}, imageEnvironment, ...own, database) as Record<string, string>;
    if (Object.keys(environment).some((key) => key === "RESTANTE_TLS_CERT")) {
      expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toContain("/tls");
    }
    expect(readSettings(environment, []).warnings).toEqual([]);
    expect(environment).toHaveProperty("RESTANTE_SERVERS");
    expect(container.env?.filter(({ name }) => !name.startsWith("RESTANTE_")) ?? []).toEqual([]);
  });

  test("probes open routes, and uses the listening ports", () => {
    const isOpen = (path: string): boolean => routeTable.some((one) => one.path === path && one.access === "open");
    const { startupProbe, readinessProbe, livenessProbe } = container;
    expect([startupProbe, readinessProbe, livenessProbe].map(({ httpGet }) => httpGet.path)).toEqual([
      "/readyz",
      "/readyz",
      "/healthz",
    ]);
    expect(isOpen("/readyz") && isOpen("/healthz")).toBe(true);
    const { smtpPort, httpPort, httpsPort } = choiceSettings;
    const settings = manifests.find(({ kind }) => kind === "ConfigMap")?.data ?? {};
    const further = Object.entries(settings).flatMap(([key, value]) =>
      /^RESTANTE_(?!HTTPS)[A-Z0-9]+_PORT$/.test(key) && value !== "off" ? [Number(value)] : [],
    );
    expect(container.ports.map(({ containerPort }) => containerPort)).toEqual([
      ...[smtpPort, httpPort, httpsPort].map(({ fallback }) => fallback),
      ...further,
    ]);
    const names = container.ports.map(({ name }) => name);
    const served = manifests.filter(({ kind }) => kind === "Service").flatMap(({ spec }) => spec.ports);
    const isServed = (name: string): boolean => served.some(({ targetPort }) => targetPort === name);
    // Without a certificate, the HTTPS listener is off.
    expect(names.filter((name) => name !== "https" && !isServed(name))).toEqual([]);
    for (const { targetPort } of served) expect(names).toContain(targetPort);
  });

  test("is allowed by the restricted Pod Security Standard, as the user of the image", () => {
    const [user = "", group = ""] = (wordsOf("USER")[0] ?? "").split(":");
    expect(securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: Number(user),
      runAsGroup: Number(group),
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
  });

  test("gives nodes enough time to stop, and selects their pods", () => {
    const stopMs = container.lifecycle.preStop.sleep.seconds * 1000 + stopMsMax;
    expect(terminationGracePeriodSeconds * 1000).toBeGreaterThan(stopMs);
    expect(workload.spec.template.metadata.labels).toMatchObject(workload.spec.selector.matchLabels ?? {});
  });
});

test("one node has a volume and no disruption budget; nodes with a database are a Deployment", () => {
  expect(kindsOf("one-node").toSorted()).toEqual([
    "ConfigMap",
    "NetworkPolicy",
    "Secret",
    "Service",
    "Service",
    "StatefulSet",
  ]);
  expect(kindsOf("many-nodes").toSorted()).toEqual([
    "ConfigMap",
    "Deployment",
    "Ingress",
    "NetworkPolicy",
    "PodDisruptionBudget",
    "Secret",
    "Secret",
    "Service",
    "Service",
    "ServiceMonitor",
  ]);
  expect(kindsOf("own-secrets")).not.toContain("Secret");
});
