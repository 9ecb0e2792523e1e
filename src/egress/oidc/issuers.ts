/** All OpenID providers of the service. */
import type { BackgroundTasks } from "../../core/background-tasks.ts";
import type { Clock } from "../../core/clock.ts";
import type { IssuerSettings } from "../../core/issuer.ts";
import { type Issuer, openIssuer } from "./open-issuer.ts";
import { type BearerClaims, claimedIssuer, isSignedToken } from "./verify-token.ts";

/** Verified bearer token, and the issuer of its subject. */
export interface IssuedToken extends BearerClaims {
  readonly issuer: string;
}

/** OpenID providers of the service, in the order of the settings. */
export interface Issuers {
  readonly all: readonly Issuer[];
  readonly find: (name: string) => Issuer | undefined;
  /**
   * Verifies a token that is sent instead of a key. Resolves with undefined for everything else, without a request unless the token
   * names one of the issuers. Rejects with `unavailable` when the issuer's keys are needed and it does not answer.
   */
  readonly verify: (secret: string) => Promise<IssuedToken | undefined>;
}

/** Opens the issuers without a request to any. The state of each is the background task `oidc_<name>`. */
export function openIssuers(
  settings: readonly IssuerSettings[],
  { clock, tasks }: { readonly clock: Pick<Clock, "now" | "monotonicMs">; readonly tasks: BackgroundTasks },
): Issuers {
  const all = settings.map((one) => {
    const degrades = `users cannot sign in at ${one.label}`;
    return openIssuer(one, { clock, task: tasks.register(`oidc_${one.name.replaceAll("-", "_")}`, { degrades }) });
  });
  return {
    all,
    find: (name) => all.find((issuer) => issuer.settings.name === name),
    verify: async (secret) => {
      if (all.length === 0 || !isSignedToken(secret)) return undefined;
      const named = claimedIssuer(secret);
      const issuer = all.find((one) => one.settings.issuer === named);
      const claims = await issuer?.verifyBearer(secret);
      return issuer && claims && { ...claims, issuer: issuer.settings.issuer };
    },
  };
}
