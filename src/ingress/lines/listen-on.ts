import { once } from "node:events";
import { isIPv4, type AddressInfo, type Server } from "node:net";

/** IP addresses to listen on; none includes another. */
export type Hosts = readonly [string, ...string[]];

/** Addresses, one port and the handling of later errors. */
export interface ListenOptions {
  readonly hosts: Hosts;
  /** 0: a port that is free on every address. */
  readonly port: number;
  /** Receives errors of open servers, such as those of `accept`. */
  readonly onError: (error: Error) => void;
}

/** Open servers, one for each address. */
export interface Listening {
  /** First address. */
  readonly address: string;
  /** Port of every address. */
  readonly port: number;
  /** Stops accepting; connections stay. */
  readonly close: () => void;
}

/** Ports that are tried when another program has the port that was free on the first address. */
const attemptCountMax = 100;

/**
 * Opens a server for each address, all on one port. Rejects, with none left open, with the error of the operating system,
 * whose member `address` is the address that could not be opened.
 */
export async function listenOn(create: () => Server, { hosts, port, onError }: ListenOptions): Promise<Listening> {
  const servers = hosts.map((host) => ({ host, server: create() }));
  const close = (): void => {
    for (const { server } of servers) if (server.listening) server.close();
  };
  for (let attempt = 1; ; attempt += 1) {
    try {
      let bound = port;
      for (const { host, server } of servers) bound = await open(server, { host, port: bound, hosts });
      for (const { server } of servers) server.on("error", onError);
      return { address: hosts[0], port: bound, close };
    } catch (error) {
      close();
      const isTaken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
      if (port !== 0 || !isTaken || attempt === attemptCountMax) throw error;
    }
  }
}

/** Opens one server; returns its port. */
async function open(
  server: Server,
  { host, port, hosts }: { readonly host: string; readonly port: number; readonly hosts: Hosts },
): Promise<number> {
  // `::` takes every IPv4 address too unless it is told not to.
  server.listen({
    host,
    port,
    ipv6Only: host === "::" && hosts.some((one) => isIPv4(one)),
  });
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
