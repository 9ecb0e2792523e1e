import type { ReactElement } from "react";
import { issuerAddress } from "../api/session.ts";
import { buttonClass } from "../shared/button.tsx";
import { strings } from "../strings.ts";
import type { Issuer } from "../wire.ts";

/** Links to the OpenID providers at which users sign in. */
export function IssuerLinks({ issuers }: { readonly issuers: readonly Issuer[] }): ReactElement {
  return (
    <>
      {issuers.map((issuer) => (
        <a key={issuer.name} className={buttonClass("primary")} href={issuerAddress(issuer)}>
          {strings.signIn.at(issuer.label)}
        </a>
      ))}
    </>
  );
}
