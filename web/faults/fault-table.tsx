import { clsx } from "clsx";
import { useState, type ReactElement } from "react";
import { useReplaceFaults } from "../api/faults.ts";
import { usePermissions } from "../api/permissions.ts";
import { Age } from "../shared/age.tsx";
import badgeStyles from "../shared/badge.module.css";
import { Dialog } from "../shared/dialog.tsx";
import { ErrorNotice } from "../shared/notice.tsx";
import { TextAreaField } from "../shared/field.tsx";
import { FormDialog } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
import { Menu } from "../shared/menu.tsx";
import { Table } from "../shared/table.tsx";
import tableStyles from "../shared/table.module.css";
import { pageStrings } from "../page-strings.ts";
import type { Fault, FaultRule } from "../wire.ts";
import { describeConditions, describeEffect, ruleOf, withPaused } from "./describe-fault.ts";

const labels = pageStrings.faults;

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
  const shown = faults.find(({ name }) => name === opened);
  return (
    <>
      {error !== null && <ErrorNotice error={error} />}
      <Table heads={[labels.rule, labels.effect, labels.state, labels.seen, labels.hits, ""]}>
        {faults.map((fault) => (
          <FaultRow
            key={fault.name}
            fault={fault}
            onOpen={() => setOpened(fault.name)}
            onEdit={() => setEdited(fault)}
            onPause={(paused) => mutate(withPaused(faults, fault.name, paused))}
            onRemove={() => mutate(faults.filter((one) => one !== fault).map(ruleOf))}
          />
        ))}
      </Table>
      {edited !== null && (
        <EditFaultDialog server={server} faults={faults} fault={edited} onClose={() => setEdited(null)} />
      )}
      {shown !== undefined && <FaultHitsDialog fault={shown} onClose={() => setOpened(null)} />}
    </>
  );
}

function FaultRow(props: {
  readonly fault: Fault;
  readonly onOpen: () => void;
  readonly onEdit: () => void;
  readonly onPause: (paused: boolean) => void;
  readonly onRemove: () => void;
}): ReactElement {
  const { fault, onOpen, onEdit, onPause, onRemove } = props;
  const { canManage } = usePermissions();
  const { name } = fault;
  const conditions = describeConditions(fault);
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
      <td className={tableStyles.number}>
        <Menu
          name={labels.actions(name)}
          items={[
            { name: labels.showHits, onSelect: onOpen },
            ...(canManage
              ? [
                  { name: labels.edit, onSelect: onEdit },
                  {
                    name: fault.paused === true ? labels.resume : labels.pause,
                    onSelect: () => onPause(fault.paused !== true),
                  },
                  { name: labels.remove, onSelect: onRemove },
                ]
              : []),
          ]}
        />
      </td>
    </tr>
  );
}

/** Dialog with the last hits of a rule. */
function FaultHitsDialog({ fault, onClose }: { readonly fault: Fault; readonly onClose: () => void }): ReactElement {
  return (
    <Dialog title={labels.lastHits(fault.name)} onClose={onClose}>
      {fault.lastHits.length === 0 && <p className={layout.faint}>{labels.noHits}</p>}
      {fault.lastHits.length > 0 && (
        <Table heads={[labels.received, labels.stage, labels.client, labels.sender, labels.recipient]}>
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
        </Table>
      )}
    </Dialog>
  );
}

/** Dialog that changes a rule as JSON. The other rules keep their counts. */
function EditFaultDialog(props: {
  readonly server: string | null;
  readonly faults: readonly Fault[];
  readonly fault: Fault;
  readonly onClose: () => void;
}): ReactElement {
  const { server, faults, fault, onClose } = props;
  const { mutate, error, isPending } = useReplaceFaults(server);
  const [text, setText] = useState(() => JSON.stringify(ruleOf(fault), null, 2));
  const [parseError, setParseError] = useState<Error | null>(null);
  const submit = (): void => {
    const rule = parseRule(text);
    setParseError(rule instanceof Error ? rule : null);
    if (rule instanceof Error) return;
    const rules = faults.map((one) => (one.name === fault.name ? rule : ruleOf(one)));
    mutate(rules, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title={labels.editTitle(fault.name)}
      label={labels.save}
      request={{ error: parseError ?? error, isPending }}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextAreaField label={labels.json} rows={14} spellCheck={false} value={text} onChange={setText} />
      <p className={layout.soft}>{labels.editLead}</p>
    </FormDialog>
  );
}

/** Returns the rule, which the service validates. */
function parseRule(text: string): FaultRule | Error {
  try {
    return JSON.parse(text) as FaultRule;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
