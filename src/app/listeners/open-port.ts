import { choiceSettings, type Choices } from "../settings/table.ts";
import { SettingsError, type Config } from "../settings/config.ts";

/** Name of a setting that holds a port. */
export type PortName = Extract<keyof Choices, `${string}Port`>;

/**
 * Opens a listener on the port of a setting; returns null when the setting is `off`. Rejects with {@link SettingsError} when
 * the port cannot be opened.
 */
export async function openPort<Listener>(
  config: Config,
  name: PortName,
  open: (port: number) => Promise<Listener>,
): Promise<Listener | null> {
  const port = config[name];
  if (port === null) return null;
  try {
    return await open(port);
  } catch (error) {
    const reason = portProblems[(error as NodeJS.ErrnoException).code ?? ""];
    if (reason === undefined) throw error;
    const { address = config.bind[0] } = error as { readonly address?: string };
    const place = `port ${port} of ${address}`;
    throw new SettingsError([`${choiceSettings[name].env}: ${place} ${reason}`], { cause: error });
  }
}

const portProblems: Readonly<Record<string, string>> = {
  EADDRINUSE: "is in use by another program; choose another port, or 0 for any free one",
  EACCES: "cannot be opened by this user (permission denied); choose a port above 1023",
  EAFNOSUPPORT: "cannot be opened: this machine has no addresses of this kind (RESTANTE_BIND)",
  EADDRNOTAVAIL: "cannot be opened: this machine does not have the address (RESTANTE_BIND)",
};
