/** External services for checks of mail, by the settings. */
import type { DnsSource } from "../authentication/dns.ts";
import type { Clock } from "../core/clock.ts";
import { FairQueue } from "../core/fair-queue.ts";
import type { OwnService } from "../core/outgoing-target.ts";
import { probeLink } from "../egress/checks/public-fetch.ts";
import { checkWithSpamd, type SpamdOptions } from "../egress/checks/spamd.ts";
import type { ScannerClientDependencies } from "../egress/scanner/scanner-client.ts";
import { createMediaFetcher } from "../egress/sms/media-fetcher.ts";
import type { Context } from "../operations/context.ts";
import type { SpamFilter } from "../operations/services/inspection/outside-checks.ts";
import { Renderer, type RendererOptions } from "../previews/renderer.ts";
import type { Log } from "./log/log.ts";
import type { Config } from "./settings/config.ts";

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

/** Returns those of {@link externalChecks}, and the client for media of SMS. */
export function externalClients(
  config: Config,
  { own, ...media }: ScannerClientDependencies & { readonly own: OwnService },
): Pick<Context, "spamFilter" | "probeLink" | "fetchMedia"> {
  return { ...externalChecks(config, own), fetchMedia: createMediaFetcher(media) };
}

function createSpamAssassin(options: SpamdOptions): SpamFilter {
  const queue = new FairQueue(spamdQueue);
  return {
    name: "SpamAssassin",
    judge: async (load, { key, signal }) =>
      queue.run(key, async () => checkWithSpamd({ ...options, signal }, await load()), signal),
  };
}

/** Returns the resolver of deliverability checks. */
export function dnsSource({ dns }: Config): DnsSource {
  return dns === "system" || dns === "off" ? { kind: dns } : { kind: "servers", servers: dns };
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
