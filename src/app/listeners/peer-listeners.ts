/** Listeners with the APIs of other mail catchers. Their modules are loaded when a setting asks for them. */
import type { HttpApp } from "../../http/app.ts";
import type { Log } from "../log/log.ts";
import { isLoopback } from "../loopback.ts";
import type { Config } from "../settings/config.ts";
import { peerNames, type PeerName } from "../settings/peer-settings.ts";
import { readVersion } from "../version.ts";
import { listen } from "./listen.ts";
import { openPort } from "./open-port.ts";

/** Bound ports by the names of peers, of those listeners that are not off. */
export type PeerPorts = Readonly<Partial<Record<PeerName, number>>>;

/** Opens the listeners of the settings; `app` closes them. Rejects as `openPort` does. */
export async function openPeers(app: HttpApp, config: Config, log: Pick<Log, "error">): Promise<PeerPorts> {
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
      const access = { name, server: peerServer, trustsLoopback: trustLoopback && isLoopback(bind) };
      const peer = await peerTable[name]();
      const options = { access, version };
      const upgrade = createPeerUpgrade(peer, options);
      const listener = app.createPeerListener(createPeerRouter(peer, options), upgrade);
      return await listen(listener, { host: bind, port: wantedPort, log });
    });
    if (port !== null) ports[name] = port;
  }
  return ports;
}
