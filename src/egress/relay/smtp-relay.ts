/** SMTP client for the relay; the only importer of nodemailer's transport. */
import { isAscii } from "node:buffer";
import nodemailer, {
  type NodemailerError,
  type SMTPPoolOptions,
  type SMTPPoolSentMessageInfo,
  type Transporter,
} from "nodemailer";
import { noService, ownServiceText, type OwnService } from "../../core/outgoing-target.ts";
import { hasTooManyHops } from "../../core/request-hops.ts";
import { hopCountMax } from "../../core/limits.ts";
import { DeliveryFailure, type DeliveryStage, type FailureEvidence } from "../delivery-failure.ts";
import { resolveHost } from "../resolve-host.ts";
import { parseSingleAddress } from "../policy.ts";
import { readRelayUrl, type RelayTarget } from "./relay-url.ts";

/** DKIM key (RFC 6376); `privateKey` in PEM. */
export interface DkimKey {
  readonly domain: string;
  readonly selector: string;
  readonly privateKey: string;
}

/** Time-outs of the relay, in milliseconds. */
export interface RelayTimeouts {
  readonly connectMs: number;
  readonly greetingMs: number;
  /** Longest wait for a reply after the greeting. */
  readonly silenceMs: number;
  /** Longest delivery, also for a relay that trickles its replies. */
  readonly deliveryMs: number;
}

/** Options of a relay. */
export interface SmtpRelayOptions {
  /** `smtp(s)://user:pass@host:port`, see {@link readRelayUrl}. */
  readonly url: string;
  readonly dkim?: DkimKey | null;
  /** Trusted certificates in PEM, which replace the public roots. */
  readonly ca?: string;
  readonly timeouts?: Partial<RelayTimeouts>;
  readonly connectionCountMax?: number;
  /** Recognition of this service, which is never its own relay; {@link noService} by default. */
  readonly own?: OwnService;
  /** Returns the addresses of a host; {@link resolveHost} by default. */
  readonly resolve?: typeof resolveHost;
}

/** Mail for the relay; addresses in the form that the policy has checked. */
export interface OutboundMail {
  /** "" for the null reverse-path. */
  readonly mailFrom: string;
  readonly rcptTo: readonly string[];
  /** With CRLF line ends. */
  readonly raw: Uint8Array;
}

/** Recipient that the relay rejected while it accepted others of the same mail. */
export interface RejectedRecipient {
  readonly address: string;
  readonly failure: DeliveryFailure;
}

/** Result of a mail that the relay accepted for at least one recipient. */
export interface Delivery {
  readonly accepted: readonly string[];
  readonly refused: readonly RejectedRecipient[];
  /** Last reply of the relay, `250 2.0.0 Ok: queued as 12345`. */
  readonly response: string;
}

/** Relay with a connection pool. */
export interface SmtpRelay {
  /**
   * Sends one mail byte for byte, apart from dot-stuffing, a missing last line end and the DKIM signature in front.
   * Never retries by itself after content was sent. Rejects with {@link DeliveryFailure} when no recipient was accepted;
   * after the content was sent, a rejection does not prove that the mail was not delivered.
   */
  deliver(mail: OutboundMail): Promise<Delivery>;
  /** Closes all connections; deliveries that run reject. */
  close(): void;
}

/** Default time-outs, shorter than in RFC 5321 §4.5.3.2, since the outbox retries. */
export const defaultRelayTimeouts: RelayTimeouts = {
  connectMs: 30_000,
  greetingMs: 30_000,
  silenceMs: 120_000,
  deliveryMs: 600_000,
};

const mailCountPerConnectionMax = 100;
const idleMsMax = 30_000;

/** Creates a relay without opening a connection. Throws as {@link readRelayUrl} does. */
export function createSmtpRelay(options: SmtpRelayOptions): SmtpRelay {
  const timeouts = { ...defaultRelayTimeouts, ...options.timeouts };
  const target = readRelayUrl(options.url);
  const transport = createTransport(target, options, timeouts);
  const closing = new AbortController();
  return {
    async deliver(mail) {
      requireCheckedAddresses(mail);
      requireFewHops(mail.raw);
      const raw = Buffer.from(mail.raw.buffer, mail.raw.byteOffset, mail.raw.byteLength);
      const envelope = { from: mail.mailFrom, to: [...mail.rcptTo], use8BitMime: !isAscii(raw) };
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(timeouts.deliveryMs)]);
      await requireForeign(target, options, signal);
      try {
        return deliveryOf(await transport.sendMail({ raw, envelope, signal }));
      } catch (error) {
        throw failureOf(error as NodemailerError);
      }
    },
    close() {
      closing.abort();
      transport.close();
    },
  };
}

type PoolTransport = Transporter<SMTPPoolSentMessageInfo, SMTPPoolOptions>;

