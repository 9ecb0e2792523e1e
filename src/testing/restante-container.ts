/** Service in a container, by Testcontainers: the entry `restante/testcontainers`. */
import { randomBytes } from "node:crypto";
import { mailDomainDefault } from "../core/mail-addresses.ts";
import {
  AbstractStartedContainer,
  GenericContainer,
  Wait,
  type StartedNetwork,
  type StartedTestContainer,
} from "testcontainers";

/** Image of this version, without the registry it is in. */
const defaultImage = "restante:0.1.0";
const defaultServerId = "tests001";
const httpPort = 8025;
const smtpPort = 1025;
/** A first start may have to pull the image. */
const readyMsMax = 120_000;

/**
 * Container with one server and an account key.
 *
 * ```ts
 * import { RestanteContainer } from "restante/testcontainers";
 *
 * await using restante = await new RestanteContainer().start();
 * const to = restante.emailAddress("sign-up");
 * await signUp({ to, smtpHost: restante.getSmtpHost(), smtpPort: restante.getSmtpPort() });
 * ```
 */
export class RestanteContainer extends GenericContainer {
  #apiKey = randomBytes(24).toString("hex");
  #serverId = defaultServerId;
  #alias: string | undefined;

  /** Uses the given image, that of the variable `RESTANTE_IMAGE`, or `restante:<version of this package>`. */
  constructor(image: string = process.env["RESTANTE_IMAGE"] ?? defaultImage) {
    super(image);
    this.withExposedPorts(httpPort, smtpPort)
      .withWaitStrategy(Wait.forHttp("/readyz", httpPort).forStatusCode(200))
      .withStartupTimeout(readyMsMax);
  }

  /** Sets the account key, of at least 16 characters; otherwise it is random. */
  withApiKey(apiKey: string): this {
    this.#apiKey = apiKey;
    return this;
  }

  /** Sets the id of the server, eight letters or digits. */
  withServerId(serverId: string): this {
    this.#serverId = serverId;
    return this;
  }

  /** Connects the container to a network, in which the application under test reaches it as `alias`. */
  withAlias(network: StartedNetwork, alias = "restante"): this {
    this.#alias = alias;
    return this.withNetwork(network).withNetworkAliases(alias);
  }

  /** Starts the container; resolves when the service is ready. */
  override async start(): Promise<StartedRestanteContainer> {
    this.withEnvironment({
      RESTANTE_API_KEY: this.#apiKey,
      RESTANTE_SERVERS: `${this.#serverId}:Tests`,
      // Clients come from other addresses than loopback; otherwise they would have to trust the local CA.
      RESTANTE_SMTP_STARTTLS: "never",
    });
    const started = await super.start();
    return new StartedRestanteContainer(started, {
      apiKey: this.#apiKey,
      serverId: this.#serverId,
      alias: this.#alias,
    });
  }
}

/** Running container. */
export class StartedRestanteContainer extends AbstractStartedContainer {
  readonly #apiKey: string;
  readonly #serverId: string;
  readonly #alias: string | undefined;

  /** Is called by `RestanteContainer`. */
  constructor(
    container: StartedTestContainer,
    options: { readonly apiKey: string; readonly serverId: string; readonly alias: string | undefined },
  ) {
    super(container);
    this.#apiKey = options.apiKey;
    this.#serverId = options.serverId;
    this.#alias = options.alias;
  }

  /** Returns the base URL of the API and of the web UI for this machine. */
  getUrl(): string {
    return `http://${this.getHost()}:${String(this.getMappedPort(httpPort))}`;
  }

  /** Returns the SMTP host for an application on this machine. */
  getSmtpHost(): string {
    return this.getHost();
  }

  /** Returns the SMTP port for an application on this machine. */
  getSmtpPort(): number {
    return this.getMappedPort(smtpPort);
  }

  /** Returns the account key. */
  getApiKey(): string {
    return this.#apiKey;
  }

  /** Returns the id of the server. */
  getServerId(): string {
    return this.#serverId;
  }

  /** Returns the mail domain of the server. */
  getServerDomain(): string {
    return `${this.#serverId}.${mailDomainDefault}`;
  }

  /** Returns the base URL for containers of the same network; throws an `Error` without `withAlias`. */
  getNetworkUrl(): string {
    return `http://${this.#requireAlias()}:${String(httpPort)}`;
  }

  /** Returns host and port of SMTP for an application in a container of the same network. */
  getNetworkSmtp(): { readonly host: string; readonly port: number } {
    return { host: this.#requireAlias(), port: smtpPort };
  }

  /** Returns an address of the server, with this local part or a unique one. */
  emailAddress(localPart: string = randomBytes(6).toString("hex")): string {
    return `${localPart}@${this.getServerDomain()}`;
  }

  #requireAlias(): string {
    if (this.#alias === undefined) throw new Error("The container has no alias: call withAlias before start");
    return this.#alias;
  }
}
