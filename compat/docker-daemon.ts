/**
 * HTTP API of a Docker daemon, as far as Testcontainers use it, for machines without one; `npm run compat:image` names a real
 * one instead. Starting a container of the image
 * runs the service of this checkout with exactly the environment of the container; its ports are those of the service.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { ServiceProcess } from "../src/testing/service-process.ts";

/** Body of a request that creates a container. */
interface ContainerRequest {
  readonly Image: string;
  readonly Env?: readonly string[] | null;
  readonly ExposedPorts?: Readonly<Record<string, unknown>> | null;
  readonly Labels?: Readonly<Record<string, string>> | null;
  readonly HostConfig?: { readonly NetworkMode?: string } | null;
  readonly NetworkingConfig?: { readonly EndpointsConfig?: Readonly<Record<string, Endpoint>> | null } | null;
}

interface Endpoint {
  readonly Aliases?: readonly string[] | null;
}

interface Container {
  readonly id: string;
  readonly name: string;
  readonly request: ContainerRequest;
  /** Networks by name, including those that the container joins after its creation. */
  readonly networks: Record<string, Endpoint>;
  readonly folder: string;
  service: ServiceProcess | undefined;
}

interface Call {
  readonly query: URLSearchParams;
  readonly body: unknown;
}

interface Reply {
  readonly status: number;
  readonly body?: unknown;
}

type Handler = (name: string, call: Call) => Reply | Promise<Reply>;

const apiVersion = "1.44";
const emptyAddress = { IPAddress: "127.0.0.1", Gateway: "127.0.0.1" };

/** Docker daemon that starts containers for Testcontainers. */
export interface Docker extends AsyncDisposable {
  /** Value of `DOCKER_HOST`. */
  readonly address: string;
}

/** Environment variable with the address of a real daemon, which has the image as `restante:<version>` and `restante:other`. */
export const realDaemonVariable = "COMPAT_DOCKER_HOST";

/** Returns the daemon that {@link realDaemonVariable} names, which disposal leaves running, or starts a simulated one. */
export async function openDocker(): Promise<Docker> {
  const address = process.env[realDaemonVariable];
  if (address === undefined) return DockerDaemon.start();
  return { address, [Symbol.asyncDispose]: async () => Promise.resolve() };
}

