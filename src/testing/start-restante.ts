/** restante in a test process. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readKeyFile } from "../app/account.ts";
import { startService, type RunningService } from "../app/service.ts";
import { hostAndPort } from "../app/loopback.ts";
import { configOf, type Restante, type RestanteOptions } from "./restante-options.ts";

/** Types of the options and of the service. */
export type { Restante, RestanteOptions } from "./restante-options.ts";

/**
 * Starts a service in this process, whatever `shared` is. The entry of the package decides between this function and a
 * shared service.
 */
export async function startRestante(options: RestanteOptions = {}): Promise<Restante> {
  const isThrowAway = options.dataDir === undefined;
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "restante-"));
  const removeTraces = (): void => {
    if (isThrowAway) rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    const service = await startService(configOf(options, dataDir), { durable: !isThrowAway });
    const apiKey = knownKey(service);
    if (apiKey !== undefined) return toRestante(service, apiKey, removeTraces);
    await service.stop();
    throw new Error(`apiKey: the key of the data folder ${dataDir} is not in a file; set apiKey`);
  } catch (error) {
    removeTraces();
    throw error;
  }
}

function knownKey({ config, accountKey }: RunningService): string | undefined {
  return accountKey.kind === "generated" ? accountKey.secret : (config.apiKey ?? readKeyFile(config.dataDir));
}

function toRestante(service: RunningService, apiKey: string, removeTraces: () => void): Restante {
  const { config, host, url, servers, caFile } = service;
  const serverId = servers[0].id;
  const serverDomain = `${serverId}.${config.mailDomain}`;
  const ca = caFile === null ? "" : readFileSync(caFile, "utf8");
  const stop = async (): Promise<void> => {
    await service.stop();
    removeTraces();
  };
  return {
    apiKey,
    serverId,
    serverDomain,
    smtp: { host, port: service.ports.smtp ?? 0, secure: false, tls: { ca } },
    url,
    httpsUrl: `https://${hostAndPort(host, service.ports.https ?? 0)}`,
    caFile,
    logFile: null,
    emailAddress: (localPart = randomBytes(6).toString("hex")) => `${localPart}@${serverDomain}`,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
