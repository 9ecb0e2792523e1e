import { mailDomainDefault } from "../core/mail-addresses.ts";
import type { Provider } from "../providers/provider.ts";
import { hostNamesOf, type HostNames } from "../tls/host-names.ts";
import { SettingsError, type Config } from "./settings/config.ts";

/** Names by which clients reach a service. */
export interface ServiceHosts {
  /** Names of the certificate. */
  readonly names: HostNames;
  /** Host names of providers that lead to the service, with the name of the provider. */
  readonly interceptedHosts: ReadonlyMap<string, string>;
  /** Host names that browsers may use for the API besides loopback and the bound address. */
  readonly browserHosts: readonly string[];
}

/** Returns the names of a service. Rejects with {@link SettingsError} for an unknown provider. */
export async function hostsOfService({ mailDomain, mx, bind, publicUrl, intercept }: Config): Promise<ServiceHosts> {
  const interceptedHosts = await interceptedHostsOf(intercept);
  const publicHost = publicUrl === null ? null : new URL(publicUrl).hostname;
  const names = hostNamesOf({
    mailDomain,
    bind,
    publicHost,
    mailHost: mx,
    intercepted: [...interceptedHosts.keys()],
  });
  const domains = new Set([mailDomain, mailDomainDefault]);
  const dotted = Array.from(domains, (domain) => `.${domain}`);
  const publicHosts = [publicHost, mx].filter((host) => host !== null);
  const apiHosts = Array.from(interceptedHosts.keys(), (host) => host.replace(/^\*/, ""));
  return { names, interceptedHosts, browserHosts: [...dotted, ...publicHosts, ...apiHosts] };
}

/** Loads the registry only when a provider is named. */
async function interceptedHostsOf(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (names.length === 0) return new Map();
  const { providers, hostsOfProvider } = await loadProviders();
  const known = providers.filter((provider) => hostsOfProvider(provider).length > 0);
  const unknown = names.find((name) => !known.some((provider) => provider.name === name));
  if (unknown !== undefined) {
    const list = known.map(({ name }) => name).join(", ");
    throw new SettingsError([`RESTANTE_INTERCEPT: "${unknown}" is not one of ${list}`]);
  }
  const chosen = known.filter(({ name }) => names.includes(name));
  return new Map(chosen.flatMap((provider) => hostsOfProvider(provider).map((host) => [host, provider.name] as const)));
}

/** Returns the host names of providers with these names. */
export async function hostsOfProviders(names: readonly string[]): Promise<readonly string[]> {
  return [...(await interceptedHostsOf(names)).keys()];
}

/** Returns the sentences of providers with these names about their libraries of a language. */
export async function notesOfProviders(language: string, names: readonly string[]): Promise<readonly string[]> {
  const { providers } = await loadProviders();
  return providers.flatMap(({ name, label, libraryNotes }) => {
    const note = names.includes(name) ? libraryNotes?.[language] : undefined;
    return note === undefined ? [] : [`${label}: ${note}`];
  });
}

/**
 * Returns the variables that lead libraries of providers to a service without a proxy. `names` are the providers; null for
 * all of them.
 */
export async function providerVariables(
  url: string,
  names: readonly string[] | null,
): Promise<readonly (readonly [name: string, value: string])[]> {
  const { providers } = await loadProviders();
  return providers.flatMap(({ name, endpointVariables = [] }) =>
    names === null || names.includes(name)
      ? endpointVariables.map((variable) => [variable, `${url}/providers/${name}`] as const)
      : [],
  );
}

/** Returns host patterns of all providers and the providers' names, as the redirect module reads them: `host=name,…`. */
export async function redirectedHosts(): Promise<string> {
  const { providers } = await loadProviders();
  return providers.flatMap(({ name, hosts = [] }) => hosts.map((host) => `${host}=${name}`)).join(",");
}

async function loadProviders(): Promise<{
  readonly providers: readonly Provider[];
  readonly hostsOfProvider: (provider: Provider) => readonly string[];
}> {
  const [{ providers }, { hostsOfProvider }] = await Promise.all([
    import("../providers/registry.ts"),
    import("../providers/hosts.ts"),
  ]);
  return { providers, hostsOfProvider };
}
