import { clsx } from "clsx";
import type { ReactElement } from "react";
import { useActiveFaults } from "../api/faults.ts";
import { useHasFailed } from "../api/outage.ts";
import { usePermissions } from "../api/permissions.ts";
import { useStatus } from "../api/status.ts";
import type { LiveState } from "../live/change-stream.ts";
import { Link } from "../navigation/location.tsx";
import type { Route } from "../navigation/routes.ts";
import noticeStyles from "../shared/error-notice.module.css";
import { lazyPart } from "../shared/lazy-component.ts";
import { strings } from "../strings.ts";

const FaultNotice = lazyPart(async () => (await import("../faults/fault-notice.tsx")).FaultNotice);

/** States of the service that change what users may expect, above every page and at every width. */
export function Banner({ route, live }: { readonly route: Route; readonly live: LiveState | null }): ReactElement {
  const { isAccount } = usePermissions();
  const hasFailed = useHasFailed();
  if (live === "offline" || (live === null && hasFailed)) {
    return (
      <div className={clsx(noticeStyles.notice, noticeStyles.error)} role="status">
        {strings.shell.unreachable}
      </div>
    );
  }
  return (
    <>
      {isAccount && route.kind !== "status" && <DegradedNotice />}
      {isAccount && "server" in route && <ActiveFault server={null} />}
      {"server" in route && route.kind !== "faults" && <ActiveFault key={route.server} server={route.server} />}
    </>
  );
}

/** Active rules of a server, or of the service (null). */
function ActiveFault({ server }: { readonly server: string | null }): ReactElement | null {
  const faults = useActiveFaults(server);
  if (faults.length === 0) return null;
  return <FaultNotice server={server} faults={faults} />;
}

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
