import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server } from "node:net";
import { afterEach, expect, test } from "vitest";
import { listenOn } from "./listen-on.ts";

const open = new Set<Server>();
afterEach(() => {
  for (const server of open) server.close();
  open.clear();
});

function server(): Server {
  const created = createServer((socket) => socket.end("hello"));
  open.add(created);
  return created;
}

async function greeting(host: string, port: number): Promise<string> {
  const socket = connect({ host, port });
  const [chunk] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return chunk.toString();
}

const onError = (error: Error): never => {
  throw error;
};

test("opens one port on every address and closes all of them", async () => {
  const listening = await listenOn(server, { hosts: ["127.0.0.1", "127.0.0.2"], port: 0, onError });
  expect([listening.address, listening.port > 0]).toEqual(["127.0.0.1", true]);
  for (const host of ["127.0.0.1", "127.0.0.2"]) expect(await greeting(host, listening.port)).toBe("hello");
  listening.close();
  for (const host of ["127.0.0.1", "127.0.0.2"])
    await expect(greeting(host, listening.port)).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

test("chooses another port when the one of the first address is in use on the second", async () => {
  const taken: number[] = [];
  const other = server();
  let createdCount = 0;
  const create = (): Server => {
    const created = server();
    createdCount += 1;
    if (createdCount === 1)
      created.once("listening", () => {
        const { port } = created.address() as AddressInfo;
        taken.push(port);
        other.listen({ host: "127.0.0.2", port });
      });
    return created;
  };
  const { port } = await listenOn(create, { hosts: ["127.0.0.1", "127.0.0.2"], port: 0, onError });
  expect(taken).toEqual([(other.address() as AddressInfo).port]);
  expect(taken).not.toContain(port);
  expect(await greeting("127.0.0.1", port)).toBe("hello");
  await expect(greeting("127.0.0.1", taken[0] ?? 0)).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

test("rejects with the address that cannot be opened, and leaves none open", async () => {
  const other = server();
  await once(other.listen({ host: "127.0.0.3", port: 0 }), "listening");
  const { port } = other.address() as AddressInfo;
  const hosts = ["127.0.0.1", "127.0.0.2", "127.0.0.3"] as const;
  const refused = listenOn(server, { hosts, port, onError });
  await expect(refused).rejects.toMatchObject({ code: "EADDRINUSE", address: "127.0.0.3", port });
  for (const host of hosts.slice(0, 2))
    await expect(greeting(host, port)).rejects.toMatchObject({ code: "ECONNREFUSED" });
});
