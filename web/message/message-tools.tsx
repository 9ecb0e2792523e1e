import { clsx } from "clsx";
import {
  ChevronDown,
  ChevronUp,
  Download,
  FileArchive,
  MailOpen,
  Star,
  Trash2,
  EllipsisVertical,
  Forward,
  Reply,
} from "lucide-react";
import { type ReactElement, Suspense, useState } from "react";
import { useMessageMarks } from "../api/marks.ts";
import { usePermissions } from "../api/permissions.ts";
import { useMarkActions } from "../marks/use-mark-actions.ts";
import { pageStrings } from "../page-strings.ts";
import { IconButton } from "../shared/icon-button.tsx";
import layout from "../shared/layout.module.css";
import { lazyComponent } from "../shared/lazy-component.ts";
import { useShortcuts } from "../shared/use-shortcuts.ts";
import { strings } from "../strings.ts";
import type { Message } from "../wire.ts";
import type { ReplyKind } from "./dialogs/reply-dialog.tsx";
import type { SimulatedReplyKind } from "./dialogs/simulated-reply-dialog.tsx";
import styles from "./message-pane.module.css";
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
  const { canSend, canManage } = usePermissions();
  const labels = strings.message;
  const step = (by: 1 | -1) => () => {
    onStep(by);
  };
  return (
    <div className={clsx(layout.row, styles.messageTools)}>
      <IconButton name={labels.previous} icon={ChevronUp} onClick={step(-1)} />
      <IconButton name={labels.next} icon={ChevronDown} onClick={step(1)} />
      {message.type === "Email" && canSend && <ReplyTools message={message} />}
      <MarkButtons {...props} />
      {message.type === "Email" && <DownloadButton id={message.id} />}
      {(message.type === "SMS" || !canSend) && <BundleButton id={message.id} />}
      {canManage && <IconButton name={labels.delete} icon={Trash2} onClick={onDelete} />}
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

const Menu = lazyComponent(async () => (await import("../shared/menu.tsx")).Menu);
const ReplyDialog = lazyComponent(async () => (await import("./dialogs/reply-dialog.tsx")).ReplyDialog);
const SimulatedReplyDialog = lazyComponent(
  async () => (await import("./dialogs/simulated-reply-dialog.tsx")).SimulatedReplyDialog,
);

const EmitEventDialog = lazyComponent(async () => (await import("./dialogs/emit-event-dialog.tsx")).EmitEventDialog);
const UnsubscribeDialog = lazyComponent(
  async () => (await import("./dialogs/unsubscribe-dialog.tsx")).UnsubscribeDialog,
);
const ReleaseDialog = lazyComponent(async () => (await import("./dialogs/release-dialog.tsx")).ReleaseDialog);
const HandInboundDialog = lazyComponent(
  async () => (await import("./dialogs/hand-inbound-dialog.tsx")).HandInboundDialog,
);

type CallbackKind = "event" | "inbound" | "unsubscribe" | "release";

type DialogKind = ReplyKind | SimulatedReplyKind | CallbackKind;

const simulatedReplyKinds: readonly SimulatedReplyKind[] = ["bounce", "complaint", "autoreply"];

/** Buttons that reply to an email or forward it, and a menu of other actions: release, simulated replies, callbacks. */
export function ReplyTools({ message }: { readonly message: Message }): ReactElement {
  const [dialog, setDialog] = useState<DialogKind | null>(null);
  const { titles } = strings.reply;
  const open = (kind: DialogKind | null) => () => {
    setDialog(kind);
  };
  useShortcuts({ r: open("reply"), f: open("forward") });
  const release = { name: strings.release.action, onSelect: open("release") };
  const bundle = { name: strings.message.downloadBundle, onSelect: () => void saveBundle(message.id) };
  const simulated = simulatedReplyKinds.map((kind) => ({
    name: strings.simulatedReply.titles[kind],
    onSelect: open(kind),
  }));
  const callbacks = [
    ...((message.provider ?? null) === null ? [] : [{ name: pageStrings.webhooks.emit, onSelect: open("event") }]),
    { name: pageStrings.webhooks.hand, onSelect: open("inbound") },
    ...(hasUnsubscribe(message) ? [{ name: strings.unsubscribe.action, onSelect: open("unsubscribe") }] : []),
  ];
  return (
    <>
      <IconButton name={titles.reply} icon={Reply} onClick={open("reply")} />
      <IconButton name={titles.forward} icon={Forward} onClick={open("forward")} />
      <OpenDialog dialog={dialog} message={message} onClose={open(null)} />
      <Suspense fallback={<IconButton name={strings.message.more} icon={EllipsisVertical} disabled />}>
        <Menu name={strings.message.more} items={[release, ...simulated, ...callbacks, bundle]} />
      </Suspense>
    </>
  );
}

function OpenDialog(props: {
  readonly dialog: DialogKind | null;
  readonly message: Message;
  readonly onClose: () => void;
}): ReactElement {
  const { dialog, message, onClose } = props;
  return (
    <Suspense>
      {(dialog === "reply" || dialog === "forward") && (
        <ReplyDialog kind={dialog} message={message} onClose={onClose} />
      )}
      {(dialog === "bounce" || dialog === "complaint" || dialog === "autoreply") && (
        <SimulatedReplyDialog kind={dialog} message={message} onClose={onClose} />
      )}
      {dialog === "event" && <EmitEventDialog message={message} onClose={onClose} />}
      {dialog === "unsubscribe" && <UnsubscribeDialog id={message.id} onClose={onClose} />}
      {dialog === "release" && <ReleaseDialog message={message} onClose={onClose} />}
      {dialog === "inbound" && <HandInboundDialog message={message} onClose={onClose} />}
    </Suspense>
  );
}

function hasUnsubscribe({ metadata }: Message): boolean {
  return metadata.headers.some(({ field }) => field.toLowerCase() === "list-unsubscribe");
}
