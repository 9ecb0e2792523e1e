/** Certificate authority with ACME (RFC 8555) for tests, which validates HTTP-01 and TLS-ALPN-01 at ports of this machine. */
import { createHash, createPublicKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:tls";
import { calculateJwkThumbprint, flattenedVerify, importJWK, type JWK } from "jose";
import { createAuthority, keyPem, readIdentity, type Identity } from "../tls/certificate.ts";
import { certificateRequest } from "../tls/issued-certificate.ts";
import { signCertificate } from "../core/x509.ts";
import { subjectAltName } from "../tls/extensions.ts";

/** Beginning of an ECDSA P-256 public key (RFC 5480), which has 91 bytes. */
const keyStart = Buffer.from("3059301306072a8648ce3d020106082a8648ce3d030107", "hex");
const keyBytes = 91;
const dayMs = 86_400_000;

type Answer = readonly [status: number, body: object | string, headers?: Readonly<Record<string, string>>];

/** Request for a certificate. */
export interface TestRequest {
  /** PKCS #10, in DER. */
  readonly request: Buffer;
  /** Returns the names for which a chain, in PEM, is valid with the key of the request. */
  readonly namesOf: (chain: string) => readonly string[];
}

/** Creates a key and the request for a certificate of names. */
export function openTestRequest(names: readonly string[]): TestRequest {
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    request: certificateRequest(names, pair),
    namesOf: (chain) => {
      const identity = readIdentity(chain, keyPem(pair.privateKey));
      return names.filter((name) => identity?.certificate.checkHost(name) !== undefined);
    },
  };
}

