/** Certificates of a service: of the operator, of the local CA, or of a public authority. */
import { join } from "node:path";
import {
  CertificateError,
  type CertificateEvent,
  createSecureContextSource,
  type SecureContextSource,
} from "../tls/secure-context-source.ts";
import type { HostNames } from "../tls/host-names.ts";
import type { Context } from "../operations/context.ts";
import type { BaseDependencies } from "./assemble.ts";
import type { OpenLog } from "./log/log.ts";
import { issuedFileOf } from "./public-mail/public-mail.ts";
import type { CertificateLoopDependencies } from "./public-mail/certificate-loop.ts";
import type { OpenChallenges } from "./public-mail/shared-acme.ts";
import { type Config, SettingsError } from "./settings/config.ts";

/**
 * Opens the certificates of the settings. Throws {@link SettingsError} when those of the operator are unusable.
 */
export function openCertificates(
  { config, clock, log, tasks }: Pick<BaseDependencies, "config" | "clock" | "tasks"> & { log: OpenLog },
  names: HostNames,
): SecureContextSource {
  const { tlsCert, tlsKey, tlsMinVersion: minVersion, tlsCiphers: ciphers } = config;
  const task = tasks.register("certificates", { degrades: "the previous certificate stays in use" });
  try {
    return createSecureContextSource({
      folder: join(config.dataDir, "tls"),
      names,
      rules: { minVersion, ciphers },
      own: tlsCert === null || tlsKey === null ? null : { certFile: tlsCert, keyFile: tlsKey },
      issuedFile: issuedFileOf(config),
      clock,
      onEvent: (event) => {
        logCertificate(log, event);
        if (event.kind === "certificate_unusable") task.failed(new Error(event.problem));
        if (event.kind === "certificate_reloaded") task.succeeded();
      },
    });
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    throw new SettingsError([`RESTANTE_TLS_CERT, RESTANTE_TLS_KEY: ${error.message}`], { cause: error });
  }
}

function logCertificate(log: OpenLog, event: CertificateEvent): void {
  switch (event.kind) {
    case "authority_made":
      log.info({ caFile: event.caFile }, "created a local CA; clients that verify certificates must trust it");
      break;
    case "certificate_reloaded":
      log.info({}, "certificate reloaded");
      break;
    case "certificate_unusable":
      log.error({ problem: event.problem }, "changed certificate cannot be used; the previous one stays in use");
      break;
  }
}

/** Orders of certificates, and the challenges by which listeners prove control of names. */
export interface CertificateOrders extends OpenChallenges {
  /** Starts the orders, once the listeners are open. The returned function stops them. */
  readonly start: () => () => Promise<void>;
}

/** Dependencies of {@link openCertificateOrders}. */
export interface CertificateOrderDependencies
  extends Omit<CertificateLoopDependencies, "clock" | "answers" | "shared">, Pick<BaseDependencies, "nodes"> {
  readonly context: Context;
}

/** Opens the orders of certificates with the certificate that nodes share in use; null without RESTANTE_ACME. */
export async function openCertificateOrders(
  config: Config,
  { context, nodes, ...dependencies }: CertificateOrderDependencies,
): Promise<CertificateOrders | null> {
  if (config.acme === null) return null;
  const [{ openCertificateLoop }, { openSharedAcme }] = await Promise.all([
    import("./public-mail/certificate-loop.ts"),
    import("./public-mail/shared-acme.ts"),
  ]);
  const shared = nodes === null ? null : { ...openSharedAcme(context), nodes };
  const own = new Map<string, string>();
  const challenges: OpenChallenges = shared ?? { answers: own, seen: own };
  const { answers } = challenges;
  const loop = openCertificateLoop(config, config.acme, { ...dependencies, clock: context.clock, answers, shared });
  await loop.synchronise();
  return { ...challenges, start: loop.start };
}
