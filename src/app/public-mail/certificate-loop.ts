/** Orders the certificate of the mail host from a public authority (ACME), and renews it. */
import { createHash, createPrivateKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BackgroundTasks } from "../../core/background-tasks.ts";
import type { Clock } from "../../core/clock.ts";
import type { ChallengeAnswers } from "../../egress/acme/order-certificate.ts";
import type { NodeStore } from "../../store/node-store.ts";
import {
  coversNames,
  createAccountKey,
  openAccountKey,
  parseIssued,
  readIssued,
  requestCertificate,
  storeSecretly,
  type IssuedCertificate,
} from "../../tls/issued-certificate.ts";
import type { SecureContextSource } from "../../tls/secure-context-source.ts";
import { startBackgroundLoop, startWakeableLoop } from "../background/background-loop.ts";
import type { Log } from "../log/log.ts";
import type { Config } from "../settings/config.ts";
import { certificateNames, issuedFile } from "./public-mail.ts";
import type { SharedAcme } from "./shared-acme.ts";

/** First pause after a failed order, of all nodes together: authorities limit failed validations to five in an hour. */
export const orderRetryMs: number = 15 * 60_000;
/** Time after which another node orders when the one that does has died; it is renewed three times in this time. */
const leaseMs = 30_000;
const leaseName = "acme";
/** Pause between two rounds, which look whether the certificate is to be renewed. */
const roundMs = 6 * 3_600_000;
/** Pause of nodes, which use the certificate that another has ordered, and while another orders. */
const sharedRoundMs = { usual: 60_000, ordering: 10_000 } as const;
/** Pause between two looks of nodes at open challenges for TLS handshakes, and the time after which all have seen one. */
const lookMs = { every: 2000, all: 6000 } as const;
/** Time for which nodes keep the key of the account after an order: longer than certificates are valid. */
const accountMs = 400 * 24 * 3_600_000;

/** Coordination with other nodes. */
export interface CertificateNodes extends SharedAcme {
  readonly nodes: Pick<NodeStore, "hold" | "release">;
}

/** Dependencies of {@link openCertificateLoop}. */
export interface CertificateLoopDependencies {
  readonly clock: Clock;
  readonly log: Pick<Log, "info">;
  readonly tasks: BackgroundTasks;
  readonly tls: Pick<SecureContextSource, "reload">;
  readonly answers: ChallengeAnswers;
  /** Null: this process is the only one. */
  readonly shared: CertificateNodes | null;
}

/** Loop that has not started. */
export interface CertificateLoop {
  /** Uses the certificate that nodes share, when it is better than that of the data folder, and shares that one otherwise. */
  readonly synchronise: () => Promise<void>;
  /**
   * Starts the loop, which orders a certificate when there is none of the authority for the names, or when a third of the lifetime is
   * left, on one node at a time. The returned function stops it, and aborts an order.
   */
  readonly start: () => () => Promise<void>;
}

/** Opens the loop for a directory of ACME. */
export function openCertificateLoop(
  config: Config,
  directory: string,
  dependencies: CertificateLoopDependencies,
): CertificateLoop {
  const { clock, tasks, shared } = dependencies;
  const certificate = openCertificate(config, directory, dependencies);
  const stopping = new AbortController();
  const { signal } = stopping;
  const orderIfDue = async (): Promise<void> => {
    // Another node may have finished an order in the meantime.
    await certificate.synchronise();
    if (!certificate.isDue()) return;
    certificate.install(await order(config, directory, { ...dependencies, signal }), "certificate issued");
    await certificate.synchronise();
  };
  const round = async (): Promise<number | undefined> => {
    await certificate.synchronise();
    if (!certificate.isDue()) return undefined;
    await onOneNode(shared?.nodes ?? null, { clock, signal }, orderIfDue);
    return certificate.isDue() ? sharedRoundMs.ordering : undefined;
  };
  return {
    synchronise: certificate.synchronise,
    start: () => {
      const stopLooking = watchChallenges(config, dependencies);
      const loop = startWakeableLoop(clock, {
        everyMs: shared === null ? roundMs : sharedRoundMs.usual,
        retryMsMin: orderRetryMs,
        retryMsMax: roundMs,
        task: tasks.register("acme_certificate", {
          degrades: "the mail host has no certificate that senders accept, or one that is not renewed",
        }),
        round,
      });
      return async () => {
        stopping.abort();
        await Promise.all([loop.stop(), stopLooking()]);
      };
    },
  };
}

