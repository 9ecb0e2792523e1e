/** Start and stop of a service. */
import { createBackgroundTasks } from "../core/background-tasks.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { Problem } from "../core/errors.ts";
import type { ServerId } from "../core/ids.ts";
import type { Server } from "../core/server.ts";
import type { NodeStore } from "../store/node-store.ts";
import { type AccountKey, ensureAccountKey, ensureNumbers, ensureServers } from "./account.ts";
import { startAuditCollection } from "./background/audit-collection.ts";
import type { Assembly, BaseDependencies } from "./assemble.ts";
import type { Config } from "./settings/config.ts";
import type { Ports } from "./listeners/listeners.ts";
import { openCertificateOrders, openCertificates } from "./certificates.ts";
import { logBackgroundTask } from "./background/background-log.ts";
import { type Log, openLog, type OpenLog } from "./log/log.ts";
import { hostAndPort, isLoopbackOnly, reachableAddress } from "./loopback.ts";
import { startHeartbeat, startIssuerLoop, startMaintenance } from "./background/maintenance.ts";
import type { OwnServers } from "./own-servers.ts";
import { startStore } from "./open-store.ts";
import { refuseMissingBrowser } from "./external-checks.ts";
import { startMailLoops } from "./background/mail-loops.ts";
import { hostsOfService } from "./host-names.ts";
import { loadTraces } from "./tracing/load-traces.ts";
import { loadPublicMail } from "./public-mail/public-mail.ts";
import { removeServiceFile, writeServiceFile } from "./service-file.ts";
import { reportForeignSecrets } from "./secret-key.ts";
import { throttledLog } from "./log/throttled-log.ts";

/** Replacements for tests and for programs that embed the service. */
export interface Overrides {
  readonly clock?: Clock;
  readonly log?: OpenLog;
  /** Whether the store syncs commits to disk; true by default. */
  readonly durable?: boolean;
}

/** Service that is ready for mail and requests. */
export interface RunningService {
  readonly config: Config;
  readonly ports: Ports;
  /** Address at which this machine reaches the listeners. */
  readonly host: string;
  /** Base URL of the API, as in responses. */
  readonly url: string;
  /**
   * URL of the web UI that signs in one browser, once; null when the listeners are not on loopback, when HTTP is off, and
   * when the disk is full.
   */
  readonly signInUrl: string | null;
  /** Servers of RESTANTE_SERVERS, else all, oldest first; at least one. */
  readonly servers: readonly [Server, ...Server[]];
  readonly accountKey: AccountKey;
  /** PEM file of the local CA; null when the operator configured a certificate. */
  readonly caFile: string | null;
  /** Opens a server with a key and an SMTP listener of its own; see {@link OwnServers.open}. */
  readonly openOwnServer: OwnServers["open"];
  /**
   * Stops accepting work, completes running work (a mail whose DATA is being received is stored), and resolves when everything
   * is closed. Safe to call twice.
   */
  stop(): Promise<void>;
}

/** Duration of the start lease: other nodes wait so long at most for a node that crashes during its start. */
const startMsMax = 10_000;
const startPauseMs = 50;

/**
 * Starts a service; resolves when it is ready for mail and requests. Rejects, with nothing left open, with
 * {@link SettingsError} when the settings do not work on this machine or with this store, and with an `Error` for the
 * operator when the data folder cannot be used.
 */
export async function startService(config: Config, overrides: Overrides = {}): Promise<RunningService> {
  refuseMissingBrowser(config);
  const clock = overrides.clock ?? systemClock;
  await using stack = new AsyncDisposableStack();
  const log = throttledLog(overrides.log ?? openLog(config.log), clock);
  stack.defer(log.flush);

  const tasks = createBackgroundTasks(clock, (event) => logBackgroundTask(log, event));
  const starting = startStore(config, { clock, log, tasks, durable: overrides.durable ?? true });
  // The threads of the store start on other cores while this one loads the other modules.
  const loading = loadModules(config, clock);
  const { store, nodes, ready } = await starting;
  stack.defer(() => store.close());
  stack.defer(async () => nodes?.close());
  const { names, ...hosts } = await hostsOfService(config);
  const tls = stack.adopt(openCertificates({ config, clock, log, tasks }, names), (source) => source.close());
  await ready();
  const traces = stack.adopt(await loadTraces(config, { clock, tasks, log }), (open) => open.close());
  const { assemble, openListeners, portNumbers, startWorkers, createOwnServers, publicMail } = await loading;
  const assembly = stack.adopt(
    assemble({ config, clock, log, store, nodes, tls, tasks, publicMail, traces, ...hosts }),
    (parts) => parts.close(),
  );
  const { accountKey, servers } = await withStartLease(nodes, clock, async () => prepareAccount(assembly, config, log));

  const hostNames = [...names.required, ...names.optional];
  const { context } = assembly;
  const challenges = await openCertificateOrders(config, { context, nodes, log, tasks, tls });
  const { ports } = stack.adopt(await openListeners({ assembly, config, tls, hostNames, challenges }), (listeners) =>
    listeners.close(),
  );
  const ownServers = stack.adopt(createOwnServers(assembly, config, tls), (open) => open.close());
  assembly.setListenerPorts(() => new Set([...portNumbers(ports), ...ownServers.ports()]));
  if (challenges !== null) stack.defer(challenges.start());
  stack.defer(startMaintenance(assembly, { nodes, log, tasks }));
  stack.defer(startIssuerLoop(context, tasks));
  stack.defer(startMailLoops(assembly, { config, log, nodes, tasks }));
  if (nodes === null) stack.defer(await startAuditCollection({ context, dataDir: config.dataDir, log, tasks }));
  stack.defer(await startHeartbeat(nodes, { clock, log, tasks, wakeWorkers: wakeWorkersOf(assembly) }));
  stack.defer(await startWorkers(assembly, { config, log, nodes, tasks }));
  publishAddresses(assembly, { config, log }, { ports, server: servers[0].id, caFile: tls.caFile });
  stack.defer(() => stopAccepting(assembly, config));

  const signInUrl = await signInUrlOf(assembly, config, ports);
  const running = stack.move();
  return {
    config,
    ports,
    host: reachableAddress(config.bind),
    url: context.settings.publicUrl(),
    signInUrl,
    servers,
    accountKey,
    caFile: tls.caFile,
    openOwnServer: (options) => ownServers.open(options),
    stop: onlyOnce(() => running.disposeAsync()),
  };
}

