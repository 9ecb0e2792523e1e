import { clsx } from "clsx";
import { useState, type ReactElement } from "react";
import { useReplaceFaults } from "../api/faults.ts";
import { usePermissions } from "../api/permissions.ts";
import badgeStyles from "../shared/badge.module.css";
import { ErrorNotice } from "../shared/error-notice.tsx";
import layout from "../shared/layout.module.css";
import { Menu } from "../shared/menu.tsx";
import tableStyles from "../shared/table.module.css";
import { pageStrings } from "../page-strings.ts";
import type { Fault } from "../wire.ts";
import { describeConditions, describeEffect, ruleOf } from "./describe-fault.ts";
import { EditFaultDialog } from "./edit-fault-dialog.tsx";
import { FaultHitsDialog } from "./fault-hits-dialog.tsx";

/** Rules with their counts, in their order. */
export function FaultTable({
  server,
  faults,
}: {
  readonly server: string | null;
  readonly faults: readonly Fault[];
}): ReactElement {
  const { mutate, error } = useReplaceFaults(server);
  const [opened, setOpened] = useState<string | null>(null);
  const [edited, setEdited] = useState<Fault | null>(null);
  const labels = pageStrings.faults;
  const shown = faults.find(({ name }) => name === opened);
  const close = (): void => {
    setOpened(null);
    setEdited(null);
  };
  return (
    <>
      {error !== null && <ErrorNotice error={error} />}
      <div className={tableStyles.wideContent}>
        <table className={tableStyles.table}>
          <thead>
            <tr>
              <th scope="col">{labels.rule}</th>
              <th scope="col">{labels.effect}</th>
              <th scope="col">{labels.state}</th>
              <th scope="col">{labels.seen}</th>
              <th scope="col">{labels.hits}</th>
              <th scope="col">{labels.skipped}</th>
              <th aria-hidden />
            </tr>
          </thead>
          <tbody>
            {faults.map((fault) => (
              <FaultRow
                key={fault.name}
                fault={fault}
                onOpen={() => {
                  setOpened(fault.name);
                }}
                onEdit={() => {
                  setEdited(fault);
                }}
                onRemove={() => {
                  mutate(faults.filter((one) => one !== fault).map(ruleOf));
                }}
              />
            ))}
          </tbody>
        </table>
      </div>
      <RuleDialogs server={server} faults={faults} edited={edited} shown={shown ?? null} onClose={close} />
    </>
  );
}

function RuleDialogs(props: {
  readonly server: string | null;
  readonly faults: readonly Fault[];
  readonly edited: Fault | null;
  readonly shown: Fault | null;
  readonly onClose: () => void;
}): ReactElement {
  const { edited, shown, ...rest } = props;
  return (
    <>
      {edited !== null && <EditFaultDialog {...rest} fault={edited} />}
      {shown !== null && <FaultHitsDialog fault={shown} onClose={props.onClose} />}
    </>
  );
}

function FaultRow(props: {
  readonly fault: Fault;
  readonly onOpen: () => void;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}): ReactElement {
  const { fault, onOpen, onEdit, onRemove } = props;
  const { canManage } = usePermissions();
  const { name } = fault;
  const conditions = describeConditions(fault);
  const labels = pageStrings.faults;
  return (
    <tr>
      <td className={layout.anywhere}>
        {name}
        <div className={clsx(layout.faint, layout.small)}>{conditions}</div>
      </td>
      <td className={layout.anywhere}>{describeEffect(fault)}</td>
      <td>
        <span className={clsx(badgeStyles.badge, fault.state === "active" && badgeStyles.warn)}>
          {labels.states[fault.state]}
        </span>
      </td>
      <td data-label={labels.seen}>{fault.seen}</td>
      <td data-label={labels.hits}>{fault.hits}</td>
      <td data-label={labels.skipped}>{fault.skipped}</td>
      <td className={tableStyles.number}>
        <Menu
          name={labels.actions(name)}
          items={[
            { name: labels.showHits, onSelect: onOpen },
            ...(canManage
              ? [
                  { name: labels.edit, onSelect: onEdit },
                  { name: labels.remove, onSelect: onRemove },
                ]
              : []),
          ]}
        />
      </td>
    </tr>
  );
}
