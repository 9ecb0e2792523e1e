/** Listeners with the APIs of other mail catchers. Their modules are loaded when a setting asks for them. */
import type { Server } from "node:http";
import type { HttpApp } from "../../http/app.ts";
import { isLoopbackOnly } from "../loopback.ts";
import type { Config } from "../settings/config.ts";
import { catcherNames, type CatcherName } from "../settings/listener-settings.ts";
import { readVersion } from "../version.ts";
import { openPort } from "./open-port.ts";

/** Bound ports by the names of mail catchers, of those listeners that are not off. */
export type CatcherPorts = Readonly<Partial<Record<CatcherName, number>>>;

/** Opens servers on a port of all addresses; returns the port. */
type Listen = (create: () => Server, port: number) => Promise<number>;

/** Opens the listeners of the settings, in clear; `app` closes them. Rejects as `openPort` does. */
export async function openCatchers(app: HttpApp, config: Config, listen: Listen): Promise<CatcherPorts> {
  const wanted = catcherNames.filter((name) => config[`${name}Port`] !== null);
  if (wanted.length === 0) return {};
  const { catcherTable, createCatcherRouter, createCatcherUpgrade } = await import("../../catchers/catcher-routes.ts");
  const { bind, trustLoopback, peerServer, peerPath } = config;
  const version = readVersion();
  const ports: Partial<Record<CatcherName, number>> = {};
  for (const name of wanted) {
    const port = await openPort(config, `${name}Port`, async (wantedPort) => {
      const access = { name, server: peerServer, trustsLoopback: trustLoopback && isLoopbackOnly(bind) };
      const catcher = await catcherTable[name]();
      const options = { access, version, basePath: peerPath };
      const upgrade = createCatcherUpgrade(catcher, options);
      return await listen(() => app.createCatcherListener(createCatcherRouter(catcher, options), upgrade), wantedPort);
    });
    if (port !== null) ports[name] = port;
  }
  return ports;
}
