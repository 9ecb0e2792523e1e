import type { ReactElement } from "react";
import { Link } from "../navigation/location.tsx";
import { Page } from "../shared/page.tsx";
import { strings } from "../strings.ts";

/** Page at an address without one: an unknown path or server, or pages that the key of the session has no access to. */
export function NotFoundPage(props: { readonly what?: "page" | "server" | "account" | "content" }): ReactElement {
  const { what = "page" } = props;
  const labels = strings["not-found"];
  const [title, lead] = {
    page: [labels.title, labels.lead] as const,
    server: [labels.server, labels.serverLead] as const,
    account: [labels.account, labels.accountLead] as const,
    content: [labels.content, labels.contentLead] as const,
  }[what];
  return (
    <Page title={title} lead={lead}>
      {what !== "content" && (
        <p>
          <Link href="/">{labels.home}</Link>
        </p>
      )}
    </Page>
  );
}
