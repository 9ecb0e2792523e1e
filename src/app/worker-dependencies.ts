import type { Context } from "../operations/context.ts";
import { createInspector } from "../operations/services/inspection/inspector.ts";
import { createMailAdmission, type MailAdmission } from "../operations/services/limits/mail-admission.ts";
import { createBodyAnalyser } from "../operations/services/reading/body-analyser.ts";
import { createEmailReading, type EmailReading } from "../operations/services/reading/email-reader.ts";
import { createTemplateRenderer } from "../operations/services/templates/template-renderer.ts";
import type { BaseDependencies } from "./assemble.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { MemoryObserver } from "../core/process-resources.ts";

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

/** Parts of the service whose work is done by worker processes. */
type WorkerDependencies = Pick<Context, "inspector" | "bodies" | "templates"> & { readonly reading: EmailReading };

/**
 * Creates the parser of mails, the analysers and the renderer of templates, which run in worker processes that start with the
 * first call. Their large calls share a memory as large as that of mails: two mails of the largest size in two processes would
 * end a container of 1 GiB.
 */
export function workerDependencies({ config, clock, tasks }: BaseDependencies, metrics: Metrics): WorkerDependencies {
  const { limits } = config;
  const room = createMailAdmission(limits, clock);
  metrics.watchMemory("mail_work", room.bytesReserved);
  return {
    reading: createEmailReading({ limits, clock, tasks, room }),
    inspector: createInspector({ limits, clock, tasks, room }),
    bodies: createBodyAnalyser({ clock, tasks, room }),
    templates: createTemplateRenderer({ clock, tasks }),
  };
}
