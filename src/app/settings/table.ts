/** Table of settings: the source of environment variables, flags, help and the reference page. */
import { mailDomainDefault } from "../../core/mail-addresses.ts";
import * as forms from "./forms.ts";
import { limitSettings } from "./limit-settings.ts";
import { listenerSettings, tlsSettings } from "./listener-settings.ts";
import { oidcSettings } from "./oidc-settings.ts";
import { publicMailSettings } from "./public-mail-settings.ts";
import { optional, setting, variableOf } from "./setting.ts";
import type { Setting, SettingRow, SettingsOf, ValuesOf } from "./setting.ts";

/** Settings of outbound mail and SMS, in the order of the reference page. The three of DKIM are all set, or none. */
const outboundSettings = {
  relayUrl: optional(forms.relayUrl, "none: no mail is sent outside", "secret").means(
    "SMTP relay for outbound mail. TLS is required when the URL contains a password and the host is not this machine. Prefer the variable to the flag, because it contains a password.",
  ),
  verified: setting(forms.verified, []).means(
    "Addresses and domains that mail may be sent to without confirmation by their owners. A domain does not include its subdomains.",
  ),
  outboxRetryMs: setting(forms.integer(1, 86_400_000), 60_000).means(
    "Milliseconds before the first retry of an outbound message; the pause doubles with each retry, up to a day. Below 5000, it also shortens the retry schedule of webhooks in proportion.",
  ),
  numbers: setting(forms.numbers, []).means("Phone numbers that are assigned to servers at start."),
  approvedPhrases: setting(forms.phrases, [
    "YES",
    "NO",
    "Y",
    "N",
    "STOP",
    "START",
    "HELP",
    "OK",
    "CONFIRM",
    "CANCEL",
  ]).means("Allowed replies to an SMS, until others are set with the API."),
  callbackOrigins: setting(forms.origins, []).means(
    "Origins that the service may call for API keys: in webhooks, event webhooks and inbound routes, in webhooks of phone numbers, in status callbacks of SMS (where the origin of the number's webhook is allowed too), and in `account.apiUrl` of a provider; also the origins that unsubscribe requests are sent to. The hosts of the supported SMS providers are always allowed, this machine only while RESTANTE_BIND is loopback, link-local and metadata addresses never.",
  ),
  scannerOrigins: setting(forms.origins, []).means(
    "Origins whose URLs the link scanners of servers may open, such as the application under test. This machine is allowed only while RESTANTE_BIND is loopback; the service itself, link-local and metadata addresses never.",
  ),
  dkimDomain: optional(forms.domain, "none: no DKIM signature").means("Signing domain (DKIM `d=`) of outbound mail."),
  dkimSelector: optional(forms.selector, "none").means("Selector (DKIM `s=`) of the key in the DNS."),
  dkimKey: optional(forms.path, "none").means("PEM file of the DKIM private key."),
};

/** Settings of mail checks and previews, in the order of the reference page. */
const checkSettings = {
  spamd: optional(forms.hostAndPort, "none: built-in rules").means(
    "Address of SpamAssassin's spamd, which then computes the spam analysis.",
  ),
  dns: setting(forms.dns, "system").means(
    "DNS resolver for deliverability reports, `restante check-domain`, and the sender and block lists of mail from the Internet (RESTANTE_MX): that of the operating system, certain servers, or none (`off`). Reports of servers with a DNS zone of their own use only that zone.",
  ),
  linkCheck: setting(forms.yesOrNo, false).means(
    "Whether lint may send requests to links in mails, on the public Internet only, when a caller requests it.",
  ),
  chromium: setting(forms.browser, "auto").means(
    "Chromium that renders mails for previews and axe-core. `auto`: Chromium, Chrome or Edge of this machine, else the package `@sparticuz/chromium` if it is installed; a path: that program; `off`: none. Requires the package `playwright-core`.",
  ),
};

