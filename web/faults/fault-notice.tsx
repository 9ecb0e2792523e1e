import { clsx } from "clsx";
import type { ReactElement } from "react";
import { useFaults, useReplaceFaults } from "../api/faults.ts";
import { usePermissions } from "../api/permissions.ts";
import { Button } from "../shared/button.tsx";
import noticeStyles from "../shared/error-notice.module.css";
import layout from "../shared/layout.module.css";
import { pageStrings } from "../page-strings.ts";
import type { Fault } from "../wire.ts";
import { ruleOf, withPaused } from "./describe-fault.ts";

/** Names the active rules of a server, or of the service (null), because they make mail fail or vanish. */
export function FaultNotice(props: {
  readonly server: string | null;
  readonly faults: readonly Fault[];
}): ReactElement {
  const { server, faults } = props;
  const { canManage } = usePermissions();
  const { data: all = faults } = useFaults(server);
  const { mutate, error, isPending } = useReplaceFaults(server);
  const labels = pageStrings.faults;
  return (
    <div className={clsx(noticeStyles.notice, layout.stack)} role="status">
      {faults.map(({ name, hits }) => (
        <div key={name} className={clsx(layout.row, layout.anywhere)}>
          {labels.isActive(name, hits)}
          {canManage && (
            <>
              <Button
                aria-label={labels.pauseNamed(name)}
                disabled={isPending}
                onClick={() => mutate(withPaused(all, name, true))}
              >
                {labels.pause}
              </Button>
              <Button
                aria-label={labels.removeNamed(name)}
                disabled={isPending}
                onClick={() => mutate(all.filter((one) => one.name !== name).map(ruleOf))}
              >
                {labels.remove}
              </Button>
            </>
          )}
        </div>
      ))}
      {error !== null && <span>{error.message}</span>}
    </div>
  );
}
