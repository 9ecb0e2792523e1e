/**
 * HTTP and HTTPS listeners of the API, and those with the APIs of other mail catchers; the HTTP listener tunnels CONNECT requests
 * to the HTTPS listener.
 */
import type { Server } from "node:http";
import type { Server as HttpsServer, ServerOptions as TlsOptions } from "node:https";
import { mailDomainDefault } from "../../core/mail-addresses.ts";
import { createHttpApp, type HttpApp } from "../../http/app.ts";
import { acmeChallengeRoute } from "../../http/routes/service/service-routes.ts";
import { createRouter } from "../../http/router.ts";
import type { HttpOptions } from "../../http/options.ts";
import type { Log } from "../log/log.ts";
import type { SecureContextSource } from "../../tls/secure-context-source.ts";
import type { OpenChallenges } from "../public-mail/shared-acme.ts";
import type { Config } from "../settings/config.ts";
import { catcherNames, type CatcherName } from "../settings/listener-settings.ts";
import { readVersion } from "../version.ts";
import { hostAndPort, isLoopbackOnly, reachableAddress } from "../loopback.ts";
import { listenOn } from "../../ingress/lines/listen-on.ts";
import { openPort } from "./open-port.ts";

/** Bound ports by the names of mail catchers, of those listeners that are not off. */
export type CatcherPorts = Readonly<Partial<Record<CatcherName, number>>>;

/** HTTP listeners: bound ports, null where one is off. */
export interface HttpListeners {
  readonly catchers: CatcherPorts;
  readonly http: number | null;
  readonly https: number | null;
  /** Stops accepting connections, waits for running requests, and resolves when all connections are closed. */
  readonly close: () => Promise<void>;
}

/** Dependencies of {@link openHttpListeners}. */
export interface HttpListenerDependencies {
  readonly config: Config;
  readonly httpOptions: HttpOptions;
  readonly log: Pick<Log, "error">;
  /** Called when a TLS handshake fails. */
  readonly onTlsFailure: (error: Error) => void;
  readonly tls: SecureContextSource;
  /** Host names and addresses of the service. */
  readonly hostNames: readonly string[];
  /** Challenges of a certificate authority; null without one. */
  readonly challenges: OpenChallenges | null;
}

/** Opens the listeners of the settings. Rejects, with none left open, when a port cannot be opened. */
export async function openHttpListeners({
  config,
  httpOptions,
  tls,
  hostNames,
  challenges,
  onTlsFailure,
  log,
}: HttpListenerDependencies): Promise<HttpListeners> {
  const app = createHttpApp(httpOptions);
  const listen = async (create: () => Server, port: number): Promise<number> => {
    const onError = (error: Error): void => log.error({ err: error }, "The HTTP listener failed");
    const listening = await listenOn(create, { hosts: config.bind, port, onError });
    return listening.port;
  };
  try {
    // HTTPS first: the tunnel needs its port.
    const options = challenges === null ? {} : await challengeOptions(config, challenges);
    const secure = (): HttpsServer => secureListener(app, tls, options).on("tlsClientError", onTlsFailure);
    const https = await openPort(config, "httpsPort", (port) => listen(secure, port));
    const to = { host: reachableAddress(config.bind), port: https ?? 0 };
    const tunnel =
      https === null ? undefined : { to, targets: tunnelTargets(hostNames, https, httpOptions.interceptedHosts) };
    const http = await openPort(config, "httpPort", (port) => listen(() => app.createListener(tunnel), port));
    const catchers = await openCatchers(app, config, listen);
    if (challenges !== null) {
      const find = createRouter([acmeChallengeRoute(challenges.answers)]);
      await openPort(config, "acmePort", (port) => listen(() => app.createCatcherListener(find, null), port));
    }
    return { http, https, catchers, close: app.close };
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** Returns the options by which HTTPS answers challenges, where no port of its own does. */
async function challengeOptions({ acmePort }: Config, challenges: OpenChallenges): Promise<TlsOptions> {
  if (acmePort !== null) return {};
  const { tlsChallengeOptions } = await import("../public-mail/shared-acme.ts");
  return tlsChallengeOptions(challenges);
}

/** Creates an HTTPS server that uses the current certificate for each new connection. */
function secureListener(app: HttpApp, tls: SecureContextSource, options: TlsOptions): HttpsServer {
  const server = app.createSecureListener({ ...tls.credentials(), ...options });
  tls.onChange(() => server.setSecureContext(tls.credentials()));
  return server;
}

const hostedName = "mailosaur.com";

/**
 * Returns the allowed targets of CONNECT: the host that official clients always use, intercepted hosts of providers, the
 * reserved mail domain, by which `restante check --language` tries it, and the HTTPS listener itself.
 */
function tunnelTargets(
  hostNames: readonly string[],
  httpsPort: number,
  intercepted: ReadonlyMap<string, string> = new Map(),
): readonly string[] {
  const hosted = [hostedName, ...intercepted.keys()];
  const own = hostNames.filter((name) => !name.startsWith("*.") && !hosted.includes(name));
  return [...hosted, mailDomainDefault]
    .map((name) => `${name}:443`)
    .concat(own.map((name) => hostAndPort(name, httpsPort)));
}

/** Opens servers on a port of all addresses; returns the port. */
type Listen = (create: () => Server, port: number) => Promise<number>;

/** Opens the listeners with the APIs of other mail catchers, in clear; their modules are loaded when a setting asks for them. `app` closes them. Rejects as `openPort` does. */
async function openCatchers(app: HttpApp, config: Config, listen: Listen): Promise<CatcherPorts> {
  const wanted = catcherNames.filter((name) => config[`${name}Port`] !== null);
  if (wanted.length === 0) return {};
  const { catcherTable, createCatcherRouter, createCatcherUpgrade } = await import("../../catchers/catcher-routes.ts");
  const { bind, trustLoopback, peerServer, peerPath } = config;
  const version = readVersion();
  const ports: Partial<Record<CatcherName, number>> = {};
  for (const name of wanted) {
    const port = await openPort(config, `${name}Port`, async (wantedPort) => {
      const access = { name, server: peerServer, trustsLoopback: trustLoopback && isLoopbackOnly(bind) };
      const catcher = await catcherTable[name]();
      const options = { access, version, basePath: peerPath };
      const upgrade = createCatcherUpgrade(catcher, options);
      return await listen(() => app.createCatcherListener(createCatcherRouter(catcher, options), upgrade), wantedPort);
    });
    if (port !== null) ports[name] = port;
  }
  return ports;
}
