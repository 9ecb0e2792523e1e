/** Source of the current certificate for TLS handshakes. */
import { readFileSync, statSync } from "node:fs";
import { createSecureContext, type SecureContext } from "node:tls";
import type { Clock } from "../core/clock.ts";
import { readIdentity } from "./certificate.ts";
import type { HostNames } from "./host-names.ts";
import { readIssued } from "./issued-certificate.ts";
import { createFaultyContexts, type FaultyContexts } from "./faulty-contexts.ts";
import { defaultTlsRules, protocolOptions, type TlsProtocolOptions, type TlsRules } from "./tls-rules.ts";
import { openLocalAuthority } from "./local-authority.ts";

/** PEM files of the operator: a certificate (chain) and its key. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Event of a certificate, for the log. */
export type CertificateEvent =
  | { readonly kind: "authority_made"; readonly caFile: string }
  | { readonly kind: "certificate_reloaded" }
  | { readonly kind: "certificate_unusable"; readonly problem: string };

/** Options of a certificate source. */
export interface SecureContextSourceOptions {
  /** Folder of the local CA; unused with certificate files of the operator. */
  readonly folder: string;
  readonly names: HostNames;
  readonly own: CertificateFiles | null;
  /**
   * PEM file with the certificate chain of a public CA, followed by its key: used instead of the local CA while it is valid. It may
   * be missing. Null, by default: none; unused with certificate files of the operator.
   */
  readonly issuedFile?: string | null;
  /** Versions and ciphers; {@link defaultTlsRules} by default. */
  readonly rules?: TlsRules;
  readonly clock: Clock;
  readonly onEvent: (event: CertificateEvent) => void;
}

/** Options of a TLS server: certificate chain, key, TLS versions and ciphers. */
export interface TlsCredentials extends TlsProtocolOptions {
  /** PEM; intermediates follow the certificate. */
  readonly cert: string;
  readonly key: string;
}

/** Source of the current certificate. */
export interface SecureContextSource {
  /** Returns a context; the same object until the certificate changes. */
  readonly current: () => SecureContext;
  /** Returns the credentials, for servers that create the context. */
  readonly credentials: () => TlsCredentials;
  /** Calls the listener after every change of the certificate. */
  readonly onChange: (listener: () => void) => void;
  /**
   * Returns a context for a handshake that clients must let fail. With certificate files of the operator a CA signs that no
   * client trusts, because the key of the operator's CA is not known.
   */
  readonly faulty: FaultyContexts;
  /** PEM file of the CA that clients must trust; null with certificate files of the operator. */
  readonly caFile: string | null;
  /** Reads the issued certificate at once. */
  readonly reload: () => void;
  /** Stops renewing and reloading. */
  readonly close: () => void;
}

/** Error of unusable certificate files; the message names the file and shows nothing of its content. */
export class CertificateError extends Error {
  override readonly name: string = "CertificateError";
}

/** Interval at which files of the operator are checked for changes. */
const reloadMs = 60_000;
/** Interval at which the local certificate is checked for renewal. */
const renewalMs = 24 * 3_600_000;

/**
 * Creates a source of the operator's certificate files, or else of the local CA in `folder`, which is created when missing.
 * Throws {@link CertificateError} when the files are unusable; when they become unusable later, reports that and keeps the
 * last usable certificate.
 */
export function createSecureContextSource(options: SecureContextSourceOptions): SecureContextSource {
  return options.own === null ? localSource(options) : ownSource(options, options.own);
}

function localSource({
  folder,
  names,
  issuedFile = null,
  rules,
  clock,
  onEvent,
}: SecureContextSourceOptions): SecureContextSource {
  const authority = openLocalAuthority(folder);
  const load = (): LoadedCertificate => {
    const issued = issuedFile === null ? undefined : readIssued(issuedFile, clock.now());
    if (issued !== undefined) return issued;
    const { authorityIsNew, ...pem } = authority.serverCertificate(names, clock.now());
    if (authorityIsNew) onEvent({ kind: "authority_made", caFile: authority.caFile });
    return pem;
  };
  const protocol = protocolOptions(rules ?? defaultTlsRules);
  const holder = contextHolder(load(), protocol);
  const reload = (): void => attempt(onEvent, () => holder.replace(load()));
  const stop = repeat(clock, renewalMs, reload);
  const faulty = createFaultyContexts({
    names: names.required,
    protocol,
    authority: () => authority.identity() ?? null,
    now: () => clock.now(),
  });
  return { ...holder.source, faulty, caFile: authority.caFile, reload, close: stop };
}

function ownSource(
  { names, rules, clock, onEvent }: SecureContextSourceOptions,
  files: CertificateFiles,
): SecureContextSource {
  let seen = versionOf(files);
  const protocol = protocolOptions(rules ?? defaultTlsRules);
  const holder = contextHolder(readOwn(files), protocol);
  const reload = (): void =>
    attempt(onEvent, () => {
      const version = versionOf(files);
      if (version === seen) return;
      seen = version;
      holder.replace(readOwn(files));
      onEvent({ kind: "certificate_reloaded" });
    });
  const stop = repeat(clock, reloadMs, reload);
  const faulty = createFaultyContexts({
    names: names.required,
    protocol,
    authority: () => null,
    now: () => clock.now(),
  });
  return { ...holder.source, faulty, caFile: null, reload, close: stop };
}

interface LoadedCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

function contextHolder(
  first: LoadedCertificate,
  protocol: TlsProtocolOptions,
): {
  readonly source: Pick<SecureContextSource, "current" | "credentials" | "onChange">;
  readonly replace: (next: LoadedCertificate) => void;
} {
  let credentials = credentialsOf(first, protocol);
  let context = createSecureContext(credentials);
  const listeners: (() => void)[] = [];
  return {
    source: {
      current: () => context,
      credentials: () => credentials,
      onChange: (listener) => void listeners.push(listener),
    },
    replace: (pem) => {
      const next = credentialsOf(pem, protocol);
      if (next.cert === credentials.cert && next.key === credentials.key) return;
      context = createSecureContext(next);
      credentials = next;
      for (const listener of listeners) listener();
    },
  };
}

function credentialsOf({ certificatePem, keyPem }: LoadedCertificate, protocol: TlsProtocolOptions): TlsCredentials {
  return { cert: certificatePem, key: keyPem, ...protocol };
}

function readOwn({ certFile, keyFile }: CertificateFiles): LoadedCertificate {
  const certificatePem = readOwnFile(certFile);
  const keyPem = readOwnFile(keyFile);
  if (readIdentity(certificatePem, keyPem) === undefined) {
    throw new CertificateError(`${certFile} and ${keyFile} are not the PEM of a certificate and of its private key`);
  }
  return { certificatePem, keyPem };
}

function readOwnFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new CertificateError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`);
  }
}

function versionOf({ certFile, keyFile }: CertificateFiles): string {
  return [certFile, keyFile].map(fileVersion).join(" ");
}

function fileVersion(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? "absent" : `${found.mtimeMs}/${found.size}/${found.ino}`;
}

function attempt(onEvent: (event: CertificateEvent) => void, action: () => void): void {
  try {
    action();
  } catch (error) {
    onEvent({ kind: "certificate_unusable", problem: error instanceof Error ? error.message : "unknown" });
  }
}

/** Calls `action` every `everyMs` until the returned function is called. */
function repeat(clock: Clock, everyMs: number, action: () => void): () => void {
  let cancel = clock.after(everyMs, step);
  function step(): void {
    cancel = clock.after(everyMs, step);
    action();
  }
  return () => {
    cancel();
  };
}
