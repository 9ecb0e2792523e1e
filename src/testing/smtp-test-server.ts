import { createHmac } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";
import type { Arrival } from "../core/smtp-session.ts";
import { Problem } from "../core/errors.ts";
import type { FaultDecision, FaultOccurrence } from "../core/fault.ts";
import { encodeMessageId, parseServerId, type MessageId, type ServerId } from "../core/ids.ts";
import { defaultLimits, drainMsMax, type Limits } from "../core/limits.ts";
import type { SmtpLog, SmtpMetrics, SmtpRefusal, SmtpServerOptions, SmtpOperations } from "../ingress/smtp/options.ts";
import type { SessionCredentials } from "../operations/inbound/authenticate-session.ts";
import { startSmtpServer } from "../ingress/smtp/server.ts";
import { FakeClock } from "./fake-clock.ts";
import { SmtpDialogue } from "./smtp-dialogue.ts";

/** Server that {@link RecordingOperations} resolve most recipients to. */
export const testServer: ServerId = parseServerId("abcd1234") as ServerId;

/** Server over its quota, to which `full@…` is resolved. */
const fullServer: ServerId = parseServerId("fu11fu11") as ServerId;

/** Server to which `other@…` is resolved. */
const otherServer: ServerId = parseServerId("wxyz9876") as ServerId;

/** Returns the id of the messages that {@link RecordingOperations} store in a server. */
export function idIn(server: ServerId): MessageId {
  return encodeMessageId({ server, direction: "Received", receivedAt: 0, random: 0 });
}

/**
 * Operations that record their calls. `nobody@…` is unknown, `broken@…` fails and `later@…` is resolved asynchronously; the
 * user `abcd1234` has the password `secret`, and `throttled` exceeds the limit of wrong passwords.
 */
export class RecordingOperations implements SmtpOperations {
  readonly arrivals: Arrival[] = [];
  /** Encoded transcripts of the arrivals, by server. */
  readonly transcripts: Readonly<Record<string, string>>[] = [];
  readonly credentials: SessionCredentials[] = [];
  readonly resolved: [address: string, authenticatedAs: ServerId | null][] = [];
  readonly occurrences: FaultOccurrence[] = [];
  /** Returns the injected faults of a stage. */
  faultAt: (occurrence: FaultOccurrence) => FaultDecision | null = () => null;
  /** Called in `receive` before the mail is recorded. */
  beforeCommit: () => Promise<void> | void = () => undefined;

  authenticate(credentials: SessionCredentials): Promise<ServerId | null | undefined> {
    this.credentials.push(credentials);
    if (credentials.user === "anybody") return Promise.resolve(null);
    if (credentials.user === "throttled") return Promise.reject(new Problem("too_many_requests"));
    const { proof } = credentials;
    const given = proof.kind === "digest" ? proof.digest : proof.kind === "token" ? proof.token : proof.password;
    const expected =
      proof.kind === "digest" ? createHmac("md5", "secret").update(proof.challenge).digest("hex") : "secret";
    const isRight = credentials.user === "abcd1234" && given === expected;
    return Promise.resolve(isRight ? testServer : undefined);
  }

  decideFault(occurrence: FaultOccurrence): Promise<FaultDecision | null> | null {
    const decision = this.faultAt(occurrence);
    // A copy, because the recipients of a transaction change.
    this.occurrences.push({ ...occurrence, recipients: [...occurrence.recipients] });
    return decision === null ? null : Promise.resolve(decision);
  }

  resolveRecipient(
    address: string,
    authenticatedAs: ServerId | null,
  ): Promise<ServerId | undefined> | ServerId | undefined {
    this.resolved.push([address, authenticatedAs]);
    if (address.startsWith("nobody@")) return undefined;
    if (address.startsWith("broken@")) throw new Error("resolveRecipient fails for this address");
    if (address.startsWith("full@")) return fullServer;
    if (address.startsWith("other@")) return otherServer;
    return address.startsWith("later@") ? Promise.resolve(testServer) : testServer;
  }

  requireRoom(server: ServerId): Promise<void> | null {
    return server === fullServer ? Promise.reject(new Problem("quota_exceeded", { text: "of 5 messages" })) : null;
  }

  admit(): null {
    return null;
  }

  async receive(arrival: Arrival): Promise<readonly MessageId[]> {
    await this.beforeCommit();
    const { transcript, ...received } = arrival;
    const servers = [...new Set(received.recipients.map(({ server }) => server))];
    const transcripts = servers.map((server) => [server, transcript?.(server, idIn(server)) ?? ""] as const);
    this.transcripts.push(Object.fromEntries(transcripts));
    // The session frees a large mail once it is received.
    this.arrivals.push({ ...received, raw: Buffer.from(received.raw) });
    return servers.map(idIn);
  }
}

/** Counters for assertions. */
export class RecordingMetrics implements SmtpMetrics {
  sessionsOpened = 0;
  sessionsClosed = 0;
  readonly acceptedSizes: number[] = [];
  readonly refusals: SmtpRefusal[] = [];

