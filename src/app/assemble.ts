/** Composition root: builds the service from its settings and store, without opening listeners or starting loops. */
import { statfs } from "node:fs/promises";
import { contextParts, createNotifiers, openEvents, type Notifiers } from "./context-dependencies.ts";
import { httpMemoryObserver, observedAdmission, workerDependencies } from "./worker-dependencies.ts";
import type { BackgroundTaskRegistry } from "../core/background-tasks.ts";
import type { Arrival } from "../core/smtp-session.ts";
import type { Clock } from "../core/clock.ts";
import { createIdSource } from "../core/ids.ts";
import type { HttpOptions } from "../http/options.ts";
import { assetFolder, openAssets, type WebUi } from "../http/web/assets.ts";
import { createSessions, type Sessions } from "../http/web/sessions.ts";
import type { WireAddresses } from "../http/wire/web-schema.ts";
import type { SmtpServerOptions } from "../ingress/smtp/options.ts";
import { authenticateSession } from "../operations/inbound/authenticate-session.ts";
import { resolveRecipient } from "../operations/inbound/resolve-recipient.ts";
import type { Context } from "../operations/context.ts";
import type { EmailReading } from "../operations/services/reading/email-reader.ts";
import { receiveEmail } from "../operations/inbound/receive-email.ts";
import { createWaiters } from "../operations/services/events/waiters.ts";
import type { NodeStore } from "../store/node-store.ts";
import { freeBytesOf } from "../store/sqlite/maintenance/storage-guard.ts";
import type { Store } from "../store/store.ts";
import type { SecureContextSource } from "../tls/secure-context-source.ts";
import type { Config } from "./settings/config.ts";
import type { Log } from "./log/log.ts";
import { isLoopback, startTlsRule } from "./loopback.ts";
import { acceptsUnknown, type PublicMail } from "./public-mail/public-mail.ts";
import { createMetrics, type Metrics } from "./metrics/metrics.ts";
import { type SpanStart, traceparentOf } from "../core/tracing.ts";
import { inNetworks } from "../core/ip-address.ts";
import { createReadiness, type Readiness } from "./readiness.ts";
import { externalClients, openAddresses, type ServiceAddresses, settingsOf } from "./external-checks.ts";
import type { Traces } from "./tracing/load-traces.ts";
import { readVersion } from "./version.ts";

/** Dependencies of everything in the service. */
export interface BaseDependencies {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Store;
  /** Coordination with other nodes; null when this process owns its store. */
  readonly nodes: NodeStore | null;
  readonly tls: SecureContextSource;
  /** Host names of providers that lead to this service, with the name of the provider. */
  readonly interceptedHosts: ReadonlyMap<string, string>;
  /** Host names that browsers may use for the API besides loopback and the bound address. */
  readonly browserHosts: readonly string[];
  /** Operations on mail from the Internet; undefined where mail arrives from the own network only. */
  readonly publicMail: PublicMail | undefined;
  /** Export of traces. */
  readonly traces: Traces;
  /** Registry of background tasks. */
  readonly tasks: BackgroundTaskRegistry;
}

/** Parts of a service, connected. */
export interface Assembly extends Omit<ServiceAddresses, "listeners"> {
  readonly context: Context;
  /** Notifiers, to which the workers listen. */
  readonly notifiers: Notifiers;
  readonly reparse: EmailReading["reparse"];
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly sessions: Sessions;
  /** Options of HTTP listeners, except the port. */
  readonly httpOptions: HttpOptions;
  /** Options of SMTP listeners, except the port. */
  readonly smtpOptions: Omit<SmtpServerOptions, "port" | "implicitTls" | "onTlsFailure">;
  /** Ends waiting searches and event streams, and rejects new ones. */
  readonly endWaiting: () => void;
  /** Closes workers, subscriptions and files; to be called after the listeners are closed. */
  close(): Promise<void>;
}

/** Builds the parts of one service. */
export function assemble(base: BaseDependencies): Assembly {
  const { config, clock, store, tasks } = base;
  const closing = new AbortController();
  const notifiers = createNotifiers();
  const { events, close: closeEvents } = openEvents(base);
  const waiters = createWaiters(events, config.limits);
  const metrics = createMetrics(readVersion(), store.statistics.bind(store), waiters.count.bind(waiters));
  metrics.watchLostSpans(base.traces.lost);
  metrics.watchTasks(tasks);
  const { reading, ...workers } = workerDependencies(base, metrics);
  const readiness = createReadiness(store, clock);
  const { listeners, ...addresses } = openAddresses(config);
  const settings = settingsOf(config, addresses);
  const context: Context = {
    store,
    clock,
    limits: config.limits,
    events,
    waiters,
    settings,
    ids: createIdSource(() => clock.now()),
    readEmail: reading.read,
    admission: observedAdmission(base, metrics),
    ...contextParts(base, metrics, notifiers),
    ...workers,
    ...externalClients(config, { own: addresses.ownService, policy: settings.targets, clock }),
    closing: closing.signal,
  };
  const owned = [reading, ...Object.values(workers), context.renderer, context.audit];
  const sessions = createSessions(context);
  return {
    context,
    reparse: reading.reparse,
    metrics,
    readiness,
    sessions,
    httpOptions: {
      ...httpOptionsOf(base, { context, metrics, readiness }),
      web: webUiOf(config, sessions, () => ({ ...listeners(), url: settings.publicUrl() })),
    },
    smtpOptions: smtpOptionsOf(base, { context, metrics }),
    ...addresses,
    notifiers,
    endWaiting: () => {
      waiters.close();
      closing.abort();
    },
    close: async () => {
      metrics.close();
      closeEvents();
      await Promise.all(owned.map((one) => one.close()));
    },
  };
}

