/** Values with which the chart is rendered in tests. */
import { createHash } from "node:crypto";
import { filesBelow } from "../../test/tidy/source-files.ts";

/** Folder of the chart, from the root of the checkout. */
export const chartFolder = "deploy/helm/restante";
/** Folder of the rendered manifests, from the root of the checkout. */
export const renderedFolder = "compat/helm/rendered";

/** Values of a release, and the objects that exist in the cluster. */
export interface ChartCase {
  readonly name: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly existing?: readonly object[];
}

const keys = { apiKey: "5f3a".repeat(12), secretKey: "8c21".repeat(12) };
const url = "postgres://restante:secret@pg-0.pg:5432/restante?sslmode=require";

/** Cases whose manifests are stored in the repository. */
export const storedCases: readonly ChartCase[] = [
  { name: "one-node", values: { keys } },
  {
    name: "many-nodes",
    values: {
      replicas: 3,
      keys,
      database: { url },
      tls: { secretName: "restante-tls" },
      service: { smtp: { type: "LoadBalancer" } },
      ingress: { enabled: true, className: "nginx", host: "mail.example", tlsSecretName: "mail-example" },
      serviceMonitor: { enabled: true, labels: { release: "prometheus" } },
      networkPolicy: {
        from: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "tests" } } }],
        egress: [{ ports: [{ protocol: "TCP", port: 587 }] }],
      },
      podAnnotations: { "example.com/team": "mail" },
      tolerations: [{ key: "dedicated", operator: "Exists" }],
      nodeSelector: { "kubernetes.io/os": "linux" },
      settings: {
        RESTANTE_SERVERS: "ci000001:CI",
        RESTANTE_MAIL_DOMAIN: "mail.example",
        RESTANTE_POP3S_PORT: "1995",
        RESTANTE_IMAP_PORT: "off",
        RESTANTE_MAILPIT_PORT: "8125",
      },
      extraEnv: [{ name: "RESTANTE_RELAY_URL", valueFrom: { secretKeyRef: { name: "restante-relay", key: "url" } } }],
    },
  },
  {
    name: "own-secrets",
    values: {
      fullnameOverride: "mailbox",
      image: { repository: "registry.example/restante", digest: `sha256:${"0f".repeat(32)}` },
      imagePullSecrets: [{ name: "registry" }],
      keys: { existingSecret: "mailbox-secrets" },
      database: { existingSecret: "mailbox-secrets" },
      networkPolicy: { enabled: false },
    },
  },
];

/** Returns a digest over the files of the chart, which the stored manifests contain. */
export function chartDigest(): string {
  const hash = createHash("sha256");
  for (const { path, text } of filesBelow(chartFolder, "")) hash.update(`${path}\0${text}\0`);
  return hash.digest("hex");
}
