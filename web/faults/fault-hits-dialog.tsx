import type { ReactElement } from "react";
import { Age } from "../shared/age.tsx";
import { Dialog } from "../shared/dialog.tsx";
import layout from "../shared/layout.module.css";
import tableStyles from "../shared/table.module.css";
import { pageStrings } from "../page-strings.ts";
import type { Fault } from "../wire.ts";

/** Dialog with the last hits of a rule. */
export function FaultHitsDialog({
  fault,
  onClose,
}: {
  readonly fault: Fault;
  readonly onClose: () => void;
}): ReactElement {
  const labels = pageStrings.faults;
  return (
    <Dialog title={labels.lastHits(fault.name)} onClose={onClose}>
      {fault.lastHits.length === 0 && <p className={layout.faint}>{labels.noHits}</p>}
      <div className={tableStyles.wideContent}>
        <table className={tableStyles.table}>
          <thead>
            <tr>
              <th scope="col">{labels.received}</th>
              <th scope="col">{labels.stage}</th>
              <th scope="col">{labels.client}</th>
              <th scope="col">{labels.sender}</th>
              <th scope="col">{labels.recipient}</th>
            </tr>
          </thead>
          <tbody>
            {fault.lastHits.map((hit, at) => (
              <tr key={fault.hits - at}>
                <td className={layout.faint}>
                  <Age instant={hit.received} />
                </td>
                <td>{hit.provider ?? hit.stage}</td>
                <td>{hit.clientAddress}</td>
                <td className={layout.anywhere}>{hit.sender ?? ""}</td>
                <td className={layout.anywhere}>{hit.recipient ?? ""}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Dialog>
  );
}