function createTransport(target: RelayTarget, options: SmtpRelayOptions, timeouts: RelayTimeouts): PoolTransport {
  const { dkim, ca, connectionCountMax = 5 } = options;
  return nodemailer.createTransport({
    pool: true,
    host: target.host,
    port: target.port,
    secure: target.isImplicitTls,
    requireTLS: target.requiresTls,
    tls: { rejectUnauthorized: target.verifiesCertificate, ...(ca === undefined ? {} : { ca }) },
    ...(target.login === null ? {} : { auth: { user: target.login.user, pass: target.login.password } }),
    ...(dkim ? { dkim: { domainName: dkim.domain, keySelector: dkim.selector, privateKey: dkim.privateKey } } : {}),
    disableFileAccess: true,
    disableUrlAccess: true,
    connectionTimeout: timeouts.connectMs,
    dnsTimeout: timeouts.connectMs,
    greetingTimeout: timeouts.greetingMs,
    socketTimeout: timeouts.silenceMs,
    maxConnections: connectionCountMax,
    maxMessages: mailCountPerConnectionMax,
    idleTimeout: idleMsMax,
    // One retry, only for a pooled connection that was closed before any content was sent on it.
    maxRequeues: 1,
  });
}

/** Throws unless the policy parses each address of the envelope as one address with the same text. */
function requireCheckedAddresses(mail: OutboundMail): void {
  const addresses = mail.mailFrom === "" ? mail.rcptTo : [mail.mailFrom, ...mail.rcptTo];
  const unchecked = addresses.some((address) => parseSingleAddress(address).address !== address);
  if (!unchecked && mail.rcptTo.length > 0) return;
  const text = unchecked ? "An address of the envelope is not one plain address" : "The envelope has no recipient";
  throw new DeliveryFailure(text, { stage: "recipient", replyCode: null, isLocalRefusal: true });
}

/** Rejects where the relay is a listener of this service: each mail would come back. */
async function requireForeign(
  { host, port }: RelayTarget,
  { own = noService, resolve = resolveHost }: SmtpRelayOptions,
  signal: AbortSignal,
): Promise<void> {
  // Nearly always: no listener has the port, and the host need not be resolved.
  if (!own.isOwnListener("127.0.0.1", port)) return;
  const addresses = await resolve(host, signal).catch((error: unknown) => {
    throw new DeliveryFailure("The relay's host name does not resolve", refusedConnection(false), error);
  });
  if (!addresses.some((address) => own.isOwnListener(address, port))) return;
  throw new DeliveryFailure(
    `${ownServiceText}: RESTANTE_RELAY_URL names a listener of its own`,
    refusedConnection(true),
  );
}

function refusedConnection(isLocalRefusal: boolean): FailureEvidence {
  return { stage: "connect", replyCode: null, isLocalRefusal };
}

/** Throws for a mail that has passed so many hosts that it is in a loop (RFC 5321 §6.3). */
function requireFewHops(raw: Uint8Array): void {
  if (!hasTooManyHops(raw)) return;
  const text = `The mail has passed more than ${hopCountMax} hosts: it is in a loop`;
  throw new DeliveryFailure(text, { stage: "data", replyCode: null, isLocalRefusal: true });
}

function deliveryOf(sent: SMTPPoolSentMessageInfo): Delivery {
  const refused = (sent.rejectedErrors ?? []).map((error) => ({
    address: error.recipient ?? "",
    failure: failureOf(error),
  }));
  return { accepted: sent.accepted, refused, response: sent.response };
}

/** When all recipients were rejected, a temporary failure decides for the mail. */
function failureOf(error: NodemailerError): DeliveryFailure {
  const failures = (error.rejectedErrors ?? []).map((one) => ownFailureOf(one));
  return failures.find((failure) => failure.verdict === "retry") ?? failures[0] ?? ownFailureOf(error);
}

function ownFailureOf(error: NodemailerError): DeliveryFailure {
  const replyCode = error.responseCode ?? null;
  const isLocalRefusal = replyCode === null && (error.code === "EENVELOPE" || error.code === "EMESSAGE");
  return new DeliveryFailure(
    error.response ?? error.message,
    { stage: stageOf(error), replyCode, isLocalRefusal },
    error,
  );
}

function stageOf(error: NodemailerError): DeliveryStage {
  if (error.code === "ETLS") return "tls";
  if (error.code === "ECONNECTION") return "connect";
  const command = error.command ?? "";
  if (command.startsWith("AUTH")) return "login";
  return stages[command] ?? "unknown";
}

const stages: Readonly<Record<string, DeliveryStage>> = {
  CONN: "connect",
  EHLO: "connect",
  HELO: "connect",
  STARTTLS: "tls",
  "MAIL FROM": "mail",
  "RCPT TO": "recipient",
  DATA: "data",
};

/** Mail server to probe. */
export interface ProbedServer {
  /** Address to connect to. */
  readonly address: string;
  readonly port: number;
  /** Name that the certificate must have. */
  readonly host: string;
  /** Trusted certificates in PEM, which replace the public roots. */
  readonly ca?: string;
}

/** Time-out of each step of a probe, in milliseconds. */
const probeStepMsMax = 10_000;

/** Resolves when a mail server greets, offers STARTTLS and has a certificate that is valid for the host; else rejects with the reason. */
export async function probeStartTls({ address, port, host, ca }: ProbedServer): Promise<void> {
  const transport = nodemailer.createTransport({
    host: address,
    port,
    requireTLS: true,
    tls: { servername: host, ...(ca !== undefined && { ca }) },
    connectionTimeout: probeStepMsMax,
    greetingTimeout: probeStepMsMax,
    socketTimeout: probeStepMsMax,
  });
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}