function smtpOptionsOf(
  { config, clock, log, tls, store, nodes, publicMail }: BaseDependencies,
  { context, metrics }: Pick<Assembly, "context" | "metrics">,
): Assembly["smtpOptions"] {
  const isRequired = config.smtpAuth === "required";
  const authMode = acceptsUnknown(config, config.smtpAuth) ? "any" : isRequired ? "required" : "known";
  return {
    hosts: config.bind,
    isAuthRequired: isRequired,
    hostname: config.mx ?? config.mailDomain,
    ...(config.mx !== null && { allowsClearTextAuth: isLoopback }),
    isProxy: inNetworks(config.smtpProxies),
    startTlsFor: startTlsRule(config.smtpStarttls),
    secureContext: tls.current,
    faultySecureContext: tls.faulty,
    limits: config.limits,
    clock,
    log,
    metrics: metrics.smtp,
    memory: { watch: metrics.watchMemory },
    operations: {
      authenticate: (credentials) =>
        authenticateSession(context, credentials, { mode: authMode, token: config.smtpToken }),
      ...(publicMail !== undefined && { screenRecipient: publicMail.openScreening(nodes === null ? null : store) }),
      resolveRecipient: (address, authenticatedAs) => resolveRecipient(context, address, authenticatedAs),
      decideFault: (occurrence) => context.faults.decide(occurrence),
      requireRoom: (server, sizeBytes) => context.quotas.requireRoom(server, sizeBytes),
      admit: (sizeBytes, recipients) => context.admission.admit(sizeBytes, recipients[0]?.server ?? ""),
      receive: async (arrival) =>
        context.tracing.run(receiptOf(arrival), async () =>
          receiveEmail(context, publicMail === undefined ? arrival : await publicMail.judgeSender(context, arrival)),
        ),
    },
  };
}

/** Returns the span of a mail, from its MAIL command to its commit; the field `traceparent` of the mail names its caller. */
function receiptOf({ raw, beganAt, recipients }: Arrival): SpanStart {
  return {
    name: "receive mail",
    parent: () => traceparentOf(raw),
    startedAt: () => beganAt ?? performance.now(),
    attributes: () => ({ "messaging.message.body.size": raw.length, "restante.recipients": recipients.length }),
  };
}

function httpOptionsOf(
  { config, log, tasks, interceptedHosts, browserHosts }: BaseDependencies,
  { context, metrics, readiness }: Pick<Assembly, "context" | "metrics" | "readiness">,
): HttpOptions {
  return {
    context,
    listEnvelope: config.listEnvelope,
    health: { live: () => true, ready: readiness.isReady, metricsText: metrics.text, taskStates: () => tasks.states() },
    observer: {
      answered: (request) => {
        metrics.httpRequestDone(request);
        log.debug({ ...request }, "request answered");
      },
      failed: ({ error, ...request }) => log.error({ ...request, err: error }, "request failed"),
    },
    memory: httpMemoryObserver({ log }, metrics),
    hostRules: { bindAddresses: config.bind, hosts: browserHosts },
    interceptedHosts,
    trustLoopback: config.trustLoopback,
    isProxy: inNetworks(config.httpProxies),
  };
}

function webUiOf(
  { mailDomain, publicUrl, dataDir, databaseUrl }: Config,
  sessions: Sessions,
  listeners: () => Pick<WireAddresses, "url" | "smtp">,
): WebUi {
  const url = publicUrl === null ? null : new URL(publicUrl);
  const basePath = url?.pathname.replace(/\/$/, "") ?? "";
  return {
    assets: openAssets(assetFolder, basePath),
    sessions,
    addresses: () => ({ ...listeners(), mailDomain }),
    version: readVersion(),
    cookie: { isSecure: url?.protocol === "https:", basePath },
    freeBytes: async () => (databaseUrl === null ? freeBytesOf(await statfs(dataDir)) : null),
  };
}