  sessionOpened(): void {
    this.sessionsOpened += 1;
  }

  sessionClosed(): void {
    this.sessionsClosed += 1;
  }

  mailAccepted(sizeBytes: number): void {
    this.acceptedSizes.push(sizeBytes);
  }

  refused(reason: SmtpRefusal): void {
    this.refusals.push(reason);
  }
}

/** Log that stores its lines. */
export class RecordingLog implements SmtpLog {
  readonly lines: { level: string; fields: Readonly<Record<string, unknown>>; message: string }[] = [];
  readonly debug: SmtpLog["debug"] = this.#writer("debug");
  readonly info: SmtpLog["info"] = this.#writer("info");
  readonly warn: SmtpLog["warn"] = this.#writer("warn");
  readonly error: SmtpLog["error"] = this.#writer("error");

  #writer(level: string): SmtpLog["info"] {
    return (fields, message) => {
      this.lines.push({ level, fields, message });
    };
  }
}

/** Options of the listener under test; all have defaults for tests. */
export interface SmtpTestServerSettings extends Partial<
  Pick<
    SmtpServerOptions,
    | "allowsClearTextAuth"
    | "clock"
    | "implicitTls"
    | "isAuthRequired"
    | "isLmtp"
    | "isProxy"
    | "operations"
    | "startTlsFor"
  >
> {
  readonly limits?: Partial<Limits>;
  readonly secureContext?: SecureContext | (() => SecureContext | undefined);
  readonly faultySecureContext?: SmtpServerOptions["faultySecureContext"];
}

/** SMTP listener on a free port with recording dependencies; disposing closes it. */
export class SmtpTestServer implements AsyncDisposable {
  readonly server: Awaited<ReturnType<typeof startSmtpServer>>;
  readonly operations: RecordingOperations;
  readonly metrics: RecordingMetrics;
  readonly log: RecordingLog;
  readonly clock: FakeClock;

  private constructor(
    server: Awaited<ReturnType<typeof startSmtpServer>>,
    parts: Pick<SmtpTestServer, "operations" | "metrics" | "log" | "clock">,
  ) {
    this.server = server;
    this.operations = parts.operations;
    this.metrics = parts.metrics;
    this.log = parts.log;
    this.clock = parts.clock;
  }

  static async open(settings: SmtpTestServerSettings = {}): Promise<SmtpTestServer> {
    const parts = {
      operations: new RecordingOperations(),
      metrics: new RecordingMetrics(),
      log: new RecordingLog(),
      clock: new FakeClock(),
    };
    const { secureContext } = settings;
    const server = await startSmtpServer({
      hosts: ["127.0.0.1"],
      port: 0,
      isProxy: settings.isProxy ?? (() => false),
      isAuthRequired: settings.isAuthRequired ?? false,
      ...(settings.allowsClearTextAuth && { allowsClearTextAuth: settings.allowsClearTextAuth }),
      hostname: "mx.restante.test",
      startTlsFor: settings.startTlsFor ?? (() => "offered"),
      onTlsFailure: (error) => {
        parts.log.warn({ code: (error as { code?: string } | null)?.code ?? null }, "TLS failure");
      },
      implicitTls: settings.implicitTls ?? false,
      isLmtp: settings.isLmtp ?? false,
      limits: { ...defaultLimits, ...settings.limits },
      secureContext: typeof secureContext === "function" ? secureContext : () => secureContext,
      faultySecureContext: settings.faultySecureContext ?? (() => createSecureContext()),
      ...parts,
      operations: settings.operations ?? parts.operations,
      clock: settings.clock ?? parts.clock,
    });
    return new SmtpTestServer(server, parts);
  }

  /** Opens a session and reads the greeting. */
  async connect(): Promise<SmtpDialogue> {
    const dialogue = await SmtpDialogue.connect(this.server.port);
    await dialogue.expect("220 mx.restante.test ");
    return dialogue;
  }

  /** Opens a session and sends EHLO. */
  async greeted(): Promise<SmtpDialogue> {
    const dialogue = await this.connect();
    await dialogue.play(["EHLO client.example", "250-mx.restante.test"]);
    return dialogue;
  }

  /** Opens a session and sends MAIL and RCPT for one recipient. */
  async addressed(): Promise<SmtpDialogue> {
    const dialogue = await this.greeted();
    await dialogue.play(["MAIL FROM:<sender@client.example>", "250 2.1.0"]);
    await dialogue.play(["RCPT TO:<someone@abcd1234.restante.test>", "250 2.1.5"]);
    return dialogue;
  }

  /** Received raw mails, as Latin-1. */
  get mails(): string[] {
    return this.operations.arrivals.map((arrival) => Buffer.from(arrival.raw).toString("latin1"));
  }

  /** Closes the listener and its connections at once. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = this.server.close();
    this.clock.advance(drainMsMax);
    await closed;
  }
}
