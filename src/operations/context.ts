import type { BackgroundTask } from "../core/background-tasks.ts";
import type { DnsSource } from "../authentication/dns.ts";
import type { Clock } from "../core/clock.ts";
import type { EventHub } from "../core/events.ts";
import type { Revocations } from "../core/api-key.ts";
import type { IdSource, MessageId, ServerId } from "../core/ids.ts";
import type { Limits } from "../core/limits.ts";
import type { MtaStsPolicy } from "../core/mta-sts.ts";
import type { TargetPolicy } from "../core/outgoing-target.ts";
import type { Store } from "../store/store.ts";
import type { AuditLog } from "./services/security/audit-log.ts";
import type { KeyGuard } from "./services/security/key-guard.ts";
import type { Faults } from "./services/faults.ts";
import type { BodyAnalyser } from "./services/reading/body-analyser.ts";
import type { EventStreams } from "./services/events/event-streams.ts";
import type { EmailReader } from "./services/reading/email-bodies.ts";
import type { Inspector, LinkProbe, SpamFilter } from "./services/inspection/inspector.ts";
import type { MailAdmission, MemoryReservation } from "./services/limits/mail-admission.ts";
import type { MailRenderer, PreviewCache } from "./services/previews/mail-renderer.ts";
import type { Quotas } from "./services/limits/quotas.ts";
import type { SecretBox } from "./services/security/secret-box.ts";
import type { Polls } from "./services/events/polls.ts";
import type { Throttle } from "./services/security/throttle.ts";
import type { TemplateRenderer } from "./services/templates/template-renderer.ts";
import type { Tracing } from "../core/tracing.ts";
import type { Timings } from "./services/events/timings.ts";
import type { CallbackClient } from "../egress/callbacks/send-callback.ts";
import type { Issuers } from "../egress/oidc/issuers.ts";
import type { MediaFetcher } from "../egress/sms/media-fetcher.ts";
import type { Waiters } from "./services/events/waiters.ts";

/** Settings that operations use. */
export interface ServiceSettings {
  /** Parent domain of the servers' mail domains, `restante.example.com`. */
  readonly mailDomain: string;
  /** Server that receives mail for recipients without a server: a server, the oldest one, or none. */
  readonly catchAll: ServerId | "first" | "off";
  /** MTA-STS policy of the mail domain; null where none is served. */
  readonly mtaSts: MtaStsPolicy | null;
  /** Returns the base of URLs in responses, without a trailing slash; known once the listeners are open. */
  readonly publicUrl: () => string;
  /** Addresses and domains (`@corp.example`) that the operator verified. */
  readonly verified: readonly string[];
  /** Servers that are created at start. */
  readonly configuredServers: readonly ServerId[];
  /** Days without traffic after which servers are removed; null for never. */
  readonly idleServerDays: number | null;
  /** Whether the APIs of providers accept keys that are not stored. */
  readonly acceptsAnyProviderKey: boolean;
  /** Whether a relay is configured for outbound mail. */
  readonly hasRelay: boolean;
  /** Default approved phrases for SMS. */
  readonly approvedPhrases: readonly string[];
  /** Allowed origins of SMS status callbacks, besides those of the numbers' own webhooks. */
  readonly callbackOrigins: readonly string[];
  /** Policy for hosts that are called on behalf of account keys. */
  readonly targets: TargetPolicy;
  /** Policy for hosts that link scanners call. */
  readonly scannerTargets: TargetPolicy;
  /** DNS source for checks of mail on servers without a zone file. */
  readonly dns: DnsSource;
}

/** Dependencies of operations on the account, which commands also run on a store without a service. */
export interface AccountContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly revocations: Revocations;
  /** Encrypts secrets in the store. */
  readonly secrets: SecretBox;
}

/** Dependencies of all operations. */
export interface Context extends AccountContext {
  readonly ids: IdSource;
  readonly limits: Limits;
  readonly events: EventHub;
  readonly settings: ServiceSettings;
  readonly readEmail: EmailReader;
  /** Limits the memory of large mails, from SMTP and HTTP. */
  readonly admission: MailAdmission;
  /** Reports the state of event streams. */
  readonly eventStreams: EventStreams;
  /** Fault rules of servers and of the service. */
  readonly faults: Faults;
  readonly wrongSecrets: Throttle;
  /** OpenID providers at which users sign in. */
  readonly issuers: Issuers;
  readonly keyGuard: KeyGuard;
  readonly audit: AuditLog;
  readonly waiters: Waiters;
  readonly polls: Polls;
  readonly timings: Timings;
  readonly tracing: Tracing;
  /** Idempotent requests in progress, by scope and key. */
  readonly repeats: Map<string, { readonly fingerprint: string; readonly message: Promise<MessageId> }>;
  /** Requests of providers' APIs with an idempotency key that are in progress, by the hash of caller and key. */
  readonly onceRequests: Map<string, { readonly fingerprint: string; readonly response: Promise<unknown> }>;
  /** Reports records of idempotency keys that cannot be written. */
  readonly onceTask: Pick<BackgroundTask, "succeeded" | "failed">;
  /** Notifies the outbox worker of new entries. */
  readonly wakeOutbox: () => void;
  /** Notifies the worker of callbacks of new deliveries. */
  readonly wakeCallbacks: () => void;
  /** Notifies the worker of link scanners of new scans. */
  readonly wakeScans: () => void;
  /** Token in the data directory, which authenticates the operator. */
  readonly operatorToken: string;
  readonly quotas: Quotas;
  readonly inspector: Inspector;
  readonly bodies: BodyAnalyser;
  /** Renders templates of mail providers. */
  readonly templates: TemplateRenderer;
  readonly renderer: MailRenderer;
  readonly previews: PreviewCache;
  /** Null when the built-in rules are used. */
  readonly spamFilter: SpamFilter | null;
  /** Client of callbacks; `send` applies the policy for targets. */
  readonly callbackClient: Pick<CallbackClient, "send" | "close">;
  /** Fetches media of SMS from origins that callbacks may be sent to. */
  readonly fetchMedia: MediaFetcher;
  /** Null when the operator has not allowed it. */
  readonly probeLink: LinkProbe | null;
  /** Aborts when the service shuts down. */
  readonly closing: AbortSignal;
  /** Aborts when the caller disconnects, whose waiting worker calls are then dropped; absent outside of a request. */
  readonly gone?: AbortSignal;
  /** Limits the memory of content that is loaded concurrently; absent where nothing limits it. */
  readonly room?: MemoryReservation;
}
