/** Gives every new TLS handshake the certificate that is in force at that moment. */
import { readFileSync, statSync } from "node:fs";
import { createSecureContext, type SecureContext } from "node:tls";
import type { Clock } from "../core/clock.ts";
import { readIdentity } from "./certificate.ts";
import type { HostNames } from "./host-names.ts";
import { openLocalAuthority } from "./local-authority.ts";

/** PEM files of a certificate (chain) and its key that the operator brings. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** What happened to the certificate, for the log. */
export type CertificateEvent =
  | { readonly kind: "authority_made"; readonly caFile: string }
  | { readonly kind: "certificate_reloaded" }
  | { readonly kind: "certificate_unusable"; readonly problem: string };

/** Where certificates come from. */
export interface SecureContextSourceOptions {
  /** Folder of the local CA; not touched when the operator brings a certificate. */
  readonly folder: string;
  readonly names: HostNames;
  readonly own: CertificateFiles | null;
  readonly clock: Clock;
  readonly onEvent: (event: CertificateEvent) => void;
}

/** A certificate chain with its key, and the TLS versions it is offered in, as TLS servers take them. */
export interface TlsCredentials {
  /** PEM; intermediates follow the certificate. */
  readonly cert: string;
  readonly key: string;
  readonly minVersion: "TLSv1.2";
}

/** The certificate of the moment. */
export interface SecureContextSource {
  /** TLS 1.2 and newer; the same object until the certificate changes. */
  readonly current: () => SecureContext;
  /** The same, for servers that make the context themselves. */
  readonly credentials: () => TlsCredentials;
  /** Calls the listener after every change of the certificate. */
  readonly onChange: (listener: () => void) => void;
  /** PEM file that clients must trust; null when the certificate is the operator's own. */
  readonly caFile: string | null;
  /** Ends the watch over the certificate. */
  readonly close: () => void;
}

/** The operator's certificate cannot be used; the message names the file and never shows what is in it. */
export class CertificateRefused extends Error {
  override readonly name: string = "CertificateRefused";
}

/** How long a changed file of the operator may go unnoticed. */
const reloadMs = 60_000;
/** How often the local certificate's age is looked at. */
const renewalMs = 24 * 3_600_000;

/**
 * Uses the operator's certificate where there is one, else one of the local CA in `folder`, which is made when it is
 * not there yet. Throws {@link CertificateRefused} when the operator's files are unusable at the start; a change that
 * makes them so later is reported, and the last usable certificate stays.
 */
export function createSecureContextSource(options: SecureContextSourceOptions): SecureContextSource {
  return options.own === null ? localSource(options) : ownSource(options, options.own);
}

function localSource({ folder, names, clock, onEvent }: SecureContextSourceOptions): SecureContextSource {
  const authority = openLocalAuthority(folder);
  const load = (): LoadedCertificate => {
    const { authorityIsNew, ...pem } = authority.serverCertificate(names, clock.now());
    if (authorityIsNew) onEvent({ kind: "authority_made", caFile: authority.caFile });
    return pem;
  };
  const holder = contextHolder(load());
  const stop = repeat(clock, renewalMs, () => {
    attempt(onEvent, () => holder.replace(load()));
  });
  return { ...holder.source, caFile: authority.caFile, close: stop };
}

function ownSource({ clock, onEvent }: SecureContextSourceOptions, files: CertificateFiles): SecureContextSource {
  let seen = versionOf(files);
  const holder = contextHolder(readOwn(files));
  const stop = repeat(clock, reloadMs, () => {
    attempt(onEvent, () => {
      const version = versionOf(files);
      if (version === seen) return;
      seen = version;
      holder.replace(readOwn(files));
      onEvent({ kind: "certificate_reloaded" });
    });
  });
  return { ...holder.source, caFile: null, close: stop };
}

interface LoadedCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

function contextHolder(first: LoadedCertificate): {
  readonly source: Pick<SecureContextSource, "current" | "credentials" | "onChange">;
  readonly replace: (next: LoadedCertificate) => void;
} {
  let credentials = credentialsOf(first);
  let context = createSecureContext(credentials);
  const listeners: (() => void)[] = [];
  return {
    source: {
      current: () => context,
      credentials: () => credentials,
      onChange: (listener) => void listeners.push(listener),
    },
    replace: (pem) => {
      const next = credentialsOf(pem);
      if (next.cert === credentials.cert && next.key === credentials.key) return;
      context = createSecureContext(next);
      credentials = next;
      for (const listener of listeners) listener();
    },
  };
}

function credentialsOf({ certificatePem, keyPem }: LoadedCertificate): TlsCredentials {
  return { cert: certificatePem, key: keyPem, minVersion: "TLSv1.2" };
}

function readOwn({ certFile, keyFile }: CertificateFiles): LoadedCertificate {
  const certificatePem = readOwnFile(certFile);
  const keyPem = readOwnFile(keyFile);
  if (readIdentity(certificatePem, keyPem) === undefined) {
    throw new CertificateRefused(`${certFile} and ${keyFile} are not the PEM of a certificate and of its private key`);
  }
  return { certificatePem, keyPem };
}

function readOwnFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new CertificateRefused(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`);
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

/** Calls `action` every so often until the returned function is called. */
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
