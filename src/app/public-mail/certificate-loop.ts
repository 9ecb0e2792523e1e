/** Orders the certificate of the mail host from a public authority (ACME), and renews it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BackgroundTasks } from "../../core/background-tasks.ts";
import type { Clock } from "../../core/clock.ts";
import { coversNames, openAccountKey, readIssued, requestCertificate } from "../../tls/issued-certificate.ts";
import type { SecureContextSource } from "../../tls/secure-context-source.ts";
import { startWakeableLoop } from "../background/background-loop.ts";
import type { Log } from "../log/log.ts";
import type { Config } from "../settings/config.ts";
import { certificateNames, issuedFile } from "./rules.ts";

/** Pause between two rounds, which look whether the certificate is to be renewed. */
const roundMs = 6 * 3_600_000;
/** First pause after a failure: authorities limit failed validations to five in an hour. */
const retryMs = 15 * 60_000;

/** Dependencies of {@link startCertificateLoop}. */
export interface CertificateLoopDependencies {
  readonly clock: Clock;
  readonly log: Pick<Log, "info">;
  readonly tasks: BackgroundTasks;
  readonly tls: Pick<SecureContextSource, "reload">;
  /** Responses of the challenge listener, by token. */
  readonly answers: Map<string, string>;
}

/**
 * Starts the loop, which orders a certificate when there is none for the names, or when a third of the lifetime is left. The
 * returned function stops it, and aborts an order.
 */
export function startCertificateLoop(
  config: Config,
  directory: string,
  dependencies: CertificateLoopDependencies,
): () => Promise<void> {
  const { acmeContact: contact, acmeCa, dataDir } = config;
  const file = issuedFile(dataDir);
  const { clock, log, tasks, tls, answers } = dependencies;
  const names = certificateNames(config);
  const stopping = new AbortController();
  const order = async (): Promise<void> => {
    const { orderCertificate } = await import("../../egress/acme/order-certificate.ts");
    const key = openAccountKey(join(dataDir, "tls", "acme", "account-key.pem"));
    const ca = acmeCa === null ? null : readFileSync(acmeCa, "utf8");
    const { request, store } = requestCertificate(names);
    const account = { directory, key, contact, ca };
    const chain = await orderCertificate(account, { names, request }, { clock, answers, signal: stopping.signal });
    store(file, chain);
    tls.reload();
    log.info({ names }, "certificate issued");
  };
  const loop = startWakeableLoop(clock, {
    everyMs: roundMs,
    retryMsMin: retryMs,
    retryMsMax: roundMs,
    task: tasks.register("acme_certificate", {
      degrades: "the mail host has no certificate that senders accept, or one that is not renewed",
    }),
    round: async () => {
      if (isDue(file, names, clock.now())) await order();
    },
  });
  return async () => {
    stopping.abort();
    await loop.stop();
  };
}

function isDue(file: string, names: readonly string[], now: number): boolean {
  const issued = readIssued(file, now);
  if (issued === undefined || !coversNames(issued.identity, names)) return true;
  const { validFromDate, validToDate } = issued.identity.certificate;
  return validToDate.getTime() - now < (validToDate.getTime() - validFromDate.getTime()) / 3;
}