/** A running authority. */
export class AcmeTestServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #authority: Identity;
  readonly #nonces = new Set<string>();
  readonly #authorizations: { name: string; token: string; status: string; error?: object }[] = [];
  #jwk: JWK = {};
  #names: readonly string[] = [];
  #chain = "";
  /** Port at which names are validated by HTTP-01. */
  challengePort = 0;
  /** Port at which names are validated by TLS-ALPN-01. */
  tlsPort = 0;
  /** Called before each validation, by which a test may change the ports. */
  onValidate: () => unknown = () => undefined;
  /** Requests whose nonce is refused. */
  staleCount = 0;
  /** Duration of certificates, in milliseconds, and their beginning. */
  lifetimeMs: number = 90 * dayMs;
  issuedAt: () => number = Date.now;
  /** Contacts of the accounts that were created. */
  readonly contacts: unknown[] = [];
  /** Replaces the answer to a path; undefined leaves it. */
  replace: (path: string, answer: Answer) => Answer | undefined = () => undefined;

  private constructor(server: Server) {
    this.#server = server;
    const now = Date.now();
    this.#authority = createAuthority({ names: ["example"], notBefore: now - dayMs, notAfter: now + 3650 * dayMs });
  }

  static async open(): Promise<AcmeTestServer> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const own = new AcmeTestServer(server);
    server.on(
      "request",
      (incoming: IncomingMessage, response: ServerResponse) => void own.#respond(incoming, response),
    );
    return own;
  }

  /** URL of the directory. */
  get directory(): string {
    return `${this.#base}/directory`;
  }

  /** Certificate of the authority, in PEM. */
  get ca(): string {
    return this.#authority.certificate.toString();
  }

  get #base(): string {
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = incoming.url ?? "";
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    if (incoming.headers["user-agent"] === undefined) throw new Error("RFC 8555 §6.1 requires a User-Agent");
    const usual = await this.#answer(path, Buffer.concat(chunks).toString()).catch((error: unknown): Answer => [
      500,
      { type: "urn:ietf:params:acme:error:serverInternal", detail: String(error) },
    ]);
    const [status, body, headers] = this.replace(path, usual) ?? usual;
    const nonce = randomBytes(8).toString("base64url");
    this.#nonces.add(nonce);
    const type = typeof body === "string" ? "application/pem-certificate-chain" : "application/json";
    response.writeHead(status, { "replay-nonce": nonce, "content-type": type, ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  }

  async #answer(path: string, body: string): Promise<Answer> {
    const base = this.#base;
    if (path === "/directory")
      return [200, { newNonce: `${base}/nonce`, newAccount: `${base}/account`, newOrder: `${base}/order` }];
    if (path === "/nonce") return [200, {}];
    return this.#answerSigned(path, body);
  }

  async #answerSigned(path: string, body: string): Promise<Answer> {
    const payload = await this.#verify(path, body);
    if (payload === null) return [400, { type: "urn:ietf:params:acme:error:badNonce", detail: "try again" }];
    const [, kind = "", index = ""] = path.split("/");
    if (kind === "account") return this.#openAccount(payload);
    if (kind === "order") return index === "" ? this.#openOrder(payload) : [200, this.#order()];
    if (kind === "authorization") return [200, this.#authorization(Number(index))];
    if (kind === "challenge" || kind === "tls-challenge") return this.#validate(Number(index), kind);
    if (kind === "finalize") return this.#finalize(payload);
    return [200, this.#chain];
  }

  /** Returns the payload of a signed request; null for a nonce that is refused. Rejects for an invalid signature. */
  async #verify(path: string, body: string): Promise<Readonly<Record<string, unknown>> | null> {
    const { payload, protectedHeader } = await flattenedVerify(
      JSON.parse(body) as Parameters<typeof flattenedVerify>[0],
      async (header) => {
        if (header?.["jwk"] !== undefined) this.#jwk = header["jwk"];
        return importJWK(this.#jwk, "ES256");
      },
    );
    if (protectedHeader?.["url"] !== this.#base + path) throw new Error("the URL is not that of the request");
    const isKnown = this.#nonces.delete(String(protectedHeader["nonce"]));
    if (!isKnown || this.staleCount > 0) {
      this.staleCount -= 1;
      return null;
    }
    const text = Buffer.from(payload).toString();
    return text === "" ? {} : (JSON.parse(text) as Readonly<Record<string, unknown>>);
  }

  #openAccount({ termsOfServiceAgreed, contact }: Readonly<Record<string, unknown>>): Answer {
    if (termsOfServiceAgreed !== true) throw new Error("the terms of service were not accepted");
    this.contacts.push(contact);
    return [201, { status: "valid" }, { location: `${this.#base}/account/1` }];
  }

  #openOrder({ identifiers }: Readonly<Record<string, unknown>>): Answer {
    this.#names = (identifiers as readonly { readonly value: string }[]).map(({ value }) => value);
    this.#chain = "";
    this.#authorizations.length = 0;
    for (const name of this.#names)
      this.#authorizations.push({ name, token: randomBytes(16).toString("base64url"), status: "pending" });
    return [201, this.#order(), { location: `${this.#base}/order/1` }];
  }

  #order(): object {
    const base = this.#base;
    const authorizations = this.#names.map((_, index) => `${base}/authorization/${String(index)}`);
    const certificate = this.#chain === "" ? {} : { certificate: `${base}/certificate/1` };
    return {
      status: this.#chain === "" ? "pending" : "valid",
      authorizations,
      finalize: `${base}/finalize`,
      ...certificate,
    };
  }

  #authorization(index: number): object {
    const { name, token, status, error } = this.#authorizations[index] ?? { name: "", token: "", status: "invalid" };
    const url = `${this.#base}/challenge/${String(index)}`;
    const tlsUrl = `${this.#base}/tls-challenge/${String(index)}`;
    const challenges = [
      { type: "dns-01", token, url: `${this.#base}/nothing` },
      { type: "http-01", token, url, ...(error && { error }) },
      { type: "tls-alpn-01", token, url: tlsUrl, ...(error && { error }) },
    ];
    return { status, identifier: { type: "dns", value: name }, challenges };
  }

  async #validate(index: number, kind: "challenge" | "tls-challenge"): Promise<Answer> {
    const one = this.#authorizations[index];
    if (one === undefined) throw new Error("no such challenge");
    await this.onValidate();
    const expected = `${one.token}.${await calculateJwkThumbprint(this.#jwk)}`;
    const found =
      kind === "challenge"
        ? await fetchFrom(this.challengePort, one.name, `/.well-known/acme-challenge/${one.token}`)
        : await certificateOf(this.tlsPort, one.name);
    const digest = createHash("sha256").update(expected).digest("hex");
    const isRight = kind === "challenge" ? found === expected : found === `DNS:${one.name} ${digest}`;
    one.status = isRight ? "valid" : "invalid";
    if (!isRight)
      one.error = { type: "urn:ietf:params:acme:error:unauthorized", detail: `${one.name} answered ${found}` };
    return [200, {}];
  }

  #finalize({ csr }: Readonly<Record<string, unknown>>): Answer {
    const request = Buffer.from(String(csr), "base64url");
    if (!request.includes(subjectAltName(this.#names))) throw new Error("the request has other names");
    const start = request.indexOf(keyStart);
    const publicKey = createPublicKey({
      key: request.subarray(start, start + keyBytes),
      format: "der",
      type: "spki",
    });
    const notBefore = this.issuedAt() - 3_600_000;
    const { certificate, key } = this.#authority;
    const subject = certificate.subject.replace(/^CN=/, "");
    const issued = signCertificate(
      {
        subject: this.#names[0] ?? "",
        issuer: subject,
        notBefore,
        notAfter: notBefore + this.lifetimeMs,
        publicKey,
        extensions: [subjectAltName(this.#names)],
      },
      key,
    );
    this.#chain = issued.toString() + certificate.toString();
    return [200, this.#order(), { location: `${this.#base}/order/1` }];
  }
}

/** Returns the names and the digest of the certificate of a challenge (RFC 8737 §3); the error where there is none. */
async function certificateOf(port: number, servername: string): Promise<string> {
  const socket = connect({ port, servername, ALPNProtocols: ["acme-tls/1"], rejectUnauthorized: false });
  try {
    await once(socket, "secureConnect");
    const certificate = socket.getPeerX509Certificate();
    const [, digest = ""] =
      /2b0601050507011f0101ff04220420([0-9a-f]{64})/.exec(certificate?.raw.toString("hex") ?? "") ?? [];
    const isAsked = socket.alpnProtocol === "acme-tls/1";
    return isAsked ? `${certificate?.subjectAltName ?? ""} ${digest}` : "another protocol";
  } catch (error) {
    return (error as Error).message;
  } finally {
    socket.destroy();
  }
}

/** Returns the text at a path of a port with a Host; the error where there is none. */
async function fetchFrom(port: number, host: string, path: string): Promise<string> {
  try {
    const outgoing = request({ host: "127.0.0.1", port, path, headers: { host }, agent: false }).end();
    const [response] = (await once(outgoing, "response")) as [IncomingMessage];
    let text = "";
    for await (const chunk of response) text += String(chunk);
    return text;
  } catch (error) {
    return (error as Error).message;
  }
}
