/** Metrics of SMTP, IMAP and POP3 sessions. */

type Labels = Readonly<Record<string, string>>;

/** Name, help and labels of a metric. */
interface MetricDefinition {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: string[];
}

/** Number that rises and falls. */
interface MetricGauge {
  inc(labels: Labels): void;
  inc(): void;
  dec(labels: Labels): void;
  dec(): void;
}

/** Creates metrics in the registry of the service. */
export interface MetricFactory {
  readonly counter: (definition: MetricDefinition) => {
    inc(labels: Labels, value?: number): void;
    inc(value?: number): void;
  };
  readonly gauge: (definition: MetricDefinition) => MetricGauge;
}

/** Counters of SMTP listeners; their methods return at once and never throw. */
export interface SmtpCounters {
  sessionOpened(): void;
  sessionClosed(): void;
  /** Counts a mail that was committed and answered with 250. */
  mailAccepted(sizeBytes: number): void;
  refused(reason: string): void;
}

/** Creates the counters of SMTP listeners. */
export function smtpCounters({ counter, gauge }: MetricFactory): SmtpCounters {
  const sessions = gauge({ name: "restante_smtp_sessions", help: "Open SMTP sessions" });
  const opened = counter({ name: "restante_smtp_sessions_total", help: "SMTP sessions opened" });
  const accepted = counter({ name: "restante_mails_accepted_total", help: "Mails answered with 250" });
  const bytes = counter({ name: "restante_mail_bytes_total", help: "Bytes of accepted mails" });
  const refusals = counter({
    name: "restante_smtp_refusals_total",
    help: "SMTP sessions, commands and mails rejected, by reason",
    labelNames: ["reason"],
  });
  return {
    sessionOpened() {
      sessions.inc();
      opened.inc();
    },
    sessionClosed() {
      sessions.dec();
    },
    mailAccepted(sizeBytes) {
      accepted.inc();
      bytes.inc(sizeBytes);
    },
    refused(reason) {
      refusals.inc({ reason });
    },
  };
}

/** Counters of the listeners of one protocol; methods return at once and never throw. */
interface MailAccessCounters {
  sessionOpened(): void;
  sessionClosed(): void;
  refused(reason: string): void;
}

/** Metrics of the listeners for reading mail. */
export interface MailAccessMetrics {
  /** Returns the counters of a protocol. */
  readonly mailAccess: (protocol: "pop3" | "imap") => MailAccessCounters;
}

/** Creates the metrics. */
export function mailAccessMetrics({ counter, gauge }: MetricFactory): MailAccessMetrics {
  const labelNames = ["protocol"];
  const sessions = gauge({
    name: "restante_mail_access_sessions",
    help: "Open sessions of clients that read mail, by protocol",
    labelNames,
  });
  const opened = counter({
    name: "restante_mail_access_sessions_total",
    help: "Sessions of clients that read mail, by protocol",
    labelNames,
  });
  const refusals = counter({
    name: "restante_mail_access_refusals_total",
    help: "Sessions and commands of clients that read mail rejected, by protocol and reason",
    labelNames: [...labelNames, "reason"],
  });
  return {
    mailAccess: (protocol) => ({
      sessionOpened: () => {
        sessions.inc({ protocol });
        opened.inc({ protocol });
      },
      sessionClosed: () => {
        sessions.dec({ protocol });
      },
      refused: (reason) => {
        refusals.inc({ protocol, reason });
      },
    }),
  };
}
