/** Local CA and its server certificate in a folder, both renewed in time. */
import { chmodSync, mkdirSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import {
  keyPem,
  createAuthority,
  createServerIdentity,
  namesExactly,
  permitsName,
  readIdentity,
  type CertificateRequest,
  type Identity,
  readText,
  writeAtomically,
} from "./certificate.ts";
import { isPrivateAddress, type HostNames } from "./host-names.ts";

const dayMs = 86_400_000;
/** Tolerance for clocks of clients that are behind. */
const backdatedMs = 3_600_000;
const authorityLifetimeMs = 3652 * dayMs;
/** Browsers reject server certificates valid for more than 398 days. */
const serverLifetimeMs = 397 * dayMs;
const renewedBeforeEndMs = 30 * dayMs;

/** Current server certificate, and whether its CA is new, so that clients do not trust it yet. */
interface ServerCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
  readonly authorityIsNew: boolean;
}

/** Local CA in a folder. */
export interface LocalAuthority {
  /** PEM file of the CA certificate that clients must trust. */
  readonly caFile: string;
  /**
   * Returns the server certificate for these names: the stored one when it has exactly these names and is valid for 30 more
   * days, else a new one. Replaces the CA when it expires before a new server certificate would, when it is unreadable, and
   * when it does not permit a required name.
   */
  serverCertificate(names: HostNames, now: number): ServerCertificate;
  /** Returns the CA with its key; undefined before the first {@link serverCertificate}. */
  identity(): Identity | undefined;
}

/** Opens the folder of a local CA, and creates it with mode 0700; its files are readable by the owner only. */
export function openLocalAuthority(folder: string): LocalAuthority {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const caFile = join(folder, "ca.pem");
  const caKeyFile = join(folder, "ca-key.pem");
  const serverFile = join(folder, "server.pem");

  const storedAuthority = (): Identity | undefined => readIdentity(readText(caFile), readText(caKeyFile));

  const newAuthority = (names: HostNames, now: number): Identity => {
    const all = [...names.required, ...names.optional].filter((name) => isIP(name) === 0 || !isPrivateAddress(name));
    const made = createAuthority({ names: all, ...lifetime(now, authorityLifetimeMs) });
    // The key first: after a crash in between the pair does not match, and the next start creates another.
    writeAtomically(caKeyFile, keyPem(made.key));
    writeAtomically(caFile, made.certificate.toString());
    return made;
  };

  const newServer = (request: CertificateRequest, authority: Identity): Identity => {
    const made = createServerIdentity(request, authority);
    // One file, so that key and certificate always match.
    writeAtomically(serverFile, made.certificate.toString() + keyPem(made.key));
    return made;
  };

  return {
    caFile,
    identity: storedAuthority,
    serverCertificate(names, now) {
      const old = storedAuthority();
      const authority = old !== undefined && isValidAuthority(old, names, now) ? old : newAuthority(names, now);
      const request = { names: namesWithin(authority, names), ...lifetime(now, serverLifetimeMs) };
      const storedText = readText(serverFile);
      const stored = readIdentity(storedText, storedText);
      const server =
        stored !== undefined && isValidServer(stored, authority, { ...request, now })
          ? stored
          : newServer(request, authority);
      return {
        certificatePem: server.certificate.toString(),
        keyPem: keyPem(server.key),
        authorityIsNew: authority !== old,
      };
    },
  };
}

function isValidAuthority({ certificate }: Identity, names: HostNames, now: number): boolean {
  const lastsLongEnough = certificate.validToDate.getTime() >= now + serverLifetimeMs;
  const isInForce = certificate.validFromDate.getTime() <= now;
  return lastsLongEnough && isInForce && names.required.every((name) => isPermitted(certificate, name));
}

function isValidServer(
  { certificate }: Identity,
  authority: Identity,
  request: { readonly names: readonly string[]; readonly now: number },
): boolean {
  const lastsLongEnough = certificate.validToDate.getTime() >= request.now + renewedBeforeEndMs;
  const isInForce = certificate.validFromDate.getTime() <= request.now;
  const hasSameNames = namesExactly(certificate, request.names);
  return lastsLongEnough && isInForce && hasSameNames && certificate.verify(authority.certificate.publicKey);
}

function namesWithin(authority: Identity, names: HostNames): readonly string[] {
  const optional = names.optional.filter((name) => isPermitted(authority.certificate, name));
  return [...new Set([...names.required, ...optional])];
}

function isPermitted(authority: Identity["certificate"], name: string): boolean {
  return (isIP(name) > 0 && isPrivateAddress(name)) || permitsName(authority, name);
}

function lifetime(now: number, lifetimeMs: number): { notBefore: number; notAfter: number } {
  return { notBefore: now - backdatedMs, notAfter: now - backdatedMs + lifetimeMs };
}
