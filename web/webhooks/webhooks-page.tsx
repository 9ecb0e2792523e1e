import { clsx } from "clsx";
import { type ReactElement, useState } from "react";
import {
  memberOf,
  type Target,
  type TargetCollection,
  useCallbackFormats,
  usePingWebhook,
  useRemoveTarget,
  useRotateTarget,
  useSaveTarget,
  useTargets,
} from "../api/callbacks.ts";
import { usePermissions } from "../api/permissions.ts";
import { pageStrings } from "../page-strings.ts";
import badgeStyles from "../shared/badge.module.css";
import { ConfirmDialog, whenDone } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
import { Menu, type MenuItem } from "../shared/menu.tsx";
import { ErrorNotice } from "../shared/notice.tsx";
import { Cards, Page, Panel } from "../shared/page.tsx";
import tableStyles from "../shared/table.module.css";
import { Table } from "../shared/table.tsx";
import { Deliveries } from "./deliveries.tsx";
import { SaveTargetDialog } from "./save-target-dialog.tsx";
import { describeTarget } from "./target-draft.ts";
import { TargetSecretDialog } from "./target-secret.tsx";

const labels = pageStrings.webhooks;

const collections: readonly TargetCollection[] = ["webhooks", "event-webhooks", "inbound-routes"];

/** Requests of a server to the application: receivers of each kind, and deliveries. */
export function WebhooksPage({ server }: { readonly server: string }): ReactElement {
  const { canManage } = usePermissions();
  const [added, setAdded] = useState<TargetCollection | null>(null);
  const cards = collections.map((collection) => ({
    name: labels.sections[collection].add,
    text: labels.sections[collection].hint,
    onSelect: () => setAdded(collection),
  }));
  return (
    <Page title={labels.title} lead={labels.lead}>
      {canManage && <Cards label={labels.title} cards={cards} />}
      {collections.map((collection) => (
        <TargetSection key={collection} server={server} collection={collection} />
      ))}
      <Panel className={layout.stack}>
        <Deliveries server={server} />
      </Panel>
      {added !== null && (
        <SaveTargetDialog server={server} collection={added} target={null} onClose={() => setAdded(null)} />
      )}
    </Page>
  );
}

/** Targets of one kind, with actions; nothing without any. */
function TargetSection(props: { readonly server: string; readonly collection: TargetCollection }): ReactElement | null {
  const { server, collection } = props;
  const { data: targets = [], error } = useTargets(server, collection);
  const section = labels.sections[collection];
  if (error === null && targets.length === 0) return null;
  return (
    <Panel className={layout.stack}>
      <h2>{section.title}</h2>
      {error !== null && <ErrorNotice error={error} />}
      {targets.length > 0 && (
        <Table heads={[section.name, labels.url, labels.state, ""]}>
          {targets.map((target) => (
            <TargetRow key={target.id} target={target} server={server} collection={collection} />
          ))}
        </Table>
      )}
    </Panel>
  );
}

interface TargetProps {
  readonly target: Target;
  readonly server: string;
  readonly collection: TargetCollection;
}

function TargetRow(props: TargetProps): ReactElement {
  const { target } = props;
  const { data: formats } = useCallbackFormats();
  const { canManage } = usePermissions();
  const { name, detail } = describeTarget(target, formats);
  return (
    <tr>
      <td>
        <div className={clsx(layout.stack, layout.tight)}>
          <span className={layout.anywhere}>{name}</span>
          {detail !== "" && <span className={clsx(layout.faint, layout.small)}>{detail}</span>}
        </div>
      </td>
      <td className={layout.anywhere}>
        <code>{target.url}</code>
      </td>
      <td>
        <TargetState target={target} />
      </td>
      <td className={tableStyles.number}>{canManage && <TargetActions {...props} />}</td>
    </tr>
  );
}

function TargetState({ target }: { readonly target: Target }): ReactElement {
  const isWaiting = "confirmed" in target && target.confirmed === false;
  return (
    <span
      className={clsx(badgeStyles.badge, (target.state === "paused" || isWaiting) && badgeStyles.warn)}
      data-result={target.state === "disabled" ? "Fail" : undefined}
      title={target.stateReason ?? undefined}
    >
      {target.state === "active" && isWaiting ? labels.unconfirmed : labels.states[target.state]}
    </span>
  );
}

/** Menu with the actions of a target, and their dialogs. */
function TargetActions(props: TargetProps): ReactElement {
  const { target, server, collection } = props;
  const [dialog, setDialog] = useState<"edit" | "remove" | null>(null);
  const { mutate: save, error: saveError } = useSaveTarget(server, collection);
  const { mutate: rotate, data: rotated, error: rotateError, reset } = useRotateTarget(server, collection);
  const { mutate: ping, error: pingError } = usePingWebhook(server);
  const member = memberOf(target);
  const { data: formats } = useCallbackFormats();
  const { name } = describeTarget(target, formats);
  const close = (): void => setDialog(null);
  const isActive = target.state === "active";
  const items: readonly MenuItem[] = [
    { name: labels.edit, onSelect: () => setDialog("edit") },
    {
      name: isActive ? labels.pause : labels.resume,
      onSelect: () => save({ member, body: { state: isActive ? "paused" : "active" } }),
    },
    ...(collection === "webhooks"
      ? [
          {
            name: labels.ping,
            onSelect: () => ping(target.id, whenDone(labels.pinged)),
          },
        ]
      : []),
    { name: labels.rotate, onSelect: () => rotate(member) },
    { name: labels.remove, onSelect: () => setDialog("remove") },
  ];
  const error = saveError ?? rotateError ?? pingError;
  return (
    <>
      {error !== null && <ErrorNotice error={error} />}
      <Menu name={labels.actions(name)} items={items} />
      {dialog === "edit" && <SaveTargetDialog {...props} onClose={close} />}
      {dialog === "remove" && <RemoveTargetDialog {...props} name={name} onClose={close} />}
      {rotated !== undefined && <TargetSecretDialog title={labels.secretTitle} target={rotated} onClose={reset} />}
    </>
  );
}

function RemoveTargetDialog(
  props: TargetProps & { readonly name: string; readonly onClose: () => void },
): ReactElement {
  const { target, server, collection, name, onClose } = props;
  const action = useRemoveTarget(server, collection);
  return (
    <ConfirmDialog
      title={labels.removeTitle(name)}
      lead={labels.removeLead}
      label={labels.removeSubmit}
      action={action}
      input={memberOf(target)}
      done={labels.removed}
      onClose={onClose}
    />
  );
}
