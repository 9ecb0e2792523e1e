/** The only file that knows nodemailer's transport. */
import { isAscii } from "node:buffer";
import nodemailer from "nodemailer";
import type { NodemailerError, SMTPPoolOptions, SMTPPoolSentMessageInfo, Transporter } from "nodemailer";
import { DeliveryFailure, type DeliveryStage } from "../delivery-failure.ts";
import { parseSingleAddress } from "../policy.ts";
import { readRelayUrl, type RelayTarget } from "./relay-url.ts";

/** A DKIM key (RFC 6376); `privateKey` in PEM. */
export interface DkimKey {
  readonly domain: string;
  readonly selector: string;
  readonly privateKey: string;
}

/** How long the relay may take, in milliseconds. */
export interface RelayTimeouts {
  readonly connectMs: number;
  readonly greetingMs: number;
  /** Silence at any later point. */
  readonly silenceMs: number;
  /** One delivery as a whole: a relay that trickles its replies is never silent. */
  readonly deliveryMs: number;
}

/** Where mail leaves to, and how. */
export interface SmtpRelayOptions {
  /** `smtp(s)://user:pass@host:port`, see {@link readRelayUrl}. */
  readonly url: string;
  readonly dkim?: DkimKey | null;
  /** Further certificates to trust, in PEM; they replace the public roots. */
  readonly ca?: string;
  readonly timeouts?: Partial<RelayTimeouts>;
  readonly connectionCountMax?: number;
}

/** One mail for the relay. Addresses are in the form that the policy judged. */
export interface OutboundMail {
  /** "" for the null reverse-path. */
  readonly mailFrom: string;
  readonly rcptTo: readonly string[];
  /** Lines end with CRLF. */
  readonly raw: Uint8Array;
}

/** A recipient that the relay refused while it took others of the same mail. */
export interface RefusedRecipient {
  readonly address: string;
  readonly failure: DeliveryFailure;
}

/** What became of a mail that the relay took for at least one recipient. */
export interface Delivery {
  readonly accepted: readonly string[];
  readonly refused: readonly RefusedRecipient[];
  /** The relay's last reply, `250 2.0.0 Ok: queued as 12345`. */
  readonly response: string;
}

/** A relay that keeps its connections. */
export interface SmtpRelay {
  /**
   * Hands one mail on, byte for byte: dots are stuffed, a missing last line end is added, DKIM puts its field in front,
   * nothing else changes. Never tries twice by itself once content has left. Rejects with {@link DeliveryFailure} when
   * no recipient was accepted; a rejection after the content was sent leaves open whether the mail went out.
   */
  deliver(mail: OutboundMail): Promise<Delivery>;
  /** Ends idle connections now and the others after their mail. */
  close(): void;
}

/** In milliseconds; shorter than RFC 5321 §4.5.3.2 asks of final delivery, for the outbox will try again. */
export const defaultRelayTimeouts: RelayTimeouts = {
  connectMs: 30_000,
  greetingMs: 30_000,
  silenceMs: 120_000,
  deliveryMs: 600_000,
};

const mailCountPerConnectionMax = 100;
const idleMsMax = 30_000;

/** Opens no connection yet. Throws for a URL that {@link readRelayUrl} refuses. */
export function createSmtpRelay(options: SmtpRelayOptions): SmtpRelay {
  const timeouts = { ...defaultRelayTimeouts, ...options.timeouts };
  const transport = createTransport(readRelayUrl(options.url), options, timeouts);
  return {
    async deliver(mail) {
      refuseUnjudged(mail);
      const raw = Buffer.from(mail.raw.buffer, mail.raw.byteOffset, mail.raw.byteLength);
      const envelope = { from: mail.mailFrom, to: [...mail.rcptTo], use8BitMime: !isAscii(raw) };
      const signal = AbortSignal.timeout(timeouts.deliveryMs);
      try {
        return deliveryOf(await transport.sendMail({ raw, envelope, signal }));
      } catch (error) {
        throw failureOf(error as NodemailerError);
      }
    },
    close() {
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
    // Once, and only for a kept connection that turns out to be closed before any content was sent on it.
    maxRequeues: 1,
  });
}

/** The last gate: only what the policy reads as one address, and as the same text, is written after RCPT TO. */
function refuseUnjudged(mail: OutboundMail): void {
  const addresses = mail.mailFrom === "" ? mail.rcptTo : [mail.mailFrom, ...mail.rcptTo];
  const unjudged = addresses.some((address) => parseSingleAddress(address).address !== address);
  if (!unjudged && mail.rcptTo.length > 0) return;
  const text = unjudged ? "An address of the envelope is not one plain address" : "The envelope has no recipient";
  throw new DeliveryFailure(text, { stage: "recipient", replyCode: null, isOurRefusal: true });
}

function deliveryOf(sent: SMTPPoolSentMessageInfo): Delivery {
  const refused = (sent.rejectedErrors ?? []).map((error) => ({
    address: error.recipient ?? "",
    failure: failureOf(error),
  }));
  return { accepted: sent.accepted, refused, response: sent.response };
}

/** Where every recipient was refused, one that may be taken later speaks for the mail. */
function failureOf(error: NodemailerError): DeliveryFailure {
  const failures = (error.rejectedErrors ?? []).map((one) => ownFailureOf(one));
  return failures.find((failure) => failure.verdict === "retry") ?? failures[0] ?? ownFailureOf(error);
}

function ownFailureOf(error: NodemailerError): DeliveryFailure {
  const replyCode = error.responseCode ?? null;
  const isOurRefusal = replyCode === null && (error.code === "EENVELOPE" || error.code === "EMESSAGE");
  return new DeliveryFailure(
    error.response ?? error.message,
    { stage: stageOf(error), replyCode, isOurRefusal },
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
