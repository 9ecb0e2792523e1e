/** A service's life: everything it takes to be ready, in order, and back again. */
import { isAbsolute, join } from "node:path";
import { createBackgroundTasks } from "../core/background-tasks.ts";
import { systemClock, type Clock } from "../core/clock.ts";
import { Problem } from "../core/errors.ts";
import type { ServerId } from "../core/ids.ts";
import type { Server } from "../core/server.ts";
import { isExecutable } from "../previews/find-browser.ts";
import type { NodeStore } from "../store/node-store.ts";
import {
  CertificateRefused,
  createSecureContextSource,
  type CertificateEvent,
  type SecureContextSource,
} from "../tls/secure-context-source.ts";
import { hostNamesOf, type HostNames } from "../tls/host-names.ts";
import { ensureAccountKey, ensureNumbers, ensureServers, type AccountKey } from "./account.ts";
import { startAuditCollection } from "./background/audit-collection.ts";
import type { Assembly, BaseDependencies } from "./assemble.ts";
import { SettingsError, type Config } from "./settings/config.ts";
import type { Ports } from "./listeners/listeners.ts";
import { logBackgroundTask } from "./background/background-log.ts";
import { openLog, type Log, type OpenLog } from "./log.ts";
import { hostAndPort, isLoopback, reachableAddress } from "./loopback.ts";
import { startHeartbeat } from "./background/heartbeat.ts";
import { openStore } from "./open-store.ts";
import { startRereadLoop } from "./background/reread-loop.ts";
import { removeServiceFile, writeServiceFile } from "./service-file.ts";
import { sealSecrets } from "./seal-secrets.ts";
import { throttledLog } from "./throttled-log.ts";
import { startMaintenance } from "./background/maintenance.ts";

/** What a test, or a program around the service, may put in the place of the real thing. */
export interface Overrides {
  readonly clock?: Clock;
  readonly log?: OpenLog;
  /** Whether what was accepted outlives a power cut; true unless said otherwise. */
  readonly durable?: boolean;
}

/** A service that is ready. */
export interface RunningService {
  readonly config: Config;
  readonly ports: Ports;
  /** Address at which this machine reaches all listeners. */
  readonly host: string;
  /** Base URL of the API, as answers give it. */
  readonly url: string;
  /** Opens the web UI and signs its first visitor in, once; null where others could reach it, where it is off, and where nothing can be stored. */
  readonly signInUrl: string | null;
  /** The servers of the settings, or all of them, oldest first; at least one. */
  readonly servers: readonly [Server, ...Server[]];
  readonly accountKey: AccountKey;
  /** PEM file of the local CA; null when the operator brought a certificate. */
  readonly caFile: string | null;
  /**
   * Stops taking work, lets what is under way end (mail whose content is on its way is stored), and resolves when
   * nothing is left open. Safe to call twice.
   */
  stop(): Promise<void>;
}

/** A node that starts and dies keeps the others waiting for so long at most. */
const startMsMax = 10_000;
const startPauseMs = 50;

/**
 * Starts a service; resolves when mail and requests are taken. Rejects with {@link SettingsError} when the settings do
 * not fit this machine or this store, with an `Error` for the operator when the data folder cannot be used; nothing is
 * left open then.
 */
export async function startService(config: Config, overrides: Overrides = {}): Promise<RunningService> {
  refuseMissingBrowser(config);
  const clock = overrides.clock ?? systemClock;
  await using stack = new AsyncDisposableStack();
  const log = throttledLog(overrides.log ?? openLog(config.log), clock);
  stack.defer(log.flush);

  const tasks = createBackgroundTasks(clock, (event) => {
    logBackgroundTask(log, event);
  });
  const opening = openStore(config, { clock, log, tasks, durable: overrides.durable ?? true });
  // While the store's threads start on other cores, this one loads the rest of the house.
  const loading = Promise.all([
    import("./assemble.ts"),
    import("./listeners/listeners.ts"),
    import("./background/outbox.ts"),
  ]);
  const { store, nodes } = await opening;
  stack.defer(() => store.close());
  stack.defer(async () => nodes?.close());
  const [{ assemble }, { openListeners }, { startOutbox }] = await loading;
  const names = hostNamesFor(config);
  const tls = stack.adopt(openCertificates({ config, clock, log, tasks }, names), (source) => source.close());

  const assembly = stack.adopt(assemble({ config, clock, log, store, nodes, tls, tasks }), (rooms) => rooms.close());
  const { accountKey, servers } = await oneAtATime(nodes, clock, async () => furnish(assembly, config, log));

  const hostNames = [...names.required, ...names.optional];
  const { ports } = stack.adopt(await openListeners({ assembly, config, tls, hostNames }), (doors) => doors.close());
  stack.defer(startMaintenance(assembly, { nodes, log, tasks }));
  stack.defer(startRereadLoop(assembly, { log, tasks }));
  if (nodes === null) {
    const { context } = assembly;
    stack.defer(await startAuditCollection({ context, dataDir: config.dataDir, log, tasks }));
  }
  stack.defer(await startHeartbeat(nodes, { clock, log, tasks, wakeOutbox: assembly.context.wakeOutbox }));
  stack.defer(await startOutbox(assembly, { config, log, nodes, tasks }));
  announce(assembly, { config, log }, { ports, server: servers[0].id, caFile: tls.caFile });
  stack.defer(() => {
    withdraw(assembly, config);
  });

  const signInUrl = await signInUrlOf(assembly, config, ports);
  const running = stack.move();
  return {
    config,
    ports,
    host: reachableAddress(config.bind),
    url: assembly.context.settings.publicUrl(),
    signInUrl,
    servers,
    accountKey,
    caFile: tls.caFile,
    stop: onlyOnce(() => running.disposeAsync()),
  };
}

