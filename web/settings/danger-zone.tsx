import { useState, type ReactElement } from "react";
import { useDeleteServer, useEmptyServer } from "../api/servers.ts";
import { navigate } from "../navigation/location.tsx";
import { showToast } from "../shared/toast.tsx";
import { strings } from "../strings.ts";
import type { Server } from "../wire.ts";
import { ConfirmDialog } from "../shared/confirm-dialog.tsx";

type Question = "empty" | "remove" | null;

/** Emptying and deleting a server. */
export function DangerZone(props: { readonly server: Server; readonly isAccount: boolean }): ReactElement {
  const { server, isAccount } = props;
  const [question, setQuestion] = useState<Question>(null);
  const words = strings.settings;
  const openDialog = (asked: Question) => () => {
    setQuestion(asked);
  };
  return (
    <div className="stack">
      <h2>{words.danger}</h2>
      <Danger lead={words.emptyLead(server.messages)} label={words.empty} onAsk={openDialog("empty")} />
      {isAccount && <Danger lead={words.removeLead} label={words.remove} onAsk={openDialog("remove")} />}
      {question === "empty" && <EmptyQuestion server={server} onClose={openDialog(null)} />}
      {question === "remove" && <RemoveQuestion server={server} onClose={openDialog(null)} />}
    </div>
  );
}

interface QuestionProps {
  readonly server: Server;
  readonly onClose: () => void;
}

function EmptyQuestion({ server, onClose }: QuestionProps): ReactElement {
  const { mutate, error } = useEmptyServer(server.id);
  const words = strings.settings;
  const onSuccess = (): void => {
    onClose();
    showToast({ text: words.emptied });
  };
  return (
    <ConfirmDialog
      title={words.empty}
      lead={words.emptyLead(server.messages)}
      label={words.empty}
      error={error}
      onClose={onClose}
      onConfirm={() => {
        mutate(undefined, { onSuccess });
      }}
    />
  );
}

function RemoveQuestion({ server, onClose }: QuestionProps): ReactElement {
  const { mutate, error } = useDeleteServer(server.id);
  const words = strings.settings;
  const onSuccess = (): void => {
    navigate("/");
  };
  return (
    <ConfirmDialog
      title={words.remove}
      lead={words.removeLead}
      label={words.remove}
      typed={server.name}
      error={error}
      onClose={onClose}
      onConfirm={() => {
        mutate(undefined, { onSuccess });
      }}
    />
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
