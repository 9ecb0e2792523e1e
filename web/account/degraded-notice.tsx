import { clsx } from "clsx";
import type { ReactElement } from "react";
import { useStatus } from "../api/status.ts";
import { Link } from "../navigation/location.tsx";
import noticeStyles from "../shared/error-notice.module.css";
import { strings } from "../strings.ts";

/** A notice while failing background tasks affect users, with a link to all tasks. */
export function DegradedNotice(): ReactElement | null {
  const { data } = useStatus();
  const effects = data?.tasks.flatMap(({ degrades }) => (degrades === null ? [] : [degrades])) ?? [];
  if (effects.length === 0) return null;
  return (
    <div className={clsx(noticeStyles.notice, noticeStyles.error)} role="status">
      <span>
        {strings.status.degraded}: {effects.join("; ")}.
      </span>
      <Link href="/status">{strings.status.details}</Link>
    </div>
  );
}
