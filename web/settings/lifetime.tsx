import { clsx } from "clsx";
import type { ReactElement } from "react";
import { useNow } from "../shared/age.tsx";
import { formatInstant, formatSpan } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { pageStrings } from "../page-strings.ts";
import type { Server } from "../wire.ts";

/** When a server expires, if it does. */
export function Lifetime({ server }: { readonly server: Server }): ReactElement {
  const now = useNow();
  const { expiresAt } = server;
  const labels = pageStrings.settings;
  return (
    <div className={clsx(layout.stack, layout.tight)}>
      <h2>{labels.expiry}</h2>
      <p>
        {expiresAt === null
          ? labels.never
          : labels.expires(formatInstant(expiresAt), formatSpan(Date.parse(expiresAt) - now))}
      </p>
      <p className={clsx(layout.faint, layout.small)}>{labels.expiryHint}</p>
    </div>
  );
}
