import { clsx } from "clsx";
import type { ReactElement } from "react";
import { useProviderLabel } from "../api/session.ts";
import { Link } from "../navigation/location.tsx";
import { allReceived, formatMailQuery, type MailQuery } from "../navigation/mail-query.ts";
import { inboxPath } from "../navigation/routes.ts";
import badgeStyles from "../shared/badge.module.css";
import layout from "../shared/layout.module.css";
import { pageStrings } from "../page-strings.ts";
import type { Message, ProviderOrigin } from "../wire.ts";

/** Provider through which a message was sent, with links to the other messages of its tags. */
export function ProviderRow(props: { readonly message: Message; readonly provider: ProviderOrigin }): ReactElement {
  const { message, provider } = props;
  const label = useProviderLabel(provider.name);
  const path = inboxPath(message.server);
  const linkTo = (criteria: MailQuery["criteria"]): string => path + formatMailQuery({ ...allReceived, criteria });
  return (
    <>
      <dt>{pageStrings.message.provider}</dt>
      <dd className={clsx(layout.row, layout.wrap)}>
        <Link href={linkTo({ provider: provider.name })}>{label}</Link>
        {provider.tags.map((tag) => (
          <Link key={tag} className={badgeStyles.badge} data-inline href={linkTo({ tag })}>
            {tag}
          </Link>
        ))}
      </dd>
    </>
  );
}