/** Settings of the store, in the order of the reference page. */
const databaseSettings = {
  databaseUrl: optional(forms.databaseUrl, "none: SQLite in the data folder", "secret").means(
    "PostgreSQL database of one or more nodes. Several hosts, `sslmode`, `sslrootcert` and `target_session_attrs` work as in libpq. Prefer the variable to the flag, because it contains a password.",
  ),
  databaseListenUrl: optional(forms.databaseUrl, "`RESTANTE_DATABASE_URL`", "secret").means(
    "URL of the same database that bypasses PgBouncer, for the connection on which a node receives notifications of new mail. Through a pooler in transaction mode, waiting searches notice mail of other nodes up to a second late.",
  ),
  databaseConnections: setting(forms.integer(2, 200), 16).means(
    "Size of a node's connection pool, not counting the connection for notifications between nodes.",
  ),
  databaseStatementMs: setting(forms.integer(1000, 3_600_000), 30_000).means(
    "Statement time-out in milliseconds; the caller gets a temporary error.",
  ),
  databaseLockMs: setting(forms.integer(100, 3_600_000), 10_000).means(
    "Lock time-out of a transaction in milliseconds.",
  ),
  searchIndex: setting(forms.oneOf(["auto", "off"]), "auto").means(
    "Whether subjects and bodies of servers with 1000 messages or more are indexed in the PostgreSQL of `RESTANTE_DATABASE_URL`. Search results do not depend on it. SQLite always has its index.",
  ),
  blobUrl: optional(forms.blobUrl, "none: the database", "secret").means(
    "Bucket of an S3 store, `s3://key:secret@host/bucket`, for contents of more than 256 KB (compressed), which are otherwise stored in the PostgreSQL of `RESTANTE_DATABASE_URL`.",
  ),
};

/** Levels of the log, from the quietest. */
const logLevels = ["silent", "error", "warn", "info", "debug"] as const;
/** Lowest level that is logged. */
export type LogLevel = (typeof logLevels)[number];

