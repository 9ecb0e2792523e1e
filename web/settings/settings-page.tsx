import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { type ReactElement, useState } from "react";
import { useOwningTeams, useTeams } from "../api/people.ts";
import { type Permissions, usePermissions } from "../api/permissions.ts";
import { useServers, useUpdateServer } from "../api/servers.ts";
import { download } from "../api/signed-urls.ts";
import { KeyTable } from "../keys/key-table.tsx";
import { pageStrings } from "../page-strings.ts";
import { Button } from "../shared/button.tsx";
import { Field, optionsOf, SelectField } from "../shared/field.tsx";
import { ReadOnly, ActionRow } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
import { ErrorNotice } from "../shared/notice.tsx";
import { Page, Panel } from "../shared/page.tsx";
import type { Server, Session } from "../wire.ts";
import { DangerZone, ZoneForm } from "./danger-zone.tsx";
import { Lifetime, QuotaForm, RetentionForm } from "./limit-forms.tsx";
import { ScannerForm } from "./scanner-form.tsx";
import { confirmed, LineForm, SettingsSection } from "./settings-section.tsx";
import { TaggingForm } from "./tagging-form.tsx";

/** Settings of a server; sessions of a key for one server cannot manage keys or delete the server. */
export function SettingsPage(props: { readonly session: Session; readonly server: string }): ReactElement {
  const { isAccount, canManage, canConfigure, canAdminister } = usePermissions();
  const { data: servers, error } = useServers();
  const server = servers?.find(({ id }) => id === props.server);
  return (
    <Page title={pageStrings.settings.title} lead={restrictionText({ canManage, canConfigure })}>
      {error !== null && <ErrorNotice error={error} />}
      {server !== undefined && (
        <>
          <ReadOnly isReadOnly={!canConfigure}>
            <Panel>
              <NameForm key={server.name} server={server} />
            </Panel>
            {props.session.hasPeople && (
              <Panel>
                <TeamForm key={server.team} server={server} />
              </Panel>
            )}
            <Panel>
              <RetentionForm server={server} />
            </Panel>
          </ReadOnly>
          <ReadOnly isReadOnly={!canManage}>
            <Panel>
              <TaggingForm server={server.id} />
            </Panel>
          </ReadOnly>
          {server.expiresAt !== null && (
            <Panel>
              <Lifetime expiresAt={server.expiresAt} />
            </Panel>
          )}
          {(isAccount || canAdminister) && (
            <Panel className={layout.stack}>
              <h2>{pageStrings.settings.keys}</h2>
              <KeyTable server={server.id} />
            </Panel>
          )}
          <Advanced server={server} />
          {canManage && (
            <Panel>
              <DangerZone server={server} canDelete={canAdminister} />
            </Panel>
          )}
        </>
      )}
    </Page>
  );
}

/** Settings that few servers need. */
function Advanced({ server }: { readonly server: Server }): ReactElement {
  const { isAccount, canManage, canConfigure } = usePermissions();
  return (
    <details>
      <summary>{pageStrings.settings.advanced}</summary>
      <div className={layout.stack}>
        <ReadOnly isReadOnly={!canConfigure}>
          <Panel>
            <QuotaForm server={server} isAccount={isAccount} />
          </Panel>
          <Panel>
            <ReaderDeletionForm key={server.readerDeletion} server={server} />
          </Panel>
        </ReadOnly>
        <ReadOnly isReadOnly={!canManage}>
          <Panel>
            <ScannerForm server={server.id} />
          </Panel>
          <Panel>
            <ZoneForm server={server.id} />
          </Panel>
        </ReadOnly>
        <Panel>
          <BundlePanel server={server.id} />
        </Panel>
      </div>
    </details>
  );
}

/** Returns why some settings cannot be changed; undefined when all can. */
function restrictionText({
  canManage,
  canConfigure,
}: Pick<Permissions, "canManage" | "canConfigure">): string | undefined {
  if (canConfigure) return undefined;
  return canManage ? pageStrings.settings.testerReadOnly : pageStrings.settings.readOnly;
}

/** Form for the name of a server. */
function NameForm({ server }: { readonly server: Server }): ReactElement {
  const [name, setName] = useState(server.name);
  const update = useUpdateServer(server.id);
  return (
    <LineForm request={update} canSave={name !== server.name} onSubmit={() => update.mutate({ name }, confirmed)}>
      <div className={layout.grow}>
        <Field label={pageStrings.settings.name} required maxLength={200} value={name} onChange={setName} />
      </div>
    </LineForm>
  );
}

/** Form for the effect of deletions by POP3 and IMAP. */
function ReaderDeletionForm({ server }: { readonly server: Server }): ReactElement {
  const [readerDeletion, setReaderDeletion] = useState(server.readerDeletion);
  const update = useUpdateServer(server.id);
  const labels = pageStrings.settings;
  return (
    <SettingsSection title={labels.readers} lead={labels.readersLead}>
      <LineForm
        request={update}
        canSave={readerDeletion !== server.readerDeletion}
        onSubmit={() => update.mutate({ readerDeletion }, confirmed)}
      >
        <div className={layout.grow}>
          <SelectField
            label={labels.readerDeletion}
            value={readerDeletion}
            options={optionsOf(labels.readerDeletions)}
            onChange={setReaderDeletion}
          />
        </div>
      </LineForm>
    </SettingsSection>
  );
}

/** Download of the newest messages of a server as an archive. */
function BundlePanel({ server }: { readonly server: string }): ReactElement {
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => download(`/api/servers/${server}/bundle`, `bundle-${server}.zip`),
  });
  const labels = pageStrings.bundle;
  return (
    <div className={layout.stack}>
      <h2>{labels.title}</h2>
      <ActionRow lead={labels.lead}>
        <Button disabled={isPending} onClick={() => mutate()}>
          <Download size={15} aria-hidden />
          {labels.download}
        </Button>
      </ActionRow>
      {error !== null && <ErrorNotice error={error} />}
    </div>
  );
}

/** Form for the team that owns a server; managers move servers between their own teams only. */
function TeamForm({ server }: { readonly server: Server }): ReactElement {
  const { isAccount, canAdminister } = usePermissions();
  const [team, setTeam] = useState(server.team ?? "");
  const { data: teams = [], error } = useTeams();
  const update = useUpdateServer(server.id);
  const owning = useOwningTeams();
  const labels = pageStrings.settings;
  const choices = canAdminister ? owning : teams.filter(({ id }) => id === server.team);
  return (
    <SettingsSection title={labels.team} lead={labels.teamLead} error={error}>
      <LineForm
        request={update}
        canSave={team !== (server.team ?? "")}
        onSubmit={() => update.mutate({ team: team === "" ? null : team }, confirmed)}
      >
        <div className={layout.grow}>
          <SelectField
            label={labels.team}
            value={team}
            options={[
              ...(isAccount || server.team === null ? [["", labels.noTeam] as const] : []),
              ...choices.map(({ id, name }) => [id, name] as const),
            ]}
            onChange={setTeam}
          />
        </div>
      </LineForm>
    </SettingsSection>
  );
}
