import type { ReactElement } from "react";
import { Link } from "../navigation/location.tsx";
import { Page } from "../shared/page.tsx";
import { strings } from "../strings.ts";

/** Page at an address without one: an unknown path or server, or pages that the key of the session has no access to. */
export function NotFoundPage({ what = "page" }: { readonly what?: "page" | "server" | "account" }): ReactElement {
  const labels = strings["not-found"];
  const [title, lead] = {
    page: [labels.title, labels.lead] as const,
    server: [labels.server, labels.serverLead] as const,
    account: [labels.account, labels.accountLead] as const,
  }[what];
  return (
    <Page title={title} lead={lead}>
      <p>
        <Link href="/">{labels.home}</Link>
      </p>
    </Page>
  );
}