/** Loads the modules of a running service. */
async function loadModules(config: Config, clock: Clock) {
  const [{ assemble }, { openListeners, portNumbers }, { startWorkers }, { createOwnServers }, publicMail] =
    await Promise.all([
      import("./assemble.ts"),
      import("./listeners/listeners.ts"),
      import("./background/workers.ts"),
      import("./own-servers.ts"),
      loadPublicMail(config, clock),
    ]);
  return { assemble, openListeners, portNumbers, startWorkers, createOwnServers, publicMail };
}

/** Prepares the account before the listeners open. */
async function prepareAccount(
  { context }: Assembly,
  config: Config,
  log: Log,
): Promise<{ readonly accountKey: AccountKey; readonly servers: readonly [Server, ...Server[]] }> {
  await reportForeignSecrets(context, log);
  const accountKey = await ensureAccountKey(context, config);
  const servers = await ensureServers(context, config);
  await ensureNumbers(context, config);
  return { accountKey, servers };
}

function wakeWorkersOf({ context }: Assembly): () => void {
  return () => {
    context.wakeOutbox();
    context.wakeCallbacks();
  };
}

/** Runs the action on one node at a time, when several start at once. */
async function withStartLease<Result>(
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

/** Publishes the addresses of the listeners, in memory and in the service file, and sets the service ready. */
function publishAddresses(
  { readiness, setAddresses, context }: Assembly,
  { config, log }: Pick<BaseDependencies, "config" | "log">,
  { ports, server, caFile }: { readonly ports: Ports; readonly server: ServerId; readonly caFile: string | null },
): void {
  const host = reachableAddress(config.bind);
  const { url, httpsUrl } = urlsOf(config, ports);
  const smtp = ports.smtp === null ? null : { host, port: ports.smtp };
  const { operatorToken } = context;
  if (url !== null || httpsUrl !== null) setAddresses({ url: url ?? httpsUrl ?? "", smtp });
  const { intercept: intercepted, mailDomain } = config;
  const address = { pid: process.pid, url, httpsUrl, smtp, server, caFile, operatorToken, mailDomain, intercepted };
  try {
    writeServiceFile(config.dataDir, address);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    log.warn(
      { err: error },
      "service.json could not be written: commands such as `restante env` cannot find the service",
    );
  }
  readiness.setOpen(true);
}

/** A service starts with a full disk, so that mail can be read and deleted. */
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

/** Returns the sign-in URL. The token is in the fragment, which browsers do not send. */
async function signInUrlOf({ context, sessions }: Assembly, config: Config, ports: Ports): Promise<string | null> {
  const { url, httpsUrl } = urlsOf(config, ports);
  const page = config.publicUrl ?? url ?? httpsUrl;
  const account = (await context.store.listKeys()).find((key) => key.server === null);
  if (page === null || account === undefined || !isLoopbackOnly(config.bind)) return null;
  const token = await sessions.issueToken(account.hash).catch(ignoreProblem);
  return token === null ? null : `${page}/#token=${token}`;
}

/** Ignores problems such as a full disk, with which the service starts without a sign-in URL. */
function ignoreProblem(error: unknown): null {
  if (error instanceof Problem) return null;
  throw error;
}

function stopAccepting({ readiness, endWaiting }: Assembly, config: Config): void {
  readiness.setOpen(false);
  removeServiceFile(config.dataDir);
  endWaiting();
}

function onlyOnce(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= action());
}
