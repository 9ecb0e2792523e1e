/** Part of the package `oidc-provider` that tests use; it has no types of its own. */
declare module "oidc-provider" {
  import type { EventEmitter } from "node:events";
  import type { IncomingMessage, ServerResponse } from "node:http";

  /** OpenID provider. */
  export class Provider extends EventEmitter {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    readonly Grant: new (properties: { readonly clientId: string; readonly accountId: string }) => {
      addOIDCScope(scope: string): void;
      save(): Promise<string>;
    };
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: Readonly<Record<string, unknown>>,
    ): Promise<void>;
  }
}
