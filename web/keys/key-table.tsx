import { clsx } from "clsx";
import { Plus } from "lucide-react";
import { type ReactElement, useState } from "react";
import { useKeys, useRevokeKey, useRotateKey } from "../api/credentials.ts";
import { useServers } from "../api/servers.ts";
import { pageStrings } from "../page-strings.ts";
import { Button } from "../shared/button.tsx";
import { DialogButton } from "../shared/dialog.tsx";
import { SelectField } from "../shared/field.tsx";
import { ConfirmDialog, FormContent } from "../shared/form.tsx";
import { formatDay } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { ErrorNotice } from "../shared/notice.tsx";
import { Page, Panel } from "../shared/page.tsx";
import { SecretDialog } from "../shared/secret-dialog.tsx";
import { Table } from "../shared/table.tsx";
import { strings } from "../strings.ts";
import type { Key } from "../wire.ts";
import { CreateKeyDialog } from "./create-key-dialog.tsx";
import { useKeyOwners, useMayChangeKeys } from "./key-owners.ts";

const labels = pageStrings.keys;

/** Keys of one server or, with null, of the account, with actions to create, rotate and revoke them. */
export function KeyTable({ server }: { readonly server: string | null }): ReactElement {
  const { data: keys, error, refetch } = useKeys();
  const canChange = useMayChangeKeys();
  const [revoked, setRevoked] = useState<Key | null>(null);
  const [rotated, setRotated] = useState<Key | null>(null);
  const shown = keys?.filter((key) => server === null || key.server === server) ?? [];
  return (
    <div className={layout.stack}>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {shown.length === 0 && keys !== undefined && <p className={layout.faint}>{pageStrings.keys.none}</p>}
      {shown.length > 0 && (
        <Rows keys={shown} hasServer={server === null} onRevoke={setRevoked} onRotate={setRotated} />
      )}
      {canChange && (
        <div>
          <DialogButton label={pageStrings.keys.create} icon={Plus}>
            {(close) => <CreateKeyDialog server={server} onClose={close} />}
          </DialogButton>
        </div>
      )}
      {rotated !== null && <RotateKeyDialog apiKey={rotated} onClose={() => setRotated(null)} />}
      {revoked !== null && <RevokeKeyDialog apiKey={revoked} onClose={() => setRevoked(null)} />}
    </div>
  );
}

interface KeyActionProps {
  readonly onRevoke: (key: Key) => void;
  readonly onRotate: (key: Key) => void;
}

function Rows(props: KeyActionProps & { readonly keys: readonly Key[]; readonly hasServer: boolean }): ReactElement {
  const { keys, hasServer, ...actions } = props;
  const { data: servers } = useServers();
  const canChange = useMayChangeKeys();
  const ownerOf = useKeyOwners(keys);
  const serverOf = ({ server, user, team }: Key): string => {
    if (server !== null) return servers?.find(({ id }) => id === server)?.name ?? server;
    return user == null && team == null ? pageStrings.keys.account : pageStrings.keys.accountOfOwner;
  };
  return (
    <Table
      heads={[
        pageStrings.keys.name,
        ...(hasServer ? [pageStrings.keys.server] : []),
        ...(ownerOf === null ? [] : [pageStrings.keys.owner]),
        pageStrings.keys.scope,
        pageStrings.keys.created,
        pageStrings.keys.expiry,
        pageStrings.keys.lastUsed,
        "",
      ]}
    >
      {keys.map((key) => (
        <tr key={key.id}>
          <td>{key.name || <span className={layout.faint}>{pageStrings.keys.nameless}</span>}</td>
          {hasServer && <td>{serverOf(key)}</td>}
          {ownerOf !== null && <td data-label={pageStrings.keys.owner}>{ownerOf(key)}</td>}
          <td>{pageStrings.keys.scopes[key.scope]}</td>
          <td className={layout.faint} data-label={pageStrings.keys.created}>
            {formatDay(key.createdAt)}
          </td>
          <td className={layout.faint} data-label={pageStrings.keys.expiry}>
            {expiryText(key.expires)}
          </td>
          <td className={layout.faint} data-label={pageStrings.keys.lastUsed}>
            {key.lastUsed === null ? pageStrings.keys.never : formatDay(key.lastUsed)}
          </td>
          <td>{canChange && <KeyActions apiKey={key} {...actions} />}</td>
        </tr>
      ))}
    </Table>
  );
}

function KeyActions({ apiKey, onRevoke, onRotate }: KeyActionProps & { readonly apiKey: Key }): ReactElement {
  return (
    <div className={clsx(layout.row, layout.actions)}>
      <Button onClick={() => onRotate(apiKey)}>{pageStrings.keys.rotate}</Button>
      <Button variant="danger" onClick={() => onRevoke(apiKey)}>
        {pageStrings.keys.revoke}
      </Button>
    </div>
  );
}

function expiryText(expires: string | null): string {
  if (expires === null) return pageStrings.keys.never;
  return Date.parse(expires) <= Date.now() ? pageStrings.keys.expired : formatDay(expires);
}

function RevokeKeyDialog({ apiKey, onClose }: { readonly apiKey: Key; readonly onClose: () => void }): ReactElement {
  const action = useRevokeKey();
  return (
    <ConfirmDialog
      title={labels.revokeTitle(apiKey.name || labels.nameless)}
      lead={labels.revokeLead}
      label={labels.revoke}
      action={action}
      input={apiKey.id}
      done={labels.revoked}
      onClose={onClose}
    />
  );
}

/** Dialog that rotates a key and shows its new secret once. */
function RotateKeyDialog({ apiKey, onClose }: { readonly apiKey: Key; readonly onClose: () => void }): ReactElement {
  const [expiry, setExpiry] = useState("day");
  const rotate = useRotateKey(apiKey.id);
  return (
    <SecretDialog
      title={labels.rotateTitle(apiKey.name || labels.nameless)}
      lead={labels.shownOnce}
      name={strings.signIn.key}
      secret={rotate.data?.key}
      onClose={onClose}
    >
      {rotate.data === undefined && (
        <FormContent
          label={labels.rotate}
          request={rotate}
          onSubmit={() => rotate.mutate(expiry === "now")}
          onClose={onClose}
        >
          <p className={layout.soft}>{labels.rotateLead}</p>
          <SelectField
            label={labels.rotateEnd}
            value={expiry}
            options={Object.entries(labels.rotateEnds)}
            onChange={setExpiry}
          />
        </FormContent>
      )}
    </SecretDialog>
  );
}

/** All API keys of the account. */
export function KeysPage(): ReactElement {
  return (
    <Page title={pageStrings.keys.title} lead={pageStrings.keys.lead}>
      <Panel>
        <KeyTable server={null} />
      </Panel>
    </Page>
  );
}