/** Keeps the challenges of other nodes at hand where TLS handshakes answer them. */
function watchChallenges(
  { acmePort }: Config,
  { clock, tasks, shared }: CertificateLoopDependencies,
): () => Promise<void> {
  if (shared === null || acmePort !== null) return async () => undefined;
  const task = tasks.register("acme_challenges", { degrades: "the certificate authority cannot verify this node" });
  return startBackgroundLoop(clock, { everyMs: lookMs.every, retryMsMax: lookMs.every, round: shared.look, task });
}

/** Certificate of the data folder, and what nodes share of it. */
interface OpenCertificate extends Pick<CertificateLoop, "synchronise"> {
  readonly isDue: () => boolean;
  /** Stores the text of a certificate and uses it; `event` is the line of the log. */
  readonly install: (text: string, event: string) => void;
}

function openCertificate(
  config: Config,
  directory: string,
  { clock, log, tls, shared }: CertificateLoopDependencies,
): OpenCertificate {
  const file = issuedFile(config.dataDir);
  const names = certificateNames(config);
  const sharedId = createHash("sha256")
    .update(JSON.stringify([directory, names]))
    .digest("hex");
  const unlessOther = (issued: IssuedCertificate | undefined): IssuedCertificate | undefined =>
    issued?.directory === directory && coversNames(issued.identity, names) ? issued : undefined;
  const own = (): IssuedCertificate | undefined => unlessOther(readIssued(file, clock.now()));
  const install: OpenCertificate["install"] = (text, event) => {
    storeSecretly(file, text);
    tls.reload();
    log.info({ names }, event);
  };
  return {
    install,
    isDue: () => {
      const issued = own();
      if (issued === undefined) return true;
      const lifetimeMs = endOf(issued) - issued.identity.certificate.validFromDate.getTime();
      return endOf(issued) - clock.now() < lifetimeMs / 3;
    },
    synchronise: async () => {
      if (shared === null) return;
      const [ours, theirs] = [own(), unlessOther(parseIssued((await shared.read(sharedId)) ?? "", clock.now()))];
      if (theirs !== undefined && endOf(theirs) > endOf(ours))
        install(theirs.text, "certificate of another node in use");
      if (ours !== undefined && endOf(ours) > endOf(theirs)) await shared.write(sharedId, ours.text, endOf(ours));
    },
  };
}

/**
 * Runs an action unless another node does. After a failure no other node runs it for {@link orderRetryMs}, unless this one stops.
 * Without nodes, runs the action.
 */
export async function onOneNode(
  nodes: Pick<NodeStore, "hold" | "release"> | null,
  { clock, signal }: Pick<CertificateLoopDependencies, "clock"> & { readonly signal: AbortSignal },
  action: () => Promise<void>,
): Promise<void> {
  if (nodes === null) return action();
  if (!(await nodes.hold(leaseName, leaseMs))) return;
  let cancel = (): void => undefined;
  const renewLater = (): void => {
    cancel = clock.after(leaseMs / 3, () => {
      renewLater();
      // A lease that is lost while the database is away lets two nodes order, which does no harm.
      nodes.hold(leaseName, leaseMs).catch(() => undefined);
    });
  };
  renewLater();
  try {
    await action();
    cancel();
    await nodes.release(leaseName);
  } catch (error) {
    cancel();
    if (signal.aborted) await nodes.release(leaseName);
    else await nodes.hold(leaseName, orderRetryMs);
    throw error;
  }
}

/** Orders a certificate; returns the text to store. */
async function order(
  config: Config,
  directory: string,
  { clock, answers, shared, signal }: CertificateLoopDependencies & { readonly signal: AbortSignal },
): Promise<string> {
  const { orderCertificate } = await import("../../egress/acme/order-certificate.ts");
  const accountFile = join(config.dataDir, "tls", "acme", "account-key.pem");
  const key = shared === null ? openAccountKey(accountFile) : await sharedAccountKey(shared, clock.now());
  const ca = config.acmeCa === null ? null : readFileSync(config.acmeCa, "utf8");
  const names = certificateNames(config);
  const { request, complete } = requestCertificate(names);
  const challenge = config.acmePort === null ? "tls-alpn-01" : "http-01";
  const account = { directory, key, contact: config.acmeContact, ca };
  const settleMs = shared !== null && challenge === "tls-alpn-01" ? lookMs.all : 0;
  const chain = await orderCertificate(account, { names, request, challenge }, { clock, answers, settleMs, signal });
  return complete(directory, chain);
}

/** Returns the key of the account, which the node creates that orders the first certificate. */
async function sharedAccountKey(shared: SharedAcme, now: number): Promise<KeyObject> {
  const pem = (await shared.read("account")) ?? createAccountKey();
  await shared.write("account", pem, now + accountMs);
  return createPrivateKey(pem);
}

function endOf(issued: IssuedCertificate | undefined): number {
  return issued?.identity.certificate.validToDate.getTime() ?? 0;
}