const rows = {
  dataDir: setting(forms.path, "./restante-data").means(
    "Data folder: the database, the local CA and the generated API key.",
  ),
  ...databaseSettings,
  ...listenerSettings,
  smtpStarttls: setting(forms.oneOf(["auto", "always", "never"]), "auto").means(
    "Whether EHLO offers STARTTLS: `always`; `never`, and the command is rejected; or (`auto`) to clients on other machines only, because mail libraries that use TLS wherever it is offered would have to trust the certificate first. With `auto`, the command still works on loopback.",
  ),
  smtpProxies: setting(forms.networks, []).means(
    "Addresses and networks of load balancers that begin each SMTP connection with a PROXY protocol header (version 1 or 2). Limits and SPF use the client address in that header. The header is required from these addresses and rejected from all others.",
  ),
  smtpAuth: setting(forms.oneOf(["auto", "any", "known", "required"]), "auto").means(
    "SMTP AUTH. `any`: unknown user names are accepted with any password, and mail is routed by recipient; `known`: unknown user names are rejected with 535; `required`: as `known`, and mail without AUTH is rejected with 530. `auto` is `any` while RESTANTE_BIND is loopback, else `known`. The user name of a server with a wrong password is always rejected with 535.",
  ),
  smtpToken: optional(forms.bearerToken, "any", "secret").means(
    "The only valid token of XOAUTH2 and OAUTHBEARER, for any user name and with every RESTANTE_SMTP_AUTH. Without it, the token of a server's user name is the password of the server, and unknown user names are accepted as with other mechanisms. Prefer the variable to the flag: other users of the machine can read command lines.",
  ),
  httpProxies: setting(forms.networks, []).means(
    "Addresses and networks of reverse proxies whose `X-Forwarded-For` or `Forwarded` (RFC 7239) is trusted: the client address is the rightmost one that is not in this list. Wrong keys are counted by it. For other connections, and when the two fields contradict each other, the address of the connection is used. URLs in responses follow RESTANTE_PUBLIC_URL.",
  ),
  apiKey: optional(forms.apiKey, "generated on the first start", "secret").means(
    "Account key. The database contains only its hash. Prefer the variable to the flag: other users of the machine can read command lines.",
  ),
  providerKeys: setting(forms.oneOf(["auto", "any", "known"]), "auto").means(
    "API keys in requests to the APIs of providers. `any`: an unknown key is accepted; its messages are routed by recipient, and it reads only messages that came through the same provider; `known`: an unknown key is rejected with the error of the provider. `auto` is `any` while RESTANTE_BIND is loopback, else `known`.",
  ),
  intercept: setting(forms.providerNames, []).means(
    "Providers whose API is reached by its own host names: CONNECT leads to the HTTPS listener for them, the certificate of the local CA names them, and requests with such a Host are those of `/providers/<name>`. A change replaces the local CA when it does not permit a name yet. For `restante env --proxy --providers`.",
  ),
  servers: optional(forms.servers, "one server `Default` with a generated id").means(
    "Servers that are created at start unless they exist, so that a CI job can rely on their ids. Existing servers stay unchanged.",
  ),
  idleServerDays: optional(forms.integer(1, 36_500), "none: servers stay").means(
    "Days without a new message after which a server is removed with its messages, unless it is protected, the catch-all server, or one of `RESTANTE_SERVERS`. `restante usage servers --idle N` lists such servers.",
  ),
  mailDomain: setting(forms.domain, mailDomainDefault).means(
    "The service mail domain: addresses are `<anything>@<server id>.<domain>`. Address validators accept the default, and no mail server can deliver to it.",
  ),
  catchAll: setting(forms.catchAll, "first").means(
    "Server for mail whose recipient address names no server: the first of `RESTANTE_SERVERS` (without that setting, the oldest server), a certain one, or none (`off`: rejected with 550).",
  ),
  publicUrl: optional(forms.baseUrl, "from the listener").means(
    "Base of the URLs in responses, when clients reach the service under another name than that of the listener. With a path, the web UI works below it.",
  ),
  listEnvelope: setting(forms.oneOf(["auto", "array", "items"]), "auto").means(
    'JSON form of lists: an array, an object `{"items":[…]}`, or (`auto`) the object for official client libraries and the array for others.',
  ),
  ...tlsSettings,
  ...publicMailSettings,
  ...oidcSettings,
  ...outboundSettings,
  trustLoopback: setting(forms.yesOrNo, true).means(
    "Whether `/metrics` needs no key for requests from this machine. Use `no` behind a reverse proxy on the same machine.",
  ),
  secretKey: optional(forms.secretKey, "generated, kept in `secret-key` in the data folder", "secret").means(
    "Key that protects secrets in the database: API keys are stored as HMAC-SHA-256; SMTP passwords and the secrets of devices and phone numbers are encrypted with AES-256-GCM. With another secret key, API keys are invalid and secrets cannot be decrypted. `base64:` followed by the content of the file `secret-key` is the key of that data folder.",
  ),
  ...checkSettings,
  traces: setting(forms.oneOf(["off", "otlp"]), "off").means(
    "Whether traces of mails and requests are sent to the receiver of OpenTelemetry that `OTEL_EXPORTER_OTLP_ENDPOINT` names (OTLP over HTTP with JSON; `http://localhost:4318` without it).",
  ),
  log: setting(forms.oneOf(logLevels), "info").means(
    "Lowest level that is logged, as JSON lines on standard error. The log never contains addresses, subjects or keys.",
  ),
};

/** Values of all settings except the limits. */
export type Choices = ValuesOf<typeof rows>;

/** Setting of each choice, in the order of the reference page. */
export const choiceSettings: SettingsOf<Choices> = Object.fromEntries(
  Object.entries<SettingRow<unknown>>(rows).map(([name, row]) => [name, { ...row, env: variableOf(name) }]),
) as unknown as SettingsOf<Choices>;

/** Every setting, in the order of the reference page. */
export const settings: readonly Setting<unknown>[] = [
  ...Object.values<Setting<unknown>>(choiceSettings),
  ...Object.values<Setting<unknown>>(limitSettings),
];
