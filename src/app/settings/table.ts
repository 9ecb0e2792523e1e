/** The one table of settings: environment, flags, help and the reference page are all read from it. */
import { checkSettings, type CheckChoices } from "./check-settings.ts";
import { databaseSettings, type DatabaseChoices } from "./database-settings.ts";
import { outboundSettings, type OutboundChoices } from "./outbound-settings.ts";
import { limitSettings } from "./limit-settings.ts";
import * as forms from "./forms.ts";
import type { CatchAll, Setting, ConfiguredServer } from "./setting.ts";

/** Levels of the log, from the quietest. */
const logLevels = ["silent", "error", "warn", "info", "debug"] as const;
/** What the log shows: this level and everything graver. */
export type LogLevel = (typeof logLevels)[number];

/** Everything an operator can choose beside the limits. */
export interface Choices extends DatabaseChoices, OutboundChoices, CheckChoices {
  /** Folder of everything the service keeps. */
  readonly dataDir: string;
  /** IP address of every listener. */
  readonly bind: string;
  /** 0: any free port; null: no listener. */
  readonly httpPort: number | null;
  /** 0: any free port; null: no listener. */
  readonly httpsPort: number | null;
  /** 0: any free port; null: no listener. */
  readonly smtpPort: number | null;
  /** 0: any free port; null: no listener. */
  readonly smtpsPort: number | null;
  /** Who is offered STARTTLS: clients on other machines (`auto`), all or none. */
  readonly smtpStarttls: "auto" | "always" | "never";
  /** Addresses and networks of balancers whose connections for mail begin with a PROXY header. */
  readonly smtpProxies: readonly string[];
  /** `auto`: `any` while every listener is on loopback, else `known`. */
  readonly smtpAuth: "auto" | "any" | "known" | "required";
  /** Addresses and networks of reverse proxies whose `X-Forwarded-For` and `Forwarded` are believed. */
  readonly httpProxies: readonly string[];
  /** The operator's own account key; null to have one made. */
  readonly apiKey: string | null;
  /** Null: one server of the service's own making, unless there is one already. */
  readonly servers: readonly ConfiguredServer[] | null;
  /** Lower case, without a dot in front. */
  readonly mailDomain: string;
  readonly catchAll: CatchAll;
  /** Base of URLs in answers, without a slash at its end; null: the listener's own. */
  readonly publicUrl: string | null;
  readonly listEnvelope: "auto" | "array" | "items";
  /** PEM files of the operator's own certificate (chain) and key; both or neither. */
  readonly tlsCert: string | null;
  readonly tlsKey: string | null;
  /** Whether this machine may read the metrics without a key. */
  readonly trustLoopback: boolean;
  /** What seals secrets in the database; null to have one made. */
  readonly secretKey: string | null;
  readonly log: LogLevel;
}

const open = { secret: false } as const;

