/** Keeps a local CA and a server certificate of it in a folder, and makes both anew in time. */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import {
  keyPem,
  makeAuthority,
  makeServerIdentity,
  namesExactly,
  permitsName,
  readIdentity,
  type CertificateWish,
  type Identity,
} from "./certificate.ts";
import { isPrivateAddress, type HostNames } from "./host-names.ts";

const dayMs = 86_400_000;
/** Clocks of clients may be behind by so much. */
const backdatedMs = 3_600_000;
const authorityLifetimeMs = 3652 * dayMs;
/** Browsers take no server certificate that lives longer than 398 days. */
const serverLifetimeMs = 397 * dayMs;
const renewedBeforeEndMs = 30 * dayMs;

/** A server certificate in force, and whether the CA behind it is a new one that clients do not trust yet. */
interface ServerCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
  readonly authorityIsNew: boolean;
}

/** Where a local CA is kept. */
export interface LocalAuthority {
  /** PEM file of the CA certificate, for clients to trust. */
  readonly caFile: string;
  /**
   * The server certificate for these names, from the folder where it is good for 30 days more and says the same names,
   * else a new one. The CA is replaced when it ends before a full server certificate would, when it is unreadable,
   * and when it cannot speak for a required name.
   */
  serverCertificate(names: HostNames, now: number): ServerCertificate;
}

/** Opens (and makes, mode 0700) the folder of a local CA; files in it are readable to the owner only. */
export function openLocalAuthority(folder: string): LocalAuthority {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const caFile = join(folder, "ca.pem");
  const caKeyFile = join(folder, "ca-key.pem");
  const serverFile = join(folder, "server.pem");

  const keptAuthority = (): Identity | undefined => readIdentity(readText(caFile), readText(caKeyFile));

  const newAuthority = (names: HostNames, now: number): Identity => {
    const all = [...names.required, ...names.optional].filter((name) => isIP(name) === 0 || !isPrivateAddress(name));
    const made = makeAuthority({ names: all, ...lifetime(now, authorityLifetimeMs) });
    // The key first: a crash in between leaves a pair that does not match, and the next start makes another.
    writeAtomically(caKeyFile, keyPem(made.key));
    writeAtomically(caFile, made.certificate.toString());
    return made;
  };

  const newServer = (wish: CertificateWish, authority: Identity): Identity => {
    const made = makeServerIdentity(wish, authority);
    // One file, so that key and certificate always belong together.
    writeAtomically(serverFile, made.certificate.toString() + keyPem(made.key));
    return made;
  };

  return {
    caFile,
    serverCertificate(names, now) {
      const old = keptAuthority();
      const authority = old !== undefined && isGoodAuthority(old, names, now) ? old : newAuthority(names, now);
      const wish = { names: namesWithin(authority, names), ...lifetime(now, serverLifetimeMs) };
      const keptText = readText(serverFile);
      const kept = readIdentity(keptText, keptText);
      const server =
        kept !== undefined && isGoodServer(kept, authority, { ...wish, now }) ? kept : newServer(wish, authority);
      return {
        certificatePem: server.certificate.toString(),
        keyPem: keyPem(server.key),
        authorityIsNew: authority !== old,
      };
    },
  };
}

function isGoodAuthority({ certificate }: Identity, names: HostNames, now: number): boolean {
  const lastsLongEnough = certificate.validToDate.getTime() >= now + serverLifetimeMs;
  const hasBegun = certificate.validFromDate.getTime() <= now;
  return lastsLongEnough && hasBegun && names.required.every((name) => canSpeakFor(certificate, name));
}

function isGoodServer(
  { certificate }: Identity,
  authority: Identity,
  wish: { readonly names: readonly string[]; readonly now: number },
): boolean {
  const lastsLongEnough = certificate.validToDate.getTime() >= wish.now + renewedBeforeEndMs;
  const hasBegun = certificate.validFromDate.getTime() <= wish.now;
  const saysTheSame = namesExactly(certificate, wish.names);
  return lastsLongEnough && hasBegun && saysTheSame && certificate.verify(authority.certificate.publicKey);
}

function namesWithin(authority: Identity, names: HostNames): readonly string[] {
  const optional = names.optional.filter((name) => canSpeakFor(authority.certificate, name));
  return [...new Set([...names.required, ...optional])];
}

function canSpeakFor(authority: Identity["certificate"], name: string): boolean {
  return (isIP(name) > 0 && isPrivateAddress(name)) || permitsName(authority, name);
}

function lifetime(now: number, lifetimeMs: number): { notBefore: number; notAfter: number } {
  return { notBefore: now - backdatedMs, notAfter: now - backdatedMs + lifetimeMs };
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

function writeAtomically(file: string, text: string): void {
  const draft = `${file}.new`;
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  renameSync(draft, file);
}
