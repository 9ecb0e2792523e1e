import type { DnsSource } from "../authentication/dns.ts";
import type { Clock } from "../core/clock.ts";
import type { EventHub } from "../core/events.ts";
import type { Revocations } from "../core/revocations.ts";
import type { IdSource, ServerId } from "../core/ids.ts";
import type { Limits } from "../core/limits.ts";
import type { TargetPolicy } from "../core/outgoing-target.ts";
import type { Store } from "../store/store.ts";
import type { AuditLog } from "./services/security/audit-log.ts";
import type { KeyGuard } from "./services/security/key-guard.ts";
import type { BodyAnalyser } from "./services/reading/body-analyser.ts";
import type { EventStreams } from "./services/events/event-streams.ts";
import type { EmailReader } from "./services/reading/email-content.ts";
import type { Inspector } from "./services/inspection/inspector.ts";
import type { LinkProbe } from "./checks/lint-message.ts";
import type { MailAdmission } from "./services/limits/mail-admission.ts";
import type { MailRenderer } from "./services/previews/mail-renderer.ts";
import type { PreviewCache } from "./services/previews/preview-cache.ts";
import type { Quotas } from "./services/limits/quotas.ts";
import type { SecretBox } from "./services/security/secret-box.ts";
import type { SpamFilter } from "./services/inspection/spam-filter.ts";
import type { Polls } from "./services/events/polls.ts";
import type { IdempotencyCache } from "./services/sending/idempotency.ts";
import type { Throttle } from "./services/security/throttle.ts";
import type { Timings } from "./services/events/timings.ts";
import type { Waiters } from "./services/events/waiters.ts";

/** What the operator decided, as far as operations need to know it. */
export interface ServiceSettings {
  /** Domain behind the server's label in addresses, `restante.test`. */
  readonly mailDomain: string;
  /** Where mail goes whose recipient names no server: a server, the oldest one there is, or nowhere. */
  readonly catchAll: ServerId | "first" | "off";
  /** Base of URLs in answers, without a trailing slash; known once the listeners are open. */
  readonly publicUrl: () => string;
  /** Addresses and domains (`@corp.example`) that the operator verified. */
  readonly verified: readonly string[];
  /** Whether mail can leave at all. */
  readonly hasRelay: boolean;
  /** Phrases that texts may consist of, until others are set. */
  readonly approvedPhrases: readonly string[];
  /** Origins, beside those of the numbers' own web hooks, that status callbacks of texts may go to. */
  readonly callbackOrigins: readonly string[];
  /** Which hosts may be called for whoever holds an account key. */
  readonly targets: TargetPolicy;
  /** Who is asked about senders, where a server has no zone of its own. */
  readonly dns: DnsSource;
}

/** Everything operations may depend on; each asks for the members that it needs. */
export interface Context {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly limits: Limits;
  readonly events: EventHub;
  readonly revocations: Revocations;
  readonly settings: ServiceSettings;
  readonly readEmail: EmailReader;
  /** Bounds the memory of large mails, however they come. */
  readonly admission: MailAdmission;
  /** Reports the state of event streams. */
  readonly eventStreams: EventStreams;
  readonly wrongSecrets: Throttle;
  readonly keyGuard: KeyGuard;
  readonly audit: AuditLog;
  readonly waiters: Waiters;
  readonly polls: Polls;
  readonly timings: Timings;
  readonly repeats: IdempotencyCache;
  /** Says that the outbox has something new. */
  readonly wakeOutbox: () => void;
  /** Known to this process and to whoever can read the data folder: proves that the operator asks. */
  readonly operatorToken: string;
  readonly quotas: Quotas;
  /** Seals what must not lie readable in the store. */
  readonly secrets: SecretBox;
  readonly inspector: Inspector;
  readonly bodies: BodyAnalyser;
  readonly renderer: MailRenderer;
  readonly previews: PreviewCache;
  /** Null where the service's own rules judge. */
  readonly spamFilter: SpamFilter | null;
  /** Null where the operator has not allowed it. */
  readonly probeLink: LinkProbe | null;
  /** Aborts when the service closes: streams end. */
  readonly closing: AbortSignal;
}
