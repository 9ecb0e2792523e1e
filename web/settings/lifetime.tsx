import type { ReactElement } from "react";
import { formatInstant, formatSpan } from "../shared/format.ts";
import { useNow } from "../shared/age.tsx";
import { strings } from "../strings.ts";
import type { Server } from "../wire.ts";

/** When a server deletes itself, if it does. */
export function Lifetime({ server }: { readonly server: Server }): ReactElement {
  const now = useNow();
  const { expiresAt } = server;
  const words = strings.settings;
  return (
    <div className="stack tight">
      <h2>{words.expiry}</h2>
      <p>
        {expiresAt === null
          ? words.never
          : words.expires(formatInstant(expiresAt), formatSpan(Date.parse(expiresAt) - now))}
      </p>
      <p className="faint small">{words.expiryHint}</p>
    </div>
  );
}
