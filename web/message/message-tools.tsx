import { clsx } from "clsx";
import { ChevronDown, ChevronUp, Download, FileArchive, MailOpen, Star, Trash2 } from "lucide-react";
import type { ReactElement } from "react";
import { useMessageMarks } from "../api/marks.ts";
import { useMarkActions } from "../marks/use-mark-actions.ts";
import { IconButton } from "../shared/icon-button.tsx";
import layout from "../shared/layout.module.css";
import { strings } from "../strings.ts";
import type { Message } from "../wire.ts";
import styles from "./message-pane.module.css";
import { ReplyTools } from "./reply-tools.tsx";
import { saveBundle, saveFile } from "./save-file.ts";

/** Buttons of an open message. */
export function MessageTools(props: {
  readonly server: string;
  readonly message: Message;
  readonly onClose: () => void;
  readonly onStep: (by: 1 | -1) => void;
  readonly onDelete: () => void;
}): ReactElement {
  const { message, onStep, onDelete } = props;
  const labels = strings.message;
  const step = (by: 1 | -1) => () => {
    onStep(by);
  };
  return (
    <div className={clsx(layout.row, styles.messageTools)}>
      <IconButton name={labels.previous} icon={ChevronUp} onClick={step(-1)} />
      <IconButton name={labels.next} icon={ChevronDown} onClick={step(1)} />
      {message.type === "Email" && <ReplyTools message={message} />}
      <MarkButtons {...props} />
      {message.type === "Email" ? <DownloadButton id={message.id} /> : <BundleButton id={message.id} />}
      <IconButton name={labels.delete} icon={Trash2} onClick={onDelete} />
    </div>
  );
}

function MarkButtons(props: {
  readonly server: string;
  readonly message: Pick<Message, "id">;
  readonly onClose: () => void;
}): ReactElement | null {
  const { server, message, onClose } = props;
  const { canMark, setRead, setStarred } = useMarkActions(server);
  const isStarred = useMessageMarks(message.id)?.flags.includes("flagged") ?? false;
  const labels = strings.message;
  if (!canMark) return null;
  return (
    <>
      <IconButton
        name={labels.star}
        icon={Star}
        className={styles.star}
        aria-pressed={isStarred}
        onClick={() => {
          setStarred([message.id], !isStarred);
        }}
      />
      <IconButton
        name={labels.unread}
        icon={MailOpen}
        onClick={() => {
          setRead([message.id], false);
          onClose();
        }}
      />
    </>
  );
}

function BundleButton({ id }: { readonly id: string }): ReactElement {
  return (
    <IconButton
      name={strings.message.downloadBundle}
      icon={FileArchive}
      onClick={() => {
        void saveBundle(id);
      }}
    />
  );
}

function DownloadButton({ id }: { readonly id: string }): ReactElement {
  return (
    <IconButton
      name={strings.message.download}
      icon={Download}
      onClick={() => {
        void saveFile(`/api/files/email/${id}`, `${id}.eml`);
      }}
    />
  );
}
