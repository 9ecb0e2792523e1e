/** External services for checks of mail, by the settings. */
import { isAbsolute } from "node:path";
import type { Clock } from "../core/clock.ts";
import { FairQueue } from "../core/fair-queue.ts";
import { createTargetPolicy, type OwnService } from "../core/outgoing-target.ts";
import { probeLink } from "../egress/checks/public-fetch.ts";
import { checkWithSpamd, type SpamdOptions } from "../egress/checks/spamd.ts";
import type { CallbackClient } from "../egress/callbacks/send-callback.ts";
import type { ScannerClientDependencies } from "../egress/scanner/scanner-client.ts";
import { createMediaFetcher } from "../egress/sms/media-fetcher.ts";
import type { Context, ServiceSettings } from "../operations/context.ts";
import type { SpamFilter } from "../operations/services/inspection/inspector.ts";
import { isExecutable } from "../previews/find-browser.ts";
import { Renderer, type RendererOptions } from "../previews/renderer.ts";
import type { Log } from "./log/log.ts";
import { type Config, SettingsError } from "./settings/config.ts";
import { createOwnListeners } from "../egress/own-listeners.ts";
import type { WireAddresses } from "../http/wire/web-schema.ts";
import { isLoopbackOnly } from "./loopback.ts";
import { acceptsUnknown, dnsSource, mtaStsOf } from "./public-mail/public-mail.ts";

/** Time-out of SpamAssassin for one mail; its network tests alone take up to ten seconds. */
const spamdMsMax = 15_000;
/** Mails that SpamAssassin judges at the same time (five children by default); mails that wait are not loaded yet. */
const spamdQueue = { runningCountMax: 4, waitingPerKeyCountMax: 20, waitingCountMax: 500 } as const;

/** Returns the SpamAssassin client, if configured, and the link check, if allowed. */
export function externalChecks(
  { spamd, linkCheck }: Config,
  own: OwnService,
): Pick<Context, "spamFilter" | "probeLink"> {
  return {
    spamFilter: spamd === null ? null : createSpamAssassin({ ...spamd, own, timeoutMs: spamdMsMax }),
    probeLink: linkCheck ? (url) => probeLink(url, { own }) : null,
  };
}

/** Returns those of {@link externalChecks}, the client of callbacks, and the client for media of SMS. */
export function externalClients(
  config: Config,
  { own, ...media }: ScannerClientDependencies & { readonly own: OwnService },
): Pick<Context, "spamFilter" | "probeLink" | "fetchMedia" | "callbackClient"> {
  const fetchMedia = createMediaFetcher(media);
  return { ...externalChecks(config, own), fetchMedia, callbackClient: createCallbackClient(media) };
}

/** Returns the client of callbacks, which is loaded with the first request. */
function createCallbackClient(dependencies: ScannerClientDependencies): Context["callbackClient"] {
  let client: CallbackClient | null = null;
  return {
    send: async (callback) => {
      const { CallbackClient: Client } = await import("../egress/callbacks/send-callback.ts");
      client ??= new Client(dependencies);
      return client.send(callback);
    },
    close: () => client?.close(),
  };
}

function createSpamAssassin(options: SpamdOptions): SpamFilter {
  const queue = new FairQueue(spamdQueue);
  return {
    name: "SpamAssassin",
    judge: async (load, { key, signal }) =>
      queue.run(key, async () => checkWithSpamd({ ...options, signal }, await load()), signal),
  };
}

/** Throws {@link SettingsError} when RESTANTE_CHROMIUM names a file that is not an executable program. */
export function refuseMissingBrowser({ chromium }: Config): void {
  if (!isAbsolute(chromium) || isExecutable(chromium)) return;
  throw new SettingsError([`RESTANTE_CHROMIUM: ${chromium} is not an executable program`]);
}

/** Creates a renderer by the settings; its browser starts with the first mail. */
export function createRenderer(
  { chromium: choice, limits }: Pick<Config, "chromium" | "limits">,
  clock: Pick<Clock, "after" | "monotonicMs">,
  options: Pick<RendererOptions, "tasks" | "onStart">,
): Renderer {
  return new Renderer({ choice, limits, clock, ...options });
}

/** Returns a function that warns once, when a browser starts as root and therefore without a sandbox. */
export function rootWarning(log: Pick<Log, "warn">): () => void {
  let isLogged = process.getuid?.() !== 0;
  return () => {
    if (!isLogged) log.warn({}, "Chromium runs as root without its sandbox; run the service as another user");
    isLogged = true;
  };
}

type ListenerAddresses = Pick<WireAddresses, "url" | "smtp">;

/** Addresses of the service. */
export interface ServiceAddresses {
  readonly listeners: () => ListenerAddresses;
  /** Base URL by which others reach the service, without a trailing slash. */
  readonly publicUrl: () => string;
  /** Recognition of the service, which no outbound call reaches. */
  readonly ownService: OwnService;
  /** Sets the addresses of the listeners, once they are known. */
  readonly setAddresses: (listeners: ListenerAddresses) => void;
  /** Sets the source of the ports of all listeners. */
  readonly setListenerPorts: (ports: () => ReadonlySet<number>) => void;
}

/** Returns the addresses of a service whose listeners are not open yet. */
export function openAddresses(config: Config): ServiceAddresses {
  let listeners: ListenerAddresses = { url: "http://localhost", smtp: null };
  let ports = (): ReadonlySet<number> => new Set();
  const publicUrl = (): string => config.publicUrl ?? listeners.url;
  return {
    listeners: () => listeners,
    publicUrl,
    ownService: createOwnListeners({ publicUrl, ports: () => ports() }),
    setAddresses: (opened) => void (listeners = opened),
    setListenerPorts: (opened) => void (ports = opened),
  };
}

/** Returns the settings of operations. */
export function settingsOf(
  config: Config,
  { publicUrl, ownService: own }: Pick<ServiceAddresses, "publicUrl" | "ownService">,
): ServiceSettings {
  const { mailDomain, verified, relayUrl, approvedPhrases, callbackOrigins, scannerOrigins } = config;
  const sending = { verified, hasRelay: relayUrl !== null, approvedPhrases, callbackOrigins };
  const allowsLoopback = isLoopbackOnly(config.bind);
  const targets = createTargetPolicy({ own, origins: callbackOrigins, allowsLoopback });
  const setting = "RESTANTE_SCANNER_ORIGINS";
  const scannerTargets = createTargetPolicy({ own, origins: scannerOrigins, allowsLoopback, setting });
  const acceptsAnyProviderKey = acceptsUnknown(config, config.providerKeys);
  const addresses = { mailDomain, mtaSts: mtaStsOf(config), publicUrl, catchAll: catchAllOf(config) };
  const configuredServers = (config.servers ?? []).map(({ id }) => id);
  const idle = { configuredServers, idleServerDays: config.idleServerDays };
  return { ...addresses, ...idle, targets, scannerTargets, dns: dnsSource(config), acceptsAnyProviderKey, ...sending };
}

function catchAllOf({ catchAll, servers }: Config): ServiceSettings["catchAll"] {
  return catchAll === "first" ? (servers?.[0]?.id ?? "first") : catchAll;
}