/** Setting of each choice, in the order of the reference page. */
export const choiceSettings: { readonly [Name in keyof Choices]: Setting<Choices[Name]> } = {
  dataDir: {
    ...open,
    env: "RESTANTE_DATA_DIR",
    form: forms.path,
    fallback: "./restante-data",
    fallbackText: "`./restante-data`",
    meaning: "Folder of everything the service keeps: the database, the local CA, the generated API key.",
  },
  ...databaseSettings,
  bind: {
    ...open,
    env: "RESTANTE_BIND",
    form: forms.ipAddress,
    fallback: "127.0.0.1",
    fallbackText: "`127.0.0.1`",
    meaning:
      "Address of every listener. Anything but loopback needs an API key of your own choice, or a generated one that an earlier start has shown.",
  },
  httpPort: {
    ...open,
    env: "RESTANTE_HTTP_PORT",
    form: forms.port,
    fallback: 8025,
    fallbackText: "`8025`",
    meaning: "Port of the API.",
  },
  httpsPort: {
    ...open,
    env: "RESTANTE_HTTPS_PORT",
    form: forms.port,
    fallback: 8443,
    fallbackText: "`8443`",
    meaning:
      "Port of the API over TLS, with the certificate that STARTTLS has too. `CONNECT` on the other port leads here.",
  },
  smtpPort: {
    ...open,
    env: "RESTANTE_SMTP_PORT",
    form: forms.port,
    fallback: 1025,
    fallbackText: "`1025`",
    meaning: "Port that takes mail in, in clear or with STARTTLS.",
  },
  smtpsPort: {
    ...open,
    env: "RESTANTE_SMTPS_PORT",
    form: forms.port,
    fallback: null,
    fallbackText: "`off`",
    meaning: "Port that takes mail in with TLS from the first byte (RFC 8314).",
  },
  smtpStarttls: {
    ...open,
    env: "RESTANTE_SMTP_STARTTLS",
    form: forms.oneOf(["auto", "always", "never"]),
    fallback: "auto",
    fallbackText: "`auto`",
    meaning:
      "Whether EHLO offers STARTTLS: `always`; `never`, and the command is refused; or (`auto`) to clients on other machines only, because mail libraries that use TLS wherever it is offered would need to trust the certificate first. With `auto`, a client on this machine that sends STARTTLS all the same is served.",
  },
  smtpProxies: {
    ...open,
    env: "RESTANTE_SMTP_PROXIES",
    form: forms.networks,
    fallback: [],
    fallbackText: "none",
    meaning:
      "Balancers, by address or network, that begin each connection for mail with a header of the PROXY protocol (version 1 or 2): the client that it names is the one that limits and SPF look at. From these addresses nothing else is taken; from all others no such header.",
  },
  smtpAuth: {
    ...open,
    env: "RESTANTE_SMTP_AUTH",
    form: forms.oneOf(["auto", "any", "known", "required"]),
    fallback: "auto",
    fallbackText: "`auto`",
    meaning:
      "Sign-in at the SMTP door. `any`: a user name that no server has is accepted with any password, and the recipients decide; `known`: it is refused with 535; `required`: as `known`, and no mail without sign-in (530). `auto` is `any` while RESTANTE_BIND is loopback, else `known`. A server's own name with a wrong password is 535 always.",
  },
  httpProxies: {
    ...open,
    env: "RESTANTE_HTTP_PROXIES",
    form: forms.networks,
    fallback: [],
    fallbackText: "none",
    meaning:
      "Reverse proxies, by address or network, whose `X-Forwarded-For` or `Forwarded` (RFC 7239) names the client of a request, read from right to left past all of them. Wrong keys are counted by that address. From all others, and where the two fields contradict each other, the address of the connection counts. The URLs in answers follow RESTANTE_PUBLIC_URL.",
  },
  apiKey: {
    env: "RESTANTE_API_KEY",
    form: forms.apiKey,
    fallback: null,
    fallbackText: "generated on the first start",
    meaning:
      "An account key. Only its hash is kept in the database. Prefer the variable to the flag: other users of the machine can read command lines.",
    secret: true,
  },
  servers: {
    ...open,
    env: "RESTANTE_SERVERS",
    form: forms.servers,
    fallback: null,
    fallbackText: "one server `Default`, its id generated",
    meaning:
      "Servers that must exist after the start, so that a CI job can rely on their ids. Existing ones are left as they are.",
  },
  mailDomain: {
    ...open,
    env: "RESTANTE_MAIL_DOMAIN",
    form: forms.domain,
    fallback: "restante.test",
    fallbackText: "`restante.test`",
    meaning: "The service mail domain: addresses are `<anything>@<server id>.<domain>`.",
  },
  catchAll: {
    ...open,
    env: "RESTANTE_CATCH_ALL",
    form: forms.catchAll,
    fallback: "first",
    fallbackText: "`first`",
    meaning:
      "Which server takes mail whose recipient names no server: the first of `RESTANTE_SERVERS` (without them, the oldest), a certain one, or none (`off`: refused with 550).",
  },
  publicUrl: {
    ...open,
    env: "RESTANTE_PUBLIC_URL",
    form: forms.baseUrl,
    fallback: null,
    fallbackText: "from the listener",
    meaning: "Base of the URLs that answers contain, where clients reach the service by another name than its own.",
  },
  listEnvelope: {
    ...open,
    env: "RESTANTE_LIST_ENVELOPE",
    form: forms.oneOf(["auto", "array", "items"]),
    fallback: "auto",
    fallbackText: "`auto`",
    meaning:
      'Form of lists: a JSON array, `{"items":[…]}`, or (`auto`) the latter for the official client libraries only.',
  },
  tlsCert: {
    ...open,
    env: "RESTANTE_TLS_CERT",
    form: forms.path,
    fallback: null,
    fallbackText: "made by the local CA",
    meaning: "PEM file of your own certificate, intermediates after it; read again within a minute when it changes.",
  },
  tlsKey: {
    ...open,
    env: "RESTANTE_TLS_KEY",
    form: forms.path,
    fallback: null,
    fallbackText: "made by the local CA",
    meaning: "PEM file of the private key that belongs to `RESTANTE_TLS_CERT`.",
  },
  ...outboundSettings,
  trustLoopback: {
    ...open,
    env: "RESTANTE_TRUST_LOOPBACK",
    form: forms.yesOrNo,
    fallback: true,
    fallbackText: "`yes`",
    meaning:
      "Whether `/metrics` needs no key for requests from this machine. Say `no` behind a reverse proxy on the same machine.",
  },
  secretKey: {
    env: "RESTANTE_SECRET_KEY",
    form: forms.secretKey,
    fallback: null,
    fallbackText: "generated, kept in `secret-key` in the data folder",
    meaning:
      "What API keys are hashed with (HMAC-SHA-256), and what SMTP passwords of servers and secrets of devices and phone numbers are sealed with in the database (AES-256-GCM). With another secret key, API keys open nothing and secrets cannot be opened. `base64:` and what the file `secret-key` of a data folder holds is the key of that folder.",
    secret: true,
  },
  ...checkSettings,
  log: {
    ...open,
    env: "RESTANTE_LOG",
    form: forms.oneOf(logLevels),
    fallback: "info",
    fallbackText: "`info`",
    meaning: "What is logged, as JSON lines on standard error. Addresses, subjects and keys never are.",
  },
};

/** Every setting, in the order of the reference page. */
export const settings: readonly Setting<unknown>[] = [
  ...Object.values<Setting<unknown>>(choiceSettings),
  ...Object.values<Setting<unknown>>(limitSettings),
];
