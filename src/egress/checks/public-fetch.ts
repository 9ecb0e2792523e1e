/** The only client for requests to URLs in mails. */
import { isPublicAddress } from "../../core/ip-address.ts";
import { noService, type OwnService, ownServiceText, portOf } from "../../core/outgoing-target.ts";
import { type PinnedRequest, sendPinned } from "../pinned-request.ts";
import { resolveHost, untilAborted } from "../resolve-host.ts";

/** Limits of a request, and replacements for tests. */
export interface PublicFetchOptions {
  /** Time-out over all redirects. */
  readonly timeoutMs: number;
  readonly redirectCountMax: number;
  /** Returns the addresses of a host; {@link resolveHost} by default. */
  readonly resolve?: typeof resolveHost;
  /** Returns whether an address may be called; {@link isPublicAddress} by default. */
  readonly isAllowed?: (address: string) => boolean;
  /** Recognition of this service, which is never called; {@link noService} by default. */
  readonly own?: OwnService;
  /** Allowed ports; 80 and 443 by default. */
  readonly ports?: readonly number[];
}

/** Error of a request that was refused or failed; the message is shown to users. */
class FetchError extends Error {
  override readonly name: string = "FetchError";
}

const urlLengthMax = 8192;

/**
 * Returns the status of a URL for HEAD (for GET where HEAD is not implemented) after redirects. Each host is resolved once,
 * all of its addresses must be allowed, and the connection goes to a checked address; redirects are checked the same way.
 * Reads no body and sends no cookies or credentials. Rejects with {@link FetchError}.
 */
export async function fetchStatus(url: string, options: PublicFetchOptions): Promise<number> {
  const signal = AbortSignal.timeout(options.timeoutMs);
  let target = readUrl(url, options);
  for (let step = 0; step <= options.redirectCountMax; step += 1) {
    const response = await fetchOnce(target, { ...options, signal });
    if (response.location === null) return response.status;
    target = readUrl(URL.parse(response.location, target)?.href ?? "", options);
  }
  throw new FetchError("Too many redirects");
}

interface FetchResponse {
  readonly status: number;
  readonly location: string | null;
}

type FetchAttempt = PublicFetchOptions & { readonly signal: AbortSignal };

async function fetchOnce(target: URL, options: FetchAttempt): Promise<FetchResponse> {
  const address = await pinAddress(target, options);
  const response = await send("HEAD", { target, address, signal: options.signal });
  if (response.status !== 405 && response.status !== 501) return response;
  return send("GET", { target, address, signal: options.signal });
}

function readUrl(text: string, { ports = [80, 443] }: PublicFetchOptions): URL {
  const url = text.length > urlLengthMax ? null : URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new FetchError("It is not a valid http or https URL");
  if (url.username !== "" || url.password !== "") throw new FetchError("It contains a user name or password");
  const port = portOf(url);
  if (!ports.includes(port)) throw new FetchError(`Port ${port} is not allowed`);
  return url;
}

async function pinAddress(target: URL, options: FetchAttempt): Promise<string> {
  const { resolve = resolveHost, isAllowed = isPublicAddress, own = noService, signal } = options;
  const host = target.hostname.replace(/^\[|\]$/g, "");
  const addresses = await untilAborted(signal, resolve(host, signal)).catch(() => {
    // The cause is a DNS error; its details do not help users.
    throw new FetchError(signal.aborted ? "The request timed out" : "Its host name does not resolve");
  });
  const [first] = addresses;
  if (first === undefined) throw new FetchError("Its host name does not resolve");
  if (own.isOwnOrigin(target.origin) || addresses.some((address) => own.isOwnListener(address, portOf(target)))) {
    throw new FetchError(ownServiceText);
  }
  if (!addresses.every((address) => isAllowed(address))) {
    throw new FetchError("Its host is not on the public Internet");
  }
  return first;
}

async function send(
  method: string,
  sending: Pick<PinnedRequest, "target" | "address" | "signal">,
): Promise<FetchResponse> {
  const headers = { "user-agent": "restante link check", accept: "*/*" };
  try {
    const response = await sendPinned({ ...sending, method, headers });
    response.destroy();
    const {
      statusCode: status = 0,
      headers: { location = null },
    } = response;
    return { status, location: [301, 302, 303, 307, 308].includes(status) ? location : null };
  } catch (error) {
    throw new FetchError(sending.signal.aborted ? "The request timed out" : `The request failed: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

/** Limits of one link check. */
const probeBounds: PublicFetchOptions = { timeoutMs: 5000, redirectCountMax: 5 };

/**
 * Requests a link of a mail. Returns its status after redirects, null without a response, and one sentence about the
 * problem, null for a success, including 401, 403 and 429. Never rejects.
 */
export async function probeLink(
  url: string,
  bounds: Partial<PublicFetchOptions> = {},
): Promise<{ readonly status: number | null; readonly problem: string | null }> {
  try {
    const status = await fetchStatus(url, { ...probeBounds, ...bounds });
    const isSuccess = status < 400 || [401, 403, 429].includes(status);
    return { status, problem: isSuccess ? null : `The link responds with status ${status}` };
  } catch (error) {
    const reason = error instanceof FetchError ? error.message : "It is not a valid http or https URL";
    return { status: null, problem: `The link cannot be opened. ${reason}.` };
  }
}
