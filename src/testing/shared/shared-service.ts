/** Service that the workers of a test run share, in a process of its own. */
import { once } from "node:events";
import { readdirSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { OwnServer } from "../../app/own-servers.ts";
import { hostAndPort } from "../../app/loopback.ts";
import { startService, type RunningService } from "../../app/service.ts";
import { systemClock } from "../../core/clock.ts";
import { tryLockDirectory } from "../../store/sqlite/connection/store-directory.ts";
import { configOf } from "../restante-options.ts";
import type { SharedStart } from "./attach.ts";
import { readLines, sendLine, type Attachment, type AttachRequest, type CallerLine } from "./protocol.ts";
import { isRunning, ServiceLifetime } from "./service-lifetime.ts";
import type { SharedFolder } from "./shared-folder.ts";
import { openSharedLog, writeToStandardError, type SharedLog } from "./shared-log.ts";

/** Bytes of log lines that wait for a slow caller; further lines are not sent to it. */
const logBytesMax = 1024 * 1024;
const dataPrefix = "data-";

/**
 * Runs a shared service until its lifetime ends or the process gets a signal; resolves when it is closed and its data is
 * removed. Returns at once when another service has the folder.
 */
export async function runSharedService(folder: SharedFolder, start: SharedStart): Promise<void> {
  const release = tryLockDirectory(folder.serviceLock);
  if (release === undefined) return;
  await using stack = new AsyncDisposableStack();
  stack.defer(release);
  removeData(folder);
  stack.defer(() => {
    removeData(folder);
  });
  const { promise: end, resolve: onEnd } = Promise.withResolvers<void>();
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.once(signal, () => {
      onEnd();
    });
  const shared = openSharedLog(writeToStandardError);
  const dataDir = join(folder.folder, `${dataPrefix}${process.pid}`);
  const { mailDomain, chromium, owner } = start;
  const config = configOf({ mailDomain, chromium, catchAll: "off" }, dataDir);
  const service = await startService(config, { durable: false, log: shared.log });
  stack.defer(() => service.stop());
  const lifetime = new ServiceLifetime(owner, { clock: systemClock, isRunning, onEnd });
  // A former service that was killed leaves its socket.
  if (process.platform !== "win32") rmSync(folder.socketPath, { force: true });
  stack.adopt(await listen(folder.socketPath, { service, shared, lifetime }), (callers) => callers.close());
  shared.log.info({ pid: process.pid }, "shared service started");
  await end;
  shared.log.info({ pid: process.pid }, "shared service stops");
}

interface CallerDependencies {
  readonly service: RunningService;
  readonly shared: SharedLog;
  readonly lifetime: ServiceLifetime;
}

/** Listens for callers; the returned function detaches all and stops. */
async function listen(path: string, dependencies: CallerDependencies): Promise<{ close(): Promise<void> }> {
  const served = new Map<Socket, Promise<void>>();
  const listener = createServer((socket) => {
    served.set(
      socket,
      serveCaller(socket, dependencies).finally(() => served.delete(socket)),
    );
  });
  listener.listen(path);
  await once(listener, "listening");
  const close = async (): Promise<void> => {
    listener.close();
    for (const socket of served.keys()) socket.destroy();
    await Promise.all(served.values());
  };
  return { close };
}

/** Serves one caller; resolves when it has detached or its connection has closed, and its server is deleted. */
async function serveCaller(socket: Socket, dependencies: CallerDependencies): Promise<void> {
  const { log } = dependencies.shared;
  const { promise: left, resolve: onLeft } = Promise.withResolvers<void>();
  let opening: Promise<() => Promise<void>> | undefined;
  readLines<CallerLine>(socket, (line) => {
    if ("attach" in line) opening ??= attach(socket, line.attach, dependencies);
    else onLeft();
  });
  socket.on("error", (error) => {
    log.debug({ err: error }, "connection of a caller failed");
  });
  socket.once("close", onLeft);
  await left;
  try {
    const close = await opening;
    await close?.();
  } catch (error) {
    log.error({ err: error }, "removing a caller's server failed");
  }
  sendLine(socket, { detached: true });
  socket.end();
}

/** Opens a server for a caller; the returned function closes it. */
async function attach(
  socket: Socket,
  request: AttachRequest,
  { service, shared, lifetime }: CallerDependencies,
): Promise<() => Promise<void>> {
  const remove = lifetime.add(request.owner);
  const unfollow = shared.follow(request.log, (log) => {
    if (socket.writableLength < logBytesMax) sendLine(socket, { log });
  });
  let own: OwnServer | undefined;
  const close = async (): Promise<void> => {
    try {
      await own?.close();
      if (own !== undefined) shared.log.info({ server: own.server }, "caller detached");
    } finally {
      unfollow();
      remove();
    }
  };
  try {
    const { smtpPort, smtpStarttls, isCatchAll } = request;
    own = await service.openOwnServer({ name: `Process of ${request.owner}`, smtpPort, smtpStarttls, isCatchAll });
    shared.log.info({ server: own.server }, "caller attached");
    sendLine(socket, { attached: attachmentOf(service, own) });
  } catch (error) {
    shared.log.warn({ err: error }, "caller refused");
    sendLine(socket, { refused: error instanceof Error ? error.message : String(error) });
  }
  return close;
}

function attachmentOf({ config, host, url, ports, caFile }: RunningService, own: OwnServer): Attachment {
  const httpsUrl = `https://${hostAndPort(host, ports.https ?? 0)}`;
  const { apiKey, server: serverId, smtpPort } = own;
  return { apiKey, serverId, mailDomain: config.mailDomain, host, smtpPort, url, httpsUrl, caFile };
}

/** Removes the data of this service and of former ones that were killed. */
function removeData({ folder }: SharedFolder): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(dataPrefix)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
