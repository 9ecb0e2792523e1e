import { once } from "node:events";
import { request as requestPlain, type IncomingMessage } from "node:http";
import { request as requestSecure } from "node:https";
import { connect as connectPlain } from "node:net";
import { connect as connectSecure } from "node:tls";
import { hostAndPort, reachableAddress } from "../../app/loopback.ts";
import { readRunningService } from "../../app/service-file.ts";
import { SettingsError, type Config } from "../../app/settings/config.ts";
import { type Action, type Call, configOf, exitCodes } from "../command.ts";

/** Time after which a service that does not respond is not ready. */
export const healthcheckTimeoutMs = 4000;

/** Listener to check: `/readyz` over HTTP or HTTPS, or the greeting of SMTP. */
type Listener =
  | { readonly protocol: "http" | "https"; readonly url: string }
  | { readonly protocol: "smtp" | "smtps"; readonly host: string; readonly port: number };

/**
 * Runs `restante healthcheck`: exits with 0 if the service on this machine is ready, with 1 otherwise. Certificates are not
 * verified, because the name in the certificate is that of the clients' URL, and the request contains nothing secret.
 */
export const healthcheck: Action = async (call) => {
  const listener = listenerOf(settingsOf(call));
  const signal = AbortSignal.timeout(healthcheckTimeoutMs);
  const problem = "url" in listener ? await readyzProblem(listener, signal) : await greetingProblem(listener, signal);
  if (problem === null) return exitCodes.done;
  throw new Error(problem);
};

/** Throws a plain `Error` for invalid settings: container engines reserve exit code 2. */
function settingsOf(call: Call): Config {
  try {
    return configOf(call);
  } catch (error) {
    if (error instanceof SettingsError) throw new Error(error.message, { cause: error });
    throw error;
  }
}

/** Returns the listener of the running service, or that of the settings if the service file is missing. */
function listenerOf(config: Config): Listener {
  const running = readRunningService(config.dataDir);
  if (typeof running?.url === "string") return { protocol: "http", url: running.url };
  if (typeof running?.httpsUrl === "string") return { protocol: "https", url: running.httpsUrl };
  if (running !== undefined && running.smtp !== null) return { protocol: "smtp", ...running.smtp };
  const { httpPort, httpsPort, smtpPort, smtpsPort } = config;
  const host = reachableAddress(config.bind);
  if (httpPort !== null) return { protocol: "http", url: `http://${hostAndPort(host, httpPort)}` };
  if (httpsPort !== null) return { protocol: "https", url: `https://${hostAndPort(host, httpsPort)}` };
  if (smtpPort !== null) return { protocol: "smtp", host, port: smtpPort };
  return { protocol: "smtps", host, port: smtpsPort ?? 0 };
}

/** Returns null when `/readyz` responds with 200, else the reason. */
async function readyzProblem(
  { protocol, url }: Extract<Listener, { url: string }>,
  signal: AbortSignal,
): Promise<string | null> {
  const target = new URL("/readyz", url);
  const options = { agent: false, signal } as const;
  try {
    const request =
      protocol === "http"
        ? requestPlain(target, options)
        : requestSecure(target, { ...options, rejectUnauthorized: false });
    const [{ statusCode = 0 }] = (await once(request.end(), "response")) as [IncomingMessage];
    request.destroy();
    return statusCode === 200 ? null : `The service is not ready: ${target.href} responded with ${statusCode}`;
  } catch (error) {
    return `The service does not respond at ${target.href}: ${reasonOf(error)}`;
  }
}

/** Returns null when the SMTP listener greets with 220 (RFC 5321 §3.1), else the reason. */
async function greetingProblem(
  { protocol, host, port }: Extract<Listener, { port: number }>,
  signal: AbortSignal,
): Promise<string | null> {
  const at = `${hostAndPort(host, port)} (${protocol.toUpperCase()})`;
  const socket =
    protocol === "smtp" ? connectPlain({ host, port }) : connectSecure({ host, port, rejectUnauthorized: false });
  try {
    const [greeting] = (await once(socket, "data", { signal })) as [Buffer];
    const line = greeting.toString("latin1").split("\r\n", 1)[0] ?? "";
    return line.startsWith("220") ? null : `The service is not ready: ${at} greeted with ${line.slice(0, 200)}`;
  } catch (error) {
    return `The service does not respond at ${at}: ${reasonOf(error)}`;
  } finally {
    socket.destroy();
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "AbortError" || error.name === "TimeoutError")
    return `no response within ${healthcheckTimeoutMs} ms`;
  return "code" in error ? String(error.code) : error.message;
}
