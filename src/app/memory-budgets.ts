/** Metrics and log lines of memory budgets. */
import type { MemoryObserver } from "../core/memory-observer.ts";
import { createMailAdmission, type MailAdmission } from "../operations/services/limits/mail-admission.ts";
import type { BaseDependencies } from "./assemble.ts";
import type { Metrics } from "./metrics/metrics.ts";

/** Creates the admission of large mails, with its metrics and log lines. */
export function observedAdmission({ config, clock, log }: BaseDependencies, metrics: Metrics): MailAdmission {
  const admission = createMailAdmission(config.limits, clock, (change) => {
    if (change === "waiting") log.warn({}, "large mails wait for memory");
    else log.info({}, "large mails no longer wait for memory");
  });
  metrics.watchMemory("mail_work", admission.bytesReserved);
  metrics.watchWaitingMails(admission.waitingCount);
  return admission;
}

/** Returns the observer of the memory of HTTP requests and responses. */
export function httpMemoryObserver({ log }: Pick<BaseDependencies, "log">, metrics: Metrics): MemoryObserver {
  return {
    watch: metrics.watchMemory,
    changed: (kind, isExhausted) => {
      if (isExhausted) log.warn({ kind }, "HTTP refuses requests: memory budget exhausted");
      else log.info({ kind }, "HTTP accepts requests again: memory budget has room");
    },
  };
}
