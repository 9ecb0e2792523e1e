import { useState, type ReactElement } from "react";
import { useDeleteServer, useEmptyServer } from "../api/servers.ts";
import { navigate } from "../navigation/location.tsx";
import { showToast } from "../shared/toast.tsx";
import { strings } from "../strings.ts";
import type { Server } from "../wire.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";

type Question = "empty" | "remove" | null;

/** Emptying and deleting a server. */
export function DangerZone(props: { readonly server: Server; readonly isAccount: boolean }): ReactElement {
  const { server, isAccount } = props;
  const [question, setQuestion] = useState<Question>(null);
  const empty = useEmptyServer(server.id);
  const remove = useDeleteServer(server.id);
  const words = strings.settings;
  const close = (): void => {
    setQuestion(null);
  };
  return (
    <div className="stack">
      <h2>{words.danger}</h2>
      <Danger
        lead={words.emptyLead(server.messages)}
        label={words.empty}
        onAsk={() => {
          setQuestion("empty");
        }}
      />
      {isAccount && (
        <Danger
          lead={words.removeLead}
          label={words.remove}
          onAsk={() => {
            setQuestion("remove");
          }}
        />
      )}
      {question === "empty" && (
        <ConfirmDialog
          title={words.empty}
          lead={words.emptyLead(server.messages)}
          label={words.empty}
          error={empty.error}
          onClose={close}
          onConfirm={() => {
            empty.mutate(undefined, {
              onSuccess: () => {
                close();
                showToast({ text: words.emptied });
              },
            });
          }}
        />
      )}
      {question === "remove" && (
        <ConfirmDialog
          title={words.remove}
          lead={words.removeLead}
          label={words.remove}
          typed={server.name}
          error={remove.error}
          onClose={close}
          onConfirm={() => {
            remove.mutate(undefined, {
              onSuccess: () => {
                navigate("/");
              },
            });
          }}
        />
      )}
    </div>
  );
}

function Danger(props: { readonly lead: string; readonly label: string; readonly onAsk: () => void }): ReactElement {
  const { lead, label, onAsk } = props;
  return (
    <div className="row wrap">
      <p className="soft" style={{ flex: "1 1 300px" }}>
        {lead}
      </p>
      <button type="button" className="button danger" onClick={onAsk}>
        {label}
      </button>
    </div>
  );
}
