/** Table of settings: the source of environment variables, flags, help and the reference page. */
import { checkSettings, type CheckChoices } from "./check-settings.ts";
import { databaseSettings, type DatabaseChoices } from "./database-settings.ts";
import { mailAccessSettings, type MailAccessChoices } from "./mail-access-settings.ts";
import { catcherSettings, type CatcherChoices } from "./catcher-settings.ts";
import { outboundSettings, type OutboundChoices } from "./outbound-settings.ts";
import { limitSettings } from "./limit-settings.ts";
import { type TlsChoices, tlsSettings } from "./tls-settings.ts";
import { mailDomainDefault } from "../../core/mail-domain.ts";
import { bindAddresses } from "./bind-form.ts";
import * as forms from "./forms.ts";
import type { Hosts } from "../../ingress/lines/listen-on.ts";
import type { CatchAll, ConfiguredServer, Setting } from "./setting.ts";

/** Levels of the log, from the quietest. */
const logLevels = ["silent", "error", "warn", "info", "debug"] as const;
/** Lowest level that is logged. */
export type LogLevel = (typeof logLevels)[number];

/** Values of all settings except the limits. */
export interface Choices
  extends DatabaseChoices, MailAccessChoices, CatcherChoices, OutboundChoices, CheckChoices, TlsChoices {
  /** Data folder. */
  readonly dataDir: string;
  /** IP addresses of every listener. */
  readonly bind: Hosts;
  /** 0: any free port; null: no listener. */
  readonly httpPort: number | null;
  /** 0: any free port; null: no listener. */
  readonly httpsPort: number | null;
  /** 0: any free port; null: no listener. */
  readonly smtpPort: number | null;
  /** 0: any free port; null: no listener. */
  readonly smtpsPort: number | null;
  /** 0: any free port; null: no listener. */
  readonly lmtpPort: number | null;
  /** Clients that are offered STARTTLS: those on other machines (`auto`), all or none. */
  readonly smtpStarttls: "auto" | "always" | "never";
  /** Addresses and networks of load balancers that send a PROXY header on SMTP connections. */
  readonly smtpProxies: readonly string[];
  /** `auto`: `any` while every listener is on loopback, else `known`. */
  readonly smtpAuth: "auto" | "any" | "known" | "required";
  readonly smtpToken: string | null;
  /** Addresses and networks of reverse proxies whose `X-Forwarded-For` and `Forwarded` are trusted. */
  readonly httpProxies: readonly string[];
  /** Account key of the operator; null: one is generated. */
  readonly apiKey: string | null;
  /** `auto`: `any` while every listener is on loopback, else `known`. */
  readonly providerKeys: "auto" | "any" | "known";
  /** Providers whose own host names lead to this service. */
  readonly intercept: readonly string[];
  /** Servers to create at start; null: one server, unless there is one already. */
  readonly servers: readonly ConfiguredServer[] | null;
  /** Lower case, without a leading dot. */
  readonly mailDomain: string;
  readonly catchAll: CatchAll;
  /** Base of URLs in responses, without trailing slash; null: the address of the listener. */
  readonly publicUrl: string | null;
  readonly listEnvelope: "auto" | "array" | "items";
  /** Whether `/metrics` needs no key on loopback. */
  readonly trustLoopback: boolean;
  /** Key that encrypts secrets in the database; null: one is generated. */
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
    meaning: "Data folder: the database, the local CA and the generated API key.",
  },
  ...databaseSettings,
  bind: {
    ...open,
    env: "RESTANTE_BIND",
    form: bindAddresses,
    fallback: ["127.0.0.1"],
    fallbackText: "`127.0.0.1`",
    meaning:
      "IP addresses of all listeners, each of which has the same port on every address; the service shows the first. `localhost` means 127.0.0.1 and ::1. Rules for loopback apply while all of them are loopback. Addresses other than loopback require `RESTANTE_API_KEY`, or a key that an earlier start generated.",
  },
  httpPort: {
    ...open,
    env: "RESTANTE_HTTP_PORT",
    form: forms.port,
    fallback: 8025,
    fallbackText: "`8025`",
    meaning: "Port of the API and the web UI over HTTP.",
  },
  httpsPort: {
    ...open,
    env: "RESTANTE_HTTPS_PORT",
    form: forms.port,
    fallback: 8443,
    fallbackText: "`8443`",
    meaning:
      "Port of the API and the web UI over HTTPS, with the same certificate as STARTTLS. `CONNECT` requests on the HTTP port are tunnelled to it.",
  },
  smtpPort: {
    ...open,
    env: "RESTANTE_SMTP_PORT",
    form: forms.port,
    fallback: 1025,
    fallbackText: "`1025`",
    meaning: "SMTP port, in clear or with STARTTLS.",
  },
  smtpsPort: {
    ...open,
    env: "RESTANTE_SMTPS_PORT",
    form: forms.port,
    fallback: null,
    fallbackText: "`off`",
    meaning: "SMTP port with implicit TLS (RFC 8314).",
  },
  lmtpPort: {
    ...open,
    env: "RESTANTE_LMTP_PORT",
    form: forms.port,
    fallback: null,
    fallbackText: "`off`",
    meaning:
      "LMTP port (RFC 2033), for MTAs that deliver to this service: one reply for each recipient. All other settings are those of the SMTP port.",
  },
  ...mailAccessSettings,
  ...catcherSettings,
  smtpStarttls: {
    ...open,
    env: "RESTANTE_SMTP_STARTTLS",
    form: forms.oneOf(["auto", "always", "never"]),
    fallback: "auto",
    fallbackText: "`auto`",
    meaning:
      "Whether EHLO offers STARTTLS: `always`; `never`, and the command is rejected; or (`auto`) to clients on other machines only, because mail libraries that use TLS wherever it is offered would have to trust the certificate first. With `auto`, the command still works on loopback.",
  },
  smtpProxies: {
    ...open,
    env: "RESTANTE_SMTP_PROXIES",
    form: forms.networks,
    fallback: [],
    fallbackText: "none",
    meaning:
      "Addresses and networks of load balancers that begin each SMTP connection with a PROXY protocol header (version 1 or 2). Limits and SPF use the client address in that header. The header is required from these addresses and rejected from all others.",
  },
  smtpAuth: {
    ...open,
    env: "RESTANTE_SMTP_AUTH",
    form: forms.oneOf(["auto", "any", "known", "required"]),
    fallback: "auto",
    fallbackText: "`auto`",
    meaning:
      "SMTP AUTH. `any`: unknown user names are accepted with any password, and mail is routed by recipient; `known`: unknown user names are rejected with 535; `required`: as `known`, and mail without AUTH is rejected with 530. `auto` is `any` while RESTANTE_BIND is loopback, else `known`. The user name of a server with a wrong password is always rejected with 535.",
  },
  smtpToken: {
    secret: true,
    env: "RESTANTE_SMTP_TOKEN",
    form: forms.bearerToken,
    fallback: null,
    fallbackText: "any",
    meaning:
      "The only valid token of XOAUTH2 and OAUTHBEARER, for any user name and with every RESTANTE_SMTP_AUTH. Without it, the token of a server's user name is the password of the server, and unknown user names are accepted as with other mechanisms. Prefer the variable to the flag: other users of the machine can read command lines.",
  },
  httpProxies: {
    ...open,
    env: "RESTANTE_HTTP_PROXIES",
    form: forms.networks,
    fallback: [],
    fallbackText: "none",
    meaning:
      "Addresses and networks of reverse proxies whose `X-Forwarded-For` or `Forwarded` (RFC 7239) is trusted: the client address is the rightmost one that is not in this list. Wrong keys are counted by it. For other connections, and when the two fields contradict each other, the address of the connection is used. URLs in responses follow RESTANTE_PUBLIC_URL.",
  },
  apiKey: {
    env: "RESTANTE_API_KEY",
    form: forms.apiKey,
    fallback: null,
    fallbackText: "generated on the first start",
    meaning:
      "Account key. The database contains only its hash. Prefer the variable to the flag: other users of the machine can read command lines.",
    secret: true,
  },
  providerKeys: {
    ...open,
    env: "RESTANTE_PROVIDER_KEYS",
    form: forms.oneOf(["auto", "any", "known"]),
    fallback: "auto",
    fallbackText: "`auto`",
    meaning:
      "API keys in requests to the APIs of providers. `any`: an unknown key is accepted; its messages are routed by recipient, and it reads only messages that came through the same provider; `known`: an unknown key is rejected with the error of the provider. `auto` is `any` while RESTANTE_BIND is loopback, else `known`.",
  },
  intercept: {
    ...open,
    env: "RESTANTE_INTERCEPT",
    form: forms.providerNames,
    fallback: [],
    fallbackText: "none",
    meaning:
      "Providers whose API is reached by its own host names: CONNECT leads to the HTTPS listener for them, the certificate of the local CA names them, and requests with such a Host are those of `/providers/<name>`. A change replaces the local CA when it does not permit a name yet. For `restante env --proxy --providers`.",
  },
  servers: {
    ...open,
    env: "RESTANTE_SERVERS",
    form: forms.servers,
    fallback: null,
    fallbackText: "one server `Default` with a generated id",
    meaning:
      "Servers that are created at start unless they exist, so that a CI job can rely on their ids. Existing servers stay unchanged.",
  },
  mailDomain: {
    ...open,
    env: "RESTANTE_MAIL_DOMAIN",
    form: forms.domain,
    fallback: mailDomainDefault,
    fallbackText: `\`${mailDomainDefault}\``,
    meaning:
      "The service mail domain: addresses are `<anything>@<server id>.<domain>`. Address validators accept the default, and no mail server can deliver to it.",
  },
  catchAll: {
    ...open,
    env: "RESTANTE_CATCH_ALL",
    form: forms.catchAll,
    fallback: "first",
    fallbackText: "`first`",
    meaning:
      "Server for mail whose recipient address names no server: the first of `RESTANTE_SERVERS` (without that setting, the oldest server), a certain one, or none (`off`: rejected with 550).",
  },
  publicUrl: {
    ...open,
    env: "RESTANTE_PUBLIC_URL",
    form: forms.baseUrl,
    fallback: null,
    fallbackText: "from the listener",
    meaning:
      "Base of the URLs in responses, when clients reach the service under another name than that of the listener. With a path, the web UI works below it.",
  },
  listEnvelope: {
    ...open,
    env: "RESTANTE_LIST_ENVELOPE",
    form: forms.oneOf(["auto", "array", "items"]),
    fallback: "auto",
    fallbackText: "`auto`",
    meaning:
      'JSON form of lists: an array, an object `{"items":[…]}`, or (`auto`) the object for official client libraries and the array for others.',
  },
  ...tlsSettings,
  ...outboundSettings,
  trustLoopback: {
    ...open,
    env: "RESTANTE_TRUST_LOOPBACK",
    form: forms.yesOrNo,
    fallback: true,
    fallbackText: "`yes`",
    meaning:
      "Whether `/metrics` needs no key for requests from this machine. Use `no` behind a reverse proxy on the same machine.",
  },
  secretKey: {
    env: "RESTANTE_SECRET_KEY",
    form: forms.secretKey,
    fallback: null,
    fallbackText: "generated, kept in `secret-key` in the data folder",
    meaning:
      "Key that protects secrets in the database: API keys are stored as HMAC-SHA-256; SMTP passwords and the secrets of devices and phone numbers are encrypted with AES-256-GCM. With another secret key, API keys are invalid and secrets cannot be decrypted. `base64:` followed by the content of the file `secret-key` is the key of that data folder.",
    secret: true,
  },
  ...checkSettings,
  log: {
    ...open,
    env: "RESTANTE_LOG",
    form: forms.oneOf(logLevels),
    fallback: "info",
    fallbackText: "`info`",
    meaning:
      "Lowest level that is logged, as JSON lines on standard error. The log never contains addresses, subjects or keys.",
  },
};

/** Every setting, in the order of the reference page. */
export const settings: readonly Setting<unknown>[] = [
  ...Object.values<Setting<unknown>>(choiceSettings),
  ...Object.values<Setting<unknown>>(limitSettings),
];
