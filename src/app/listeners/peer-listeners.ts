/** Listeners with the APIs of other mail catchers. Their modules are loaded when a setting asks for them. */
import type { Server } from "node:http";
import type { HttpApp } from "../../http/app.ts";
import { isLoopbackOnly } from "../loopback.ts";
import type { Config } from "../settings/config.ts";
import { peerNames, type PeerName } from "../settings/peer-settings.ts";
import { readVersion } from "../version.ts";
import { openPort } from "./open-port.ts";

/** Bound ports by the names of mail catchers, of those listeners that are not off. */
export type PeerPorts = Readonly<Partial<Record<PeerName, number>>>;

/** Opens servers on a port of all addresses; returns the port. */
type Listen = (create: () => Server, port: number) => Promise<number>;

/** Opens the listeners of the settings, in clear; `app` closes them. Rejects as `openPort` does. */
export async function openPeers(app: HttpApp, config: Config, listen: Listen): Promise<PeerPorts> {
  const wanted = peerNames.filter((name) => config[`${name}Port`] !== null);
  if (wanted.length === 0) return {};
  const [{ peerTable }, { createPeerRouter }, { createPeerUpgrade }] = await Promise.all([
    import("../../peers/peer-table.ts"),
    import("../../peers/peer-routes.ts"),
    import("../../peers/peer-upgrades.ts"),
  ]);
  const { bind, trustLoopback, peerServer } = config;
  const version = readVersion();
  const ports: Partial<Record<PeerName, number>> = {};
  for (const name of wanted) {
    const port = await openPort(config, `${name}Port`, async (wantedPort) => {
      const access = { name, server: peerServer, trustsLoopback: trustLoopback && isLoopbackOnly(bind) };
      const peer = await peerTable[name]();
      const options = { access, version };
      const upgrade = createPeerUpgrade(peer, options);
      return await listen(() => app.createPeerListener(createPeerRouter(peer, options), upgrade), wantedPort);
    });
    if (port !== null) ports[name] = port;
  }
  return ports;
}