/** Throws {@link SettingsError} when the operator named a browser that is not there. */
function refuseMissingBrowser({ chromium }: Config): void {
  if (!isAbsolute(chromium) || isExecutable(chromium)) return;
  throw new SettingsError([`RESTANTE_CHROMIUM: ${chromium} is not a program that can be run`]);
}

/** Prepares what must be there before the listeners open. */
async function furnish(
  { context }: Assembly,
  config: Config,
  log: Log,
): Promise<{ readonly accountKey: AccountKey; readonly servers: readonly [Server, ...Server[]] }> {
  await sealSecrets(context, log);
  const accountKey = await ensureAccountKey(context, config);
  const servers = await ensureServers(context, config);
  await ensureNumbers(context, config);
  return { accountKey, servers };
}

/** Of several nodes that start at once each waits for the one before, or for its end. */
async function oneAtATime<Result>(
  nodes: NodeStore | null,
  clock: Clock,
  action: () => Promise<Result>,
): Promise<Result> {
  if (nodes === null) return action();
  while (!(await nodes.hold("start", startMsMax))) {
    await new Promise<void>((resolve) => void clock.after(startPauseMs, resolve));
  }
  try {
    return await action();
  } finally {
    await nodes.release("start");
  }
}

/** From here on others may know that the service is there. */
function announce(
  { readiness, setAddresses, context }: Assembly,
  { config, log }: Pick<BaseDependencies, "config" | "log">,
  { ports, server, caFile }: { readonly ports: Ports; readonly server: ServerId; readonly caFile: string | null },
): void {
  const host = reachableAddress(config.bind);
  const { url, httpsUrl } = urlsOf(config, ports);
  const smtp = ports.smtp === null ? null : { host, port: ports.smtp };
  const { operatorToken } = context;
  if (url !== null || httpsUrl !== null) setAddresses({ url: url ?? httpsUrl ?? "", smtp });
  const address = { pid: process.pid, url, httpsUrl, smtp, server, caFile, operatorToken };
  try {
    writeServiceFile(config.dataDir, address);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    log.warn(
      { err: error },
      "service.json could not be written; commands such as `restante env` do not find the service",
    );
  }
  readiness.setOpen(true);
}

/** A service whose disk is full still starts, so that mail can be read and deleted. */
function isDiskFull(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOSPC" || code === "EDQUOT";
}

function urlsOf(config: Config, ports: Ports): { readonly url: string | null; readonly httpsUrl: string | null } {
  const host = reachableAddress(config.bind);
  return {
    url: ports.http === null ? null : `http://${hostAndPort(host, ports.http)}`,
    httpsUrl: ports.https === null ? null : `https://${hostAndPort(host, ports.https)}`,
  };
}

/** The token stands behind the `#`, which browsers send to nobody. */
async function signInUrlOf({ context, sessions }: Assembly, config: Config, ports: Ports): Promise<string | null> {
  const { url, httpsUrl } = urlsOf(config, ports);
  const page = url ?? httpsUrl;
  const account = (await context.store.listKeys()).find((key) => key.server === null);
  if (page === null || account === undefined || !isLoopback(config.bind)) return null;
  const token = await sessions.issueToken(account.hash).catch(passOverProblem);
  return token === null ? null : `${page}/#token=${token}`;
}

/** A service whose disk is full still starts, so that mail can be read and deleted. */
function passOverProblem(error: unknown): null {
  if (error instanceof Problem) return null;
  throw error;
}

function withdraw({ readiness, endWaiting }: Assembly, config: Config): void {
  readiness.setOpen(false);
  removeServiceFile(config.dataDir);
  endWaiting();
}

function hostNamesFor({ mailDomain, bind, publicUrl }: Config): HostNames {
  return hostNamesOf({ mailDomain, bind, publicHost: publicUrl === null ? null : new URL(publicUrl).hostname });
}

function openCertificates(
  { config, clock, log, tasks }: Pick<BaseDependencies, "config" | "clock" | "tasks"> & { log: OpenLog },
  names: HostNames,
): SecureContextSource {
  const { tlsCert, tlsKey } = config;
  const task = tasks.register("certificates", { degrades: "the former certificate stays in use" });
  try {
    return createSecureContextSource({
      folder: join(config.dataDir, "tls"),
      names,
      own: tlsCert === null || tlsKey === null ? null : { certFile: tlsCert, keyFile: tlsKey },
      clock,
      onEvent: (event) => {
        logCertificate(log, event);
        if (event.kind === "certificate_unusable") task.failed(new Error(event.problem));
        if (event.kind === "certificate_reloaded") task.succeeded();
      },
    });
  } catch (error) {
    if (!(error instanceof CertificateRefused)) throw error;
    throw new SettingsError([`RESTANTE_TLS_CERT, RESTANTE_TLS_KEY: ${error.message}`], { cause: error });
  }
}

function logCertificate(log: OpenLog, event: CertificateEvent): void {
  switch (event.kind) {
    case "authority_made":
      log.info({ caFile: event.caFile }, "made a local CA; clients that verify certificates must trust it");
      break;
    case "certificate_reloaded":
      log.info({}, "the certificate has changed and is in use");
      break;
    case "certificate_unusable":
      log.error({ problem: event.problem }, "the changed certificate cannot be used; the former one stays");
      break;
  }
}

function onlyOnce(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= action());
}
