/** Settings of operations, and the addresses of the service, which are known once its listeners are open. */
import { createTargetPolicy, type OwnService } from "../core/outgoing-target.ts";
import { createOwnListeners } from "../egress/own-listeners.ts";
import type { WireAddresses } from "../http/wire/web-schema.ts";
import type { ServiceSettings } from "../operations/context.ts";
import { dnsSource } from "./external-checks.ts";
import { isLoopbackOnly } from "./loopback.ts";
import type { Config } from "./settings/config.ts";

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
  const acceptsAnyProviderKey = config.providerKeys === "any" || (config.providerKeys === "auto" && allowsLoopback);
  const addresses = { mailDomain, publicUrl, catchAll: catchAllOf(config) };
  return { ...addresses, targets, scannerTargets, dns: dnsSource(config), acceptsAnyProviderKey, ...sending };
}

function catchAllOf({ catchAll, servers }: Config): ServiceSettings["catchAll"] {
  return catchAll === "first" ? (servers?.[0]?.id ?? "first") : catchAll;
}
