import { clsx } from "clsx";
import { ChevronDown, ChevronUp, EllipsisVertical, Forward, Reply, Star, Trash2 } from "lucide-react";
import { type ReactElement, Suspense, useState } from "react";
import { useMessageMarks } from "../api/marks.ts";
import { usePermissions } from "../api/permissions.ts";
import { useMarkActions } from "../marks/use-mark-actions.ts";
import { pageStrings } from "../page-strings.ts";
import { Button, IconButton } from "../shared/button.tsx";
import layout from "../shared/layout.module.css";
import { lazyComponent, lazyPart } from "../shared/lazy-component.ts";
import type { MenuItem } from "../shared/menu.tsx";
import { useShortcuts } from "../shared/use-shortcuts.ts";
import type { Message } from "../wire.ts";
import type { ReplyKind } from "./dialogs/reply-dialog.tsx";
import type { SimulatedReplyKind } from "./dialogs/simulated-reply-dialog.tsx";
import styles from "./message-pane.module.css";
import { printMessage } from "./print.tsx";
import { saveFile } from "./files.tsx";

const labels = pageStrings.message;

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
  const step = (by: 1 | -1) => () => onStep(by);
  return (
    <div className={clsx(layout.row, styles.messageTools)}>
      <IconButton name={labels.previous} icon={ChevronUp} className={styles.step} onClick={step(-1)} />
      <IconButton name={labels.next} icon={ChevronDown} className={styles.step} onClick={step(1)} />
      <StarButton {...props} />
      {message.type === "Email" && canSend && <ReplyButtons message={message} />}
      {canManage && (
        <Button variant="quiet" onClick={onDelete}>
          <Trash2 size={15} aria-hidden />
          {labels.delete}
        </Button>
      )}
      <MoreTools {...props} />
    </div>
  );
}

function StarButton({ server, message }: { readonly server: string; readonly message: Message }): ReactElement | null {
  const { canMark, setStarred } = useMarkActions(server);
  const isStarred = useMessageMarks(message.id)?.flags.includes("flagged") ?? false;
  if (!canMark) return null;
  return (
    <IconButton
      name={pageStrings.message.star}
      icon={Star}
      className={styles.star}
      aria-pressed={isStarred}
      onClick={() => setStarred([message.id], !isStarred)}
    />
  );
}

const Menu = lazyComponent(async () => (await import("../shared/menu.tsx")).Menu);
const ReplyDialog = lazyPart(async () => (await import("./dialogs/reply-dialog.tsx")).ReplyDialog);
const SimulatedReplyDialog = lazyPart(
  async () => (await import("./dialogs/simulated-reply-dialog.tsx")).SimulatedReplyDialog,
);

const EmitEventDialog = lazyPart(async () => (await import("./dialogs/callback-dialogs.tsx")).EmitEventDialog);
const UnsubscribeDialog = lazyPart(async () => (await import("./dialogs/unsubscribe-dialog.tsx")).UnsubscribeDialog);
const ReleaseDialog = lazyPart(async () => (await import("./dialogs/release-dialog.tsx")).ReleaseDialog);
const HandInboundDialog = lazyPart(async () => (await import("./dialogs/callback-dialogs.tsx")).HandInboundDialog);

type CallbackKind = "event" | "inbound" | "unsubscribe" | "release";

type DialogKind = ReplyKind | SimulatedReplyKind | CallbackKind;

const simulatedReplyKinds: readonly SimulatedReplyKind[] = ["bounce", "complaint", "autoreply"];

/** Buttons that reply to an email or forward it. */
export function ReplyButtons({ message }: { readonly message: Message }): ReactElement {
  const [dialog, setDialog] = useState<ReplyKind | null>(null);
  const { titles } = pageStrings.reply;
  const open = (kind: ReplyKind | null) => () => setDialog(kind);
  useShortcuts({ r: open("reply"), f: open("forward") });
  return (
    <>
      <Button variant="quiet" onClick={open("reply")}>
        <Reply size={15} aria-hidden />
        {titles.reply}
      </Button>
      <Button variant="quiet" onClick={open("forward")}>
        <Forward size={15} aria-hidden />
        {titles.forward}
      </Button>
      <OpenDialog dialog={dialog} message={message} onClose={open(null)} />
    </>
  );
}

/** Menu of the other actions of a message: marks, files, printing and, for those who may send emails, what answers one. */
export function MoreTools(props: {
  readonly server: string;
  readonly message: Message;
  readonly onClose: () => void;
}): ReactElement {
  const { server, message, onClose } = props;
  const [dialog, setDialog] = useState<DialogKind | null>(null);
  const { canSend } = usePermissions();
  const { canMark, setRead } = useMarkActions(server);
  const { id, type } = message;
  const markUnread = (): void => {
    setRead([id], false);
    onClose();
  };
  const items: readonly (MenuItem | false)[] = [
    canMark && { name: labels.unread, onSelect: markUnread },
    { name: pageStrings.print.action, onSelect: printMessage },
    type === "Email" && { name: labels.download, onSelect: () => void saveFile(`/api/files/email/${id}`, `${id}.eml`) },
    { name: labels.downloadBundle, onSelect: () => void saveFile(`/api/messages/${id}/bundle`, `bundle-${id}.zip`) },
    ...(type === "Email" && canSend ? answersOf(message, setDialog) : []),
  ];
  return (
    <>
      <OpenDialog dialog={dialog} message={message} onClose={() => setDialog(null)} />
      <Suspense fallback={<IconButton name={labels.more} icon={EllipsisVertical} disabled />}>
        <Menu name={labels.more} items={items.filter((item) => item !== false)} />
      </Suspense>
    </>
  );
}

/** Returns the actions that send something on account of an email: release, simulated replies, callbacks. */
function answersOf(message: Message, open: (kind: DialogKind) => void): readonly MenuItem[] {
  const { webhooks } = pageStrings;
  const item = (name: string, kind: DialogKind): MenuItem => ({
    name,
    onSelect: () => open(kind),
  });
  return [
    item(pageStrings.release.action, "release"),
    ...simulatedReplyKinds.map((kind) => item(pageStrings.simulatedReply.titles[kind], kind)),
    ...((message.provider ?? null) === null ? [] : [item(webhooks.emit, "event")]),
    item(webhooks.hand, "inbound"),
    ...(hasUnsubscribe(message) ? [item(pageStrings.unsubscribe.action, "unsubscribe")] : []),
  ];
}

function OpenDialog(props: {
  readonly dialog: DialogKind | null;
  readonly message: Message;
  readonly onClose: () => void;
}): ReactElement {
  const { dialog, message, onClose } = props;
  return (
    <>
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
    </>
  );
}

function hasUnsubscribe({ metadata }: Message): boolean {
  return metadata.headers.some(({ field }) => field.toLowerCase() === "list-unsubscribe");
}
