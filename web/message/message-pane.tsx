import { ChevronDown, ChevronUp, Download, MailOpen, Trash2 } from "lucide-react";
import { useEffect, useId, type ReactElement } from "react";
import { useConversation, useMessage } from "../api/messages.ts";
import { ApiError } from "../api/client.ts";
import { markRead } from "../marks/read-marks.ts";
import { navigate } from "../navigation/location.tsx";
import type { MessageTab } from "../navigation/place.ts";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { IconButton } from "../shared/icon-button.tsx";
import { Tabs } from "../shared/tabs.tsx";
import { strings } from "../strings.ts";
import type { Message, Session } from "../wire.ts";
import { MessageHead } from "./message-head.tsx";
import { ReplyTools } from "./reply-tools.tsx";
import { BackButton } from "./back-button.tsx";
import { firstTab, tabItems } from "./message-tabs.tsx";
import { saveFile } from "./save-file.ts";
import { TabPanel } from "./tab-panel.tsx";

/** What an open message needs. */
export interface MessagePaneProps {
  readonly id: string;
  readonly server: string;
  readonly session: Session;
  /** Null where the message itself decides. */
  readonly tab: MessageTab | null;
  readonly hrefOf: (id: string, tab?: MessageTab) => string;
  readonly onClose: () => void;
  readonly onStep: (by: 1 | -1) => void;
  readonly onDelete: () => void;
}

/** One message with all its parts. */
export function MessagePane(props: MessagePaneProps): ReactElement {
  const { id, server } = props;
  const { data: message, error, refetch } = useMessage(id);
  useEffect(() => {
    if (message !== undefined) markRead(server, message, true);
  }, [server, message]);
  const isMissing = error instanceof ApiError && error.status === 404;
  return (
    <article className="message-pane" aria-label={strings.message.label}>
      {message !== undefined && message.server === server ? (
        <OpenMessage {...props} message={message} />
      ) : (
        <>
          <div className="message-head">
            <BackButton onClick={props.onClose} />
          </div>
          <div className="empty">
            {error === null && message === undefined && <p>{strings.loading}</p>}
            {(isMissing || message !== undefined) && <p>{strings.message.missing}</p>}
            {error !== null && !isMissing && <ErrorNotice error={error} onRetry={() => void refetch()} />}
          </div>
        </>
      )}
    </article>
  );
}

function OpenMessage(props: MessagePaneProps & { readonly message: Message }): ReactElement {
  const { id, message, tab, hrefOf, onClose, session } = props;
  const panelId = useId();
  const { data: conversation } = useConversation(message.server, id, false);
  const items = tabItems(message, { turnCount: conversation?.turns.length ?? 1, asked: tab });
  const selected = items.find((item) => item.name === tab)?.name ?? firstTab(message);
  return (
    <>
      <div>
        <MessageHead
          message={message}
          deliveryHref={hrefOf(id, "delivery")}
          tools={<Tools {...props} message={message} />}
          onBack={onClose}
        />
      </div>
      <div className="message-tabs">
        <Tabs
          label={strings.message.tabList}
          items={items}
          selected={selected}
          panelId={panelId}
          onSelect={(name) => {
            navigate(hrefOf(id, name), { isReplaced: true });
          }}
        />
      </div>
      <TabPanel id={panelId} tab={selected} message={message} session={session} hrefOf={hrefOf} />
    </>
  );
}

function Tools(props: MessagePaneProps & { readonly message: Message }): ReactElement {
  const { server, message, onClose, onStep, onDelete } = props;
  const words = strings.message;
  const step = (by: 1 | -1) => () => {
    onStep(by);
  };
  return (
    <div className="row message-tools">
      <IconButton name={words.previous} icon={ChevronUp} onClick={step(-1)} />
      <IconButton name={words.next} icon={ChevronDown} onClick={step(1)} />
      {message.type === "Email" && <ReplyTools message={message} />}
      <IconButton
        name={words.unread}
        icon={MailOpen}
        onClick={() => {
          markRead(server, message, false);
          onClose();
        }}
      />
      {message.type === "Email" && <DownloadButton id={message.id} />}
      <IconButton name={words.delete} icon={Trash2} onClick={onDelete} />
    </div>
  );
}

function DownloadButton({ id }: { readonly id: string }): ReactElement {
  const { download } = strings.message;
  return (
    <IconButton
      name={download}
      icon={Download}
      onClick={() => {
        void saveFile(`/api/files/email/${id}`, `${id}.eml`);
      }}
    />
  );
}