/** Simulated daemon on a free port of the loopback interface. */
export class DockerDaemon implements Docker {
  readonly #containers = new Map<string, Container>();
  readonly #networks = new Map<string, string>([["bridge", "bridge"]]);
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#respond(request, response).catch((error: unknown) => {
        send(response, { status: 500, body: { message: String(error) } });
      });
    });
  }

  /** Starts a daemon. */
  static async start(): Promise<DockerDaemon> {
    const daemon = new DockerDaemon();
    daemon.#server.listen(0, "127.0.0.1");
    await once(daemon.#server, "listening");
    return daemon;
  }

  /** Value of `DOCKER_HOST`. */
  get address(): string {
    return `tcp://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  /** Stops the daemon and all containers. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(Array.from(this.#containers.keys(), async (id) => this.#remove(id)));
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://daemon");
    const content = await text(request);
    const body = content.startsWith("{") ? (JSON.parse(content) as unknown) : {};
    const call = `${request.method ?? ""} ${pathname.replace(/^\/v\d+\.\d+/, "")}`;
    for (const [pattern, handle] of this.#routes) {
      const match = pattern.exec(call);
      if (match !== null) {
        send(response, await handle(decodeURIComponent(match[1] ?? ""), { query, body }));
        return;
      }
    }
    process.stderr.write(`docker daemon: no route for ${call}\n`);
    send(response, { status: 404, body: { message: `no route for ${call}` } });
  }

  readonly #routes: readonly (readonly [RegExp, Handler])[] = [
    [/^(?:GET|HEAD) \/_ping$/, () => ({ status: 200, body: "OK" })],
    [/^GET \/version$/, () => ({ status: 200, body: versionOf() })],
    [/^GET \/info$/, () => ({ status: 200, body: infoOf() })],
    [/^GET \/images\/json$/, () => ({ status: 200, body: [] })],
    [/^GET \/images\/(.+)\/json$/, (name) => ({ status: 200, body: imageOf(name) })],
    [/^POST \/images\/create$/, () => ({ status: 200, body: {} })],
    [/^POST \/networks\/create$/, (_, { body }) => this.#createNetwork(body as { readonly Name: string })],
    // The clean-up of Testcontainers for Java; its own containers are removed one by one.
    [/^POST \/(?:containers|images|networks|volumes)\/prune$/, () => ({ status: 200, body: {} })],
    [/^GET \/networks$/, () => ({ status: 200, body: Array.from(this.#networks, networkOf) })],
    [/^POST \/networks\/([^/]+)\/connect$/, (name, { body }) => this.#connect(name, body)],
    [/^GET \/networks\/([^/]+)$/, (name) => this.#network(name)],
    [/^DELETE \/networks\/([^/]+)$/, (name) => this.#deleteNetwork(name)],
    [/^GET \/containers\/json$/, () => ({ status: 200, body: [] })],
    [/^POST \/containers\/create$/, (_, { query, body }) => this.#create(query, body as ContainerRequest)],
    [/^POST \/containers\/([^/]+)\/start$/, async (id) => this.#start(id)],
    [/^GET \/containers\/([^/]+)\/json$/, (id) => this.#inspect(id)],
    [/^GET \/containers\/[^/]+\/logs$/, () => ({ status: 200, body: "" })],
    [/^POST \/containers\/([^/]+)\/(?:stop|kill)$/, async (id) => this.#stop(id)],
    [/^POST \/containers\/[^/]+\/wait$/, () => ({ status: 200, body: { StatusCode: 0 } })],
    [/^DELETE \/containers\/([^/]+)$/, async (id) => this.#remove(id)],
  ];

  #create(query: URLSearchParams, request: ContainerRequest): Reply {
    const id = randomBytes(32).toString("hex");
    const folder = mkdtempSync(join(tmpdir(), "restante-container-"));
    const networks = { ...request.NetworkingConfig?.EndpointsConfig };
    if (Object.keys(networks).length === 0) networks[request.HostConfig?.NetworkMode ?? "bridge"] = {};
    this.#containers.set(id, { id, name: query.get("name") ?? id, request, networks, folder, service: undefined });
    return { status: 201, body: { Id: id, Warnings: [] } };
  }

  async #start(id: string): Promise<Reply> {
    const container = this.#containers.get(id);
    if (container === undefined) return missing(id);
    const pairs = (container.request.Env ?? []).map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]);
    container.service ??= await ServiceProcess.start([`--data-dir=${join(container.folder, "data")}`], {
      environment: Object.fromEntries(pairs.filter(([name]) => name !== "PATH")),
    });
    return { status: 204 };
  }

  #inspect(id: string): Reply {
    const container = this.#containers.get(id);
    return container === undefined ? missing(id) : { status: 200, body: containerOf(container) };
  }

  async #stop(id: string): Promise<Reply> {
    const container = this.#containers.get(id);
    if (container === undefined) return missing(id);
    await container.service?.stop();
    return { status: 204 };
  }

  async #remove(id: string): Promise<Reply> {
    const stopped = await this.#stop(id);
    const container = this.#containers.get(id);
    if (container !== undefined) rmSync(container.folder, { recursive: true, force: true });
    this.#containers.delete(id);
    return stopped;
  }

  #createNetwork({ Name }: { readonly Name: string }): Reply {
    const id = randomBytes(32).toString("hex");
    this.#networks.set(id, Name);
    return { status: 201, body: { Id: id, Warning: "" } };
  }

  #network(name: string): Reply {
    const found = Array.from(this.#networks).find((pair) => pair.includes(name));
    return found === undefined ? missing(name) : { status: 200, body: networkOf(found) };
  }

  #connect(name: string, body: unknown): Reply {
    const { Container: id, EndpointConfig } = body as {
      readonly Container: string;
      readonly EndpointConfig?: Endpoint;
    };
    const container = this.#containers.get(id);
    const network = Array.from(this.#networks).find((pair) => pair.includes(name));
    if (container === undefined || network === undefined) return missing(name);
    container.networks[network[1]] = EndpointConfig ?? {};
    return { status: 200 };
  }

  #deleteNetwork(name: string): Reply {
    const id = Array.from(this.#networks).find((pair) => pair.includes(name))?.[0];
    return id !== undefined && this.#networks.delete(id) ? { status: 204 } : missing(name);
  }
}

function send(response: ServerResponse, { status, body }: Reply): void {
  const isText = typeof body === "string";
  response.writeHead(status, {
    "api-version": apiVersion,
    ostype: "linux",
    "content-type": isText ? "text/plain" : "application/json",
  });
  response.end(isText ? body : body === undefined ? "" : `${JSON.stringify(body)}\n`);
}

function missing(name: string): Reply {
  return { status: 404, body: { message: `no such object: ${name}` } };
}

function versionOf(): object {
  const versions = { Version: "27.0.0", ApiVersion: apiVersion, MinAPIVersion: "1.24" };
  return { ...versions, Os: "linux", Arch: "amd64", KernelVersion: "6.1.0", GoVersion: "go1.22", GitCommit: "0" };
}

function infoOf(): object {
  const system = { OperatingSystem: "Linux", OSType: "linux", Architecture: "x86_64", NCPU: 2, MemTotal: 4e9 };
  return { ID: "compat", ServerVersion: "27.0.0", ...system, Labels: [], RegistryConfig: { IndexConfigs: {} } };
}

function imageOf(name: string): object {
  const created = "2026-01-01T00:00:00Z";
  return { Id: `sha256:${name}`, RepoTags: [name], Created: created, Os: "linux", Architecture: "amd64", Config: {} };
}

function networkOf([Id, Name]: readonly [string, string]): object {
  const ipam = { Driver: "default", Config: [{ Subnet: "127.0.0.0/8", Gateway: "127.0.0.1" }] };
  return { Id, Name, Driver: "bridge", Scope: "local", IPAM: ipam, Labels: {}, Containers: {} };
}

function containerOf({ id, name, request, networks, service }: Container): object {
  const status = { Status: service === undefined ? "created" : "running", Running: service !== undefined };
  const ports =
    service === undefined ? {} : { "8025/tcp": Number(new URL(service.url).port), "1025/tcp": service.smtpPort };
  const published = Object.entries(ports).filter(([port]) => port in (request.ExposedPorts ?? {}));
  const Ports = Object.fromEntries(
    published.map(([port, number]) => [port, [{ HostIp: "127.0.0.1", HostPort: String(number) }]]),
  );
  const joined: readonly [string, object][] = Object.entries(networks).map(([network, endpoint]) => [
    network,
    { ...emptyAddress, ...endpoint },
  ]);
  return {
    Id: id,
    Name: `/${name}`,
    Created: "2026-01-01T00:00:00Z",
    Image: request.Image,
    State: { ...status, ExitCode: 0, StartedAt: "2026-01-01T00:00:00Z", FinishedAt: "0001-01-01T00:00:00Z" },
    Config: { ...request, Hostname: id.slice(0, 12), Labels: request.Labels ?? {}, Env: request.Env ?? [] },
    HostConfig: request.HostConfig ?? {},
    NetworkSettings: { ...emptyAddress, Ports, Networks: Object.fromEntries<object>(joined) },
    Mounts: [],
  };
}
