import type { ReactElement } from "react";
import { useStatus } from "../api/status.ts";
import { Link } from "../navigation/location.tsx";
import { strings } from "../strings.ts";

/** Notice below the bar while a background task fails in a way that users notice. */
export function DegradedNotice({ hasLink }: { readonly hasLink: boolean }): ReactElement | null {
  const { data } = useStatus();
  const effects = data?.tasks.flatMap(({ degrades }) => (degrades === null ? [] : [degrades])) ?? [];
  if (effects.length === 0) return null;
  return (
    <div className="notice bad-notice degraded" role="status">
      <span>
        {strings.status.degraded}: {effects.join("; ")}.
      </span>
      {hasLink && <Link href="/status">{strings.status.details}</Link>}
    </div>
  );
}
