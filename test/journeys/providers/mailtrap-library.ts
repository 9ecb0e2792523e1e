/** Mailtrap's Node SDK, whose hosts lead to a service. */
import { MailtrapClient } from "mailtrap";

type Settings = ConstructorParameters<typeof MailtrapClient>[0];

/** HTTP client of the SDK; its types keep it private. */
interface Internals {
  readonly axios: {
    readonly interceptors: { readonly request: { readonly use: (rewrite: Rewrite) => void } };
  };
}

type Rewrite = <Config extends { url?: string }>(config: Config) => Config;

/** Returns the SDK; requests for the hosts of Mailtrap go to the service, as with `restante env --redirect --providers`. */
export function mailtrapClient(url: string, settings: Settings): MailtrapClient {
  const client = new MailtrapClient(settings);
  (client as unknown as Internals).axios.interceptors.request.use((config) => {
    const path = (config.url ?? "").replace(/^https:\/\/(?:(?:send|bulk|sandbox)\.api\.)?mailtrap\.io/, "");
    return Object.assign(config, { url: `${url}/providers/mailtrap${path}` });
  });
  return client;
}
