/** Opens the API: over TLS, and plainly with a tunnel to the former. */
import { once } from "node:events";
import type { Server } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createHttpApp, type HttpApp } from "../../http/app.ts";
import type { HttpOptions } from "../../http/options.ts";
import type { SecureContextSource } from "../../tls/secure-context-source.ts";
import type { Config } from "../settings/config.ts";
import { hostAndPort, reachableAddress } from "../loopback.ts";
import { openPort } from "./open-port.ts";

/** The API's listeners: ports as bound, null where one is off. */
export interface HttpListeners {
  readonly http: number | null;
  readonly https: number | null;
  /** Stops accepting and lets what is under way end; resolves when nothing is left. */
  readonly close: () => Promise<void>;
}

/** What stands behind them. */
export interface HttpListenerDependencies {
  readonly config: Config;
  readonly httpOptions: HttpOptions;
  /** Called when a TLS handshake fails. */
  readonly onTlsFailure: (error: Error) => void;
  readonly tls: SecureContextSource;
  /** Host names and addresses that are our own. */
  readonly hostNames: readonly string[];
}

/** Opens both as the settings ask; rejects, none left open, when a port cannot be had. */
export async function openHttpListeners({
  config,
  httpOptions,
  tls,
  hostNames,
  onTlsFailure,
}: HttpListenerDependencies): Promise<HttpListeners> {
  const app = createHttpApp(httpOptions);
  try {
    // HTTPS first, so that the tunnel from HTTP has an end.
    const secure = (): HttpsServer => secureListener(app, tls).on("tlsClientError", onTlsFailure);
    const https = await openPort(config, "httpsPort", (port) => listen(secure(), config.bind, port));
    const to = { host: reachableAddress(config.bind), port: https ?? 0 };
    const tunnel = https === null ? undefined : { to, targets: tunnelTargets(hostNames, https) };
    const http = await openPort(config, "httpPort", (port) => listen(app.createListener(tunnel), config.bind, port));
    return { http, https, close: app.close };
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** New connections get the certificate that is in force when they come. */
function secureListener(app: HttpApp, tls: SecureContextSource): HttpsServer {
  const server = app.createSecureListener(tls.credentials());
  tls.onChange(() => {
    server.setSecureContext(tls.credentials());
  });
  return server;
}

const hostedName = "mailosaur.com";

/** What CONNECT may ask for: the host that clients cannot be kept from asking for, and our own HTTPS listener. */
function tunnelTargets(hostNames: readonly string[], httpsPort: number): readonly string[] {
  const own = hostNames.filter((name) => !name.startsWith("*.") && name !== hostedName);
  return [`${hostedName}:443`, ...own.map((name) => hostAndPort(name, httpsPort))];
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  server.listen({ host, port });
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
