/** Outbox worker of the service: SMTP relay and SMS providers. */
import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Clock } from "../../core/clock.ts";
import { decodeMessageId } from "../../core/ids.ts";
import type { NumberSecrets, OwnedNumber } from "../../core/phone-number.ts";
import type { DeliveryStage } from "../../egress/delivery-failure.ts";
import { type AttemptReport, deliverEntry, outboxQueue } from "../../egress/outbox/outbox-queue.ts";
import type { DkimKey, SmtpRelay } from "../../egress/relay/smtp-relay.ts";
import { deliverSms, type PhoneSms, sendByProvider } from "../../egress/sms/deliver-sms.ts";
import { findRoute } from "../../operations/sending/allowed-recipients.ts";
import { openNumberSecrets } from "../../operations/services/security/stored-secrets.ts";
import { startQueueWorker } from "../../queue/queue-worker.ts";
import type { OutboxEntry } from "../../store/outbox-store.ts";
import type { Assembly } from "../assemble.ts";
import type { Log } from "../log/log.ts";
import { createRepeatLog } from "../log/throttled-log.ts";
import { type Config, SettingsError } from "../settings/config.ts";
import type { WorkerDependencies } from "./workers.ts";

// Log of the attempts of the outbox: a relay that rejects thousands of mails causes one line a minute, not thousands.

/** Stages of a delivery before any part of the mail is sent. */
const sessionStages: ReadonlySet<DeliveryStage> = new Set(["connect", "tls", "login"]);

/**
 * Returns a function that logs an attempt without addresses; the id of the entry identifies the message. Of failures with the
 * same route, status, stage and reply code, it logs the first as a warning and then one a minute with `suppressedCount`, the
 * number of those between, which it logs at level debug.
 */
export function createOutboxLog(log: Log, clock: Pick<Clock, "monotonicMs">): (report: AttemptReport) => void {
  const logFailure = createRepeatLog(log, clock, "warn");
  return ({ entry, status, failure }) => {
    const { id, route, attempts } = entry;
    const fields = { entry: id, route, status, attempts };
    if (failure === null) {
      log.debug(fields, "outbox entry delivered");
      return;
    }
    const { stage, replyCode, message } = failure;
    // Before the mail is sent, error texts contain no addresses ("self-signed certificate").
    const reason = sessionStages.has(stage) ? message : undefined;
    const key = `${route} ${status} ${stage} ${String(replyCode)}`;
    logFailure(key, { ...fields, stage, replyCode, reason }, "outbox delivery failed");
  };
}

/** Starts the worker of the outbox. Rejects with {@link SettingsError} when the DKIM key cannot be read. */
export async function startOutbox(
  { context, metrics, notifiers, ownService }: Assembly,
  { config, log, nodes, tasks, reports }: WorkerDependencies,
): Promise<() => Promise<void>> {
  const { store, clock, events } = context;
  const relay = await openRelay(config, ownService);
  const openSecrets = (number: OwnedNumber): NumberSecrets | undefined => openNumberSecrets(context.secrets, number);
  const closing = new AbortController();
  const rules = { policy: context.settings.targets, signal: closing.signal };
  const send = (text: PhoneSms): Promise<void> => sendByProvider(text, rules);
  const ways = {
    store,
    relay,
    isAllowed: async (address: string) => (await findRoute(context, address)) === "relay",
    isPending: async (address: string) =>
      (await store.verifiedAddresses.findVerifiedAddress(address))?.status === "Pending",
    deliverSms: (entry: OutboxEntry) => deliverSms({ store, openSecrets, send }, entry),
  };
  const logAttempt = createOutboxLog(log, clock);
  const definition = outboxQueue({
    queue: store.outbox.queue,
    clock,
    firstPauseMs: config.outboxRetryMs,
    random: Math.random,
    deliver: (entry) => deliverEntry(ways, entry),
    onAttempt: (report) => {
      metrics.attempted({ route: report.entry.route, status: report.status });
      logAttempt(report);
      if (report.status === "Sent" && report.entry.message !== null) reports.wake();
      const { message } = report.entry;
      if (report.sequence === null || message === null) return;
      const change = { sequence: report.sequence, kind: "failed", id: message } as const;
      events.publish({ server: decodeMessageId(message).server, change, message: null });
    },
  });
  const worker = startQueueWorker({ clock, nodes, tasks }, definition);
  notifiers.outbox.listen(worker.wake);
  return async () => {
    await worker.close();
    closing.abort();
    relay?.close();
  };
}

async function openRelay(config: Config, own: Assembly["ownService"]): Promise<SmtpRelay | null> {
  const dkim = dkimKeyOf(config);
  if (config.relayUrl === null) return null;
  // The SMTP client takes 20 MB, and most services have no relay.
  const { createSmtpRelay } = await import("../../egress/relay/smtp-relay.ts");
  return createSmtpRelay({ url: config.relayUrl, dkim, own });
}

function dkimKeyOf({ dkimDomain: domain, dkimSelector: selector, dkimKey: file }: Config): DkimKey | null {
  if (domain === null || selector === null || file === null) return null;
  try {
    const privateKey = readFileSync(file, "utf8");
    createPrivateKey(privateKey);
    return { domain, selector, privateKey };
  } catch (error) {
    throw new SettingsError([`RESTANTE_DKIM_KEY: ${file} is not a readable private key in PEM`], {
      cause: error,
    });
  }
}
